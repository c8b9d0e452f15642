// Questions of the line chat: a numbered list to choose from, and lines.
import { harmlessLine } from "../base/harmless-text.ts";
import type { PromptQuestions } from "../chat/conversation/ask-prompt.ts";

/** @param ask prints a question and resolves to the typed line */
export function lineQuestions(ask: (question: string) => Promise<string>): PromptQuestions {
  return {
    choose: async (title, choices) => {
      process.stderr.write(`${title}:\n`);
      for (const [index, { title: name, note, group }] of choices.entries()) {
        const text = harmlessLine(`${group}: ${name}  ${note}`);
        process.stderr.write(`${String(index + 1).padStart(3)}  ${text}\n`);
      }
      for (;;) {
        const typed = (await ask("Number (Enter for none): ")).trim();
        if (typed === "") return undefined;
        const chosen = /^\d+$/.test(typed) ? choices[Number(typed) - 1] : undefined;
        if (chosen !== undefined) return chosen.value;
        process.stderr.write(`Choose a number from 1 to ${choices.length}.\n`);
      }
    },
    ask: async (question, _initial, check) => {
      for (;;) {
        const typed = await ask(`${harmlessLine(question)}: `);
        const problem = check(typed);
        if (problem === undefined) return typed;
        process.stderr.write(`${harmlessLine(problem)}\n`);
      }
    },
  };
}
