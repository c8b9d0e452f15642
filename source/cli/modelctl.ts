// modelctl's command line: reads the arguments, calls the command, turns errors into exit codes.
import { describeError, exitCodes, ProductError } from "../base/product-error.ts";
/** Runs the program; sets the exit code and never throws. */
export async function main(argv: string[]): Promise<void> {
  ignoreBrokenPipe();
  try {
    process.exitCode = await dispatch(argv);
  } catch (error) {
    process.exitCode = await reportError(error);
  }
}

async function dispatch(argv: string[]): Promise<number> {
  if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-v")) {
    const { packageVersion } = await import("../application/package-facts.ts");
    process.stdout.write(`${packageVersion()}\n`);
    return exitCodes.ok;
  }
  const { readArguments } = await import("./read-arguments.ts");
  const parsed = readArguments(argv);
  if (parsed.kind === "text") {
    process.stdout.write(parsed.text);
    return exitCodes.ok;
  }
  const run = await parsed.command.load();
  return await run(parsed.words, parsed.flags);
}

/** One line on standard error: what, why, what to do. */
async function reportError(error: unknown): Promise<number> {
  if (isInterruption(error)) return exitCodes.interrupted;
  process.stderr.write(`Error: ${describeError(error)}\n`);
  if (error instanceof ProductError) return error.exitCode;
  const { findErrorDefinition } = await import("../application/error-catalog.ts");
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const definition = typeof code === "string" ? findErrorDefinition(code) : undefined;
  if (definition === undefined && error instanceof Error && process.env.MODELCTL_DEBUG) {
    process.stderr.write(`${error.stack}\n`);
  }
  return definition?.exitCode ?? exitCodes.unexpected;
}

function isInterruption(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

/** `modelctl run … | head -1` is no error. */
function ignoreBrokenPipe(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(exitCodes.ok);
    process.stderr.write(`Error: The output cannot be written: ${error.message}.\n`);
    process.exit(exitCodes.unexpected);
  });
  // A server goes on when nobody reads its log any more.
  process.stderr.on("error", () => {});
}
