// modelctl's command line: reads the arguments, calls the command, turns errors into exit codes.
import { describeError, exitCodes, ProductError } from "../base/product-error.ts";
import { usageError } from "./errors.ts";
import type { Flags } from "./flags.ts";

type Command = (words: string[], flags: Flags) => Promise<number>;

/** Each command is loaded when it is called: `--version` loads none of them. */
const commands: Record<string, () => Promise<Command>> = {
  run: async () => (await import("./commands/run.ts")).run,
  serve: async () => (await import("./commands/serve.ts")).serve,
  start: async () => (await import("./commands/serve.ts")).serve,
  doctor: async () => (await import("./commands/doctor.ts")).doctor,
  config: async () => (await import("./commands/config.ts")).config,
};

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
  const parsed = readArguments(argv[0] === "help" ? ["--help"] : argv);
  if (parsed.kind === "help") {
    process.stdout.write(parsed.text);
    return exitCodes.ok;
  }
  const [name, ...words] = parsed.words;
  if (name === undefined) {
    const { start } = await import("./commands/start.ts");
    return await start([], parsed.flags);
  }
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (load === undefined) {
    throw usageError(`There is no command '${name}'.`, "See modelctl --help.");
  }
  const command = await load();
  return await command(words, parsed.flags);
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
