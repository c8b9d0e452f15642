// Asks about a model's call in the line chat, and prints results of calls.

import { harmlessText } from "../base/harmless-text.ts";
import { isRecord, parseJson } from "../base/json.ts";
import { callLines } from "../chat/conversation/call-text.ts";
import type { CallQuestion, Decision } from "../tools/toolbox.ts";

/** Shows a question and returns the typed line. */
export type AskLine = (question: string, proposal?: string) => Promise<string>;

const choices = "Run it? [y]es, [a]lways in this chat, [A]lways, [e]dit, [n]o: ";
const choicesEachTime = "Run it? [y]es, [e]dit, [n]o: ";
const maxShownLines = 5;

/** Asks until the answer is one of the choices. */
export async function askAboutCall(
  question: CallQuestion,
  folder: string,
  ask: AskLine,
): Promise<Decision> {
  let asked = question;
  process.stderr.write(`${callLines(asked, folder).join("\n")}\n`);
  for (;;) {
    const { arguments: values } = asked;
    // A permission would not cover such calls.
    const alwaysAsks = asked.tool.alwaysAsks || asked.isFromText;
    switch ((await ask(alwaysAsks ? choicesEachTime : choices)).trim()) {
      case "y":
      case "yes":
        return { kind: "once", arguments: values };
      case "a":
        if (alwaysAsks) break;
        return { kind: "in-chat", arguments: values };
      case "A":
        if (alwaysAsks) break;
        return { kind: "always", arguments: values };
      case "e": {
        const edited = parseJson(await ask("Arguments (JSON): ", JSON.stringify(values)));
        if (isRecord(edited)) asked = { ...asked, arguments: edited };
        else process.stderr.write("Arguments must be a JSON object; they are unchanged.\n");
        process.stderr.write(`${callLines(asked, folder).join("\n")}\n`);
        break;
      }
      case "n":
      case "no":
        return {
          kind: "no",
          reason: (await ask("Reason for the model (Enter for none): ")).trim(),
        };
    }
  }
}

/** Returns the first lines of a result, and how many follow. */
export function foldedResult(text: string): string {
  const lines = harmlessText(text).trimEnd().split("\n");
  const shown = lines.slice(0, maxShownLines).map((line) => `  ${line.slice(0, 500)}\n`);
  const rest = lines.length - shown.length;
  return shown.join("") + (rest > 0 ? `  … ${rest} more lines\n` : "");
}
