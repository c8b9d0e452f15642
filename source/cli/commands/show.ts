// modelctl show: describes a model without loading it.
import { readFile } from "node:fs/promises";
import { text as readAll } from "node:stream/consumers";
import type { ModelDescription, ModelLibrary } from "../../application/models/model-library.ts";
import { showControls } from "../../base/display-text.ts";
import { readFault, usageError } from "../errors.ts";
import { openLibrary } from "../model-library.ts";
import { warn } from "../output.ts";
import type { CommandFlags, Run } from "../program/definition.ts";
import { formatDescription } from "../show-sections.ts";
import type { modelCommands } from "./models.definition.ts";

/** Flags that print a single part. */
const parts = [
  "license",
  "modelfile",
  "parameters",
  "template",
  "system",
  "rendered",
  "json",
] as const;
type Part = (typeof parts)[number];
type Flags = CommandFlags<typeof modelCommands.show>;

export const show: Run<typeof modelCommands.show> = async ([model], flags) => {
  const part = wantedPart(flags);
  const { library, settings } = openLibrary();
  if (part === "rendered") {
    return print(await rendered(library, model, flags.conversation), { isExact: true });
  }
  if (part === "modelfile") return await printModelfile(library, model);
  const verbose = flags.verbose === true;
  const description = await library.describe(model, verbose);
  if (part === undefined) {
    const windows = await library.windows(model, settings.values);
    const speed = (await library.speeds([{ name: model }], settings)).get(model);
    print(formatDescription({ ...description, windows, speed }, verbose));
  } else print(textOf(description, part));
};

/** Prints the Modelfile, also of a damaged model. */
async function printModelfile(library: ModelLibrary, model: string): Promise<void> {
  const { text, unprintable, problem } = await library.modelfile(model);
  if (problem !== undefined) warn(problem);
  for (const { field, reason } of unprintable) {
    process.stderr.write(`${field} cannot be written in a Modelfile: ${reason}.\n`);
  }
  print(text);
}

function wantedPart(flags: Flags): Part | undefined {
  const wanted = parts.filter((part) => flags[part]);
  if (wanted.length > 1) {
    const names = wanted.map((part) => `--${part}`).join(" and ");
    throw usageError(`${names} cannot be used together.`, "Use only one of them.");
  }
  if (flags.conversation !== undefined && wanted[0] !== "rendered") {
    throw usageError(
      "--conversation can only be used with --rendered.",
      "For example: modelctl show MODEL --rendered --conversation FILE",
    );
  }
  return wanted[0];
}

function textOf(
  description: ModelDescription,
  part: Exclude<Part, "rendered" | "modelfile">,
): string {
  switch (part) {
    case "json":
      return JSON.stringify(description, undefined, 2);
    case "system":
      return description.system ?? "";
    default:
      return description[part] ?? "";
  }
}

async function rendered(
  library: ModelLibrary,
  model: string,
  file: string | undefined,
): Promise<string> {
  const { text } = await library.render(model, file === undefined ? undefined : await read(file));
  return text;
}

async function read(file: string): Promise<string> {
  if (file === "-") return await readAll(process.stdin);
  return await readFile(file, "utf8").catch((error: unknown) => {
    throw usageError(
      `${file} cannot be read: ${readFault(error)}.`,
      "Name a file with --conversation, or send it on standard input with --conversation -.",
    );
  });
}

/**
 * Prints a text, on a terminal with control characters escaped.
 *
 * @param isExact adds no newline, except on a terminal
 */
function print(text: string, { isExact = false } = {}): void {
  if (text === "") return;
  const isTerminal = process.stdout.isTTY;
  const shown = isTerminal ? showControls(text) : text;
  const isOpen = !shown.endsWith("\n") && (isTerminal || !isExact);
  process.stdout.write(isOpen ? `${shown}\n` : shown);
}
