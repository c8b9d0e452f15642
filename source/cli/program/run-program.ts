// Runs a program: reads arguments, calls the command, turns errors into exit codes.
import { showControls } from "../../base/display-text.ts";
import { describeError, exitCodes, ProductError } from "../../base/product-error.ts";
import { systemCode } from "../../base/write-refusal.ts";
import { isInterruption } from "../interruptible.ts";
import { watchOutput } from "../output.ts";
import { wrapWords } from "../text-width.ts";
import type { Program } from "./definition.ts";

export interface ProgramCalls {
  /** Environment variable that prints the stack of unexpected errors. */
  debugVariable: string;
  /** Called with an error before it is printed. */
  onError?: (error: { code: string; sentence: string; exitCode: number }) => void;
}

/** Runs the program; sets the exit code and never throws. */
export async function runProgram(
  load: () => Promise<Program>,
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

async function dispatch(load: () => Promise<Program>, argv: string[]): Promise<number> {
  if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-v")) {
    const { packageVersion } = await import("../../base/package-facts.ts");
    process.stdout.write(`${packageVersion()}\n`);
    return exitCodes.ok;
  }
  const [{ readCommandLine }, program] = await Promise.all([
    import("./read-command-line.ts"),
    load(),
  ]);
  const parsed = readCommandLine(program, argv);
  if (parsed.kind === "text") {
    process.stdout.write(parsed.text);
    return exitCodes.ok;
  }
  const run = await parsed.command.load();
  return (await run(parsed.words, parsed.flags, program, parsed.passedOn)) ?? exitCodes.ok;
}

/** Prints an error on standard error. @returns the exit code */
async function reportError(
  error: unknown,
  { debugVariable, onError }: ProgramCalls,
): Promise<number> {
  if (isInterruption(error)) return exitCodes.interrupted;
  const sentence = describeError(error);
  const { code, exitCode } = await kindOf(error, debugVariable);
  onError?.({ code, sentence, exitCode });
  // May contain names of other people's files.
  const line = `Error: ${showControls(sentence)}`;
  const { isTTY, columns } = process.stderr;
  process.stderr.write(`${isTTY ? wrapWords(line, columns).join("\n") : line}\n`);
  return exitCode;
}

async function kindOf(
  error: unknown,
  debugVariable: string,
): Promise<{ code: string; exitCode: number }> {
  if (error instanceof ProductError) return { code: error.code, exitCode: error.exitCode };
  const { findErrorDefinition } = await import("../../application/error-catalog.ts");
  const definition = findErrorDefinition(systemCode(error));
  if (definition !== undefined) return definition;
  if (error instanceof Error && process.env[debugVariable]) {
    process.stderr.write(`${error.stack}\n`);
  }
  return { code: "UNEXPECTED", exitCode: exitCodes.unexpected };
}
