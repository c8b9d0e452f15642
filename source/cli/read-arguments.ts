// Reads flags and words from the command line.
import meow from "meow";
import { packageVersion } from "../application/package-facts.ts";
import { usageError } from "./errors.ts";
import type { Flags } from "./flags.ts";
import { helpText } from "./help-text.ts";

export type Arguments =
  | { kind: "help"; text: string }
  | { kind: "run"; words: string[]; flags: Flags };

const text = { type: "string" } as const;
const toggle = { type: "boolean", default: false } as const;

const flagDefinitions = {
  host: text,
  port: text,
  connect: text,
  key: text,
  gpu: text,
  numParallel: text,
  contextLength: text,
  keepalive: text,
  system: text,
  preload: text,
  verbose: toggle,
  plain: toggle,
  debug: toggle,
  background: toggle,
  origin: toggle,
  help: toggle,
} as const;

const known = new Set(Object.keys(flagDefinitions));

/** @throws ProductError `COMMAND_USAGE` for a flag that does not exist or lacks its value */
export function readArguments(argv: string[]): Arguments {
  const { flags, input, help } = parse(argv);
  for (const [name, value] of Object.entries(flags)) {
    const typed = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (!known.has(name)) throw usageError(`There is no flag ${typed}.`, "See modelctl --help.");
    if (value === "") throw usageError(`${typed} needs a value.`, "See modelctl --help.");
  }
  if (flags.help) {
    const title = `modelctl ${packageVersion()}: the terminal home for language models`;
    return { kind: "help", text: `\n  ${title}\n${help}` };
  }
  return { kind: "run", words: [...input], flags: definedFlags(flags) };
}

function parse(argv: string[]) {
  try {
    return meow({
      importMeta: import.meta,
      argv,
      pkg: { name: "modelctl", version: packageVersion() },
      description: false,
      help: helpText,
      autoHelp: false,
      autoVersion: false,
      flags: flagDefinitions,
    });
  } catch (error) {
    // For example a flag that is given twice.
    const message = error instanceof Error ? error.message : String(error);
    throw usageError(message.replace(/\.?$/, "."), "See modelctl --help.");
  }
}

/** exactOptionalPropertyTypes: what was not typed is absent, not undefined. */
function definedFlags(flags: Record<string, unknown>): Flags {
  const entries = Object.entries(flags).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as unknown as Flags;
}
