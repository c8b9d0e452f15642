// Runs a program: reads the arguments, calls the command, turns errors into exit codes.
import { describeError, exitCodes, ProductError } from "../base/product-error.ts";
import { showControls } from "../base/seen-text.ts";
import { watchOutput } from "./output.ts";
import type { FlagTable, Program } from "./program.ts";

export interface ProgramCalls {
  /** Set, it shows where an unexpected error comes from. */
  debugVariable: string;
  /** Called with what is to be told, before the sentence is printed. */
  onError?: (error: { code: string; sentence: string; exitCode: number }) => void;
}

/** Runs the program; sets the exit code and never throws. */
export async function runProgram<Table extends FlagTable>(
  load: () => Promise<Program<Table>>,
  argv: string[],
  calls: ProgramCalls,
): Promise<void> {
  watchOutput();
  try {
    process.exitCode = await dispatch(load, argv);
  } catch (error) {
    process.exitCode = await reportError(error, calls);
  }
}

async function dispatch<Table extends FlagTable>(
  load: () => Promise<Program<Table>>,
  argv: string[],
): Promise<number> {
  if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-v")) {
    const { packageVersion } = await import("../application/package-facts.ts");
    process.stdout.write(`${packageVersion()}\n`);
    return exitCodes.ok;
  }
  const { readArguments } = await import("./read-arguments.ts");
  const program = await load();
  const parsed = readArguments(program, argv);
  if (parsed.kind === "text") {
    process.stdout.write(parsed.text);
    return exitCodes.ok;
  }
  const run = await parsed.command.load();
  return await run(parsed.words, parsed.flags, program);
}

/** One line on standard error: what, why, what to do. */
async function reportError(
  error: unknown,
  { debugVariable, onError }: ProgramCalls,
): Promise<number> {
  if (isInterruption(error)) return exitCodes.interrupted;
  const sentence = describeError(error);
  const { code, exitCode } = await kindOf(error, debugVariable);
  onError?.({ code, sentence, exitCode });
  // It may tell of names that are not of our making, such as those of files.
  process.stderr.write(`Error: ${showControls(sentence)}\n`);
  return exitCode;
}

async function kindOf(
  error: unknown,
  debugVariable: string,
): Promise<{ code: string; exitCode: number }> {
  if (error instanceof ProductError) return { code: error.code, exitCode: error.exitCode };
  const { findErrorDefinition } = await import("../application/error-catalog.ts");
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const definition = typeof code === "string" ? findErrorDefinition(code) : undefined;
  if (definition !== undefined) return definition;
  if (error instanceof Error && process.env[debugVariable]) {
    process.stderr.write(`${error.stack}\n`);
  }
  return { code: "UNEXPECTED", exitCode: exitCodes.unexpected };
}

function isInterruption(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}
