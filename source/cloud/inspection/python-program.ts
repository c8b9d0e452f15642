// Runner of the package's Python files, which print a JSON document.
import { type ExecFileException, execFile } from "node:child_process";
import path from "node:path";
import { parseJson } from "../../base/json.ts";
import { packageFolder } from "../../base/package-facts.ts";
import { describeError, ProductError } from "../../base/product-error.ts";
import { cloudErrors } from "../errors.ts";

export interface PythonRun {
  /** Name of a file in source/cloud/python. */
  file: string;
  words: readonly string[];
  /** The interpreter. */
  python: string;
  environment: NodeJS.ProcessEnv;
  folder?: string;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

export type PythonAnswer =
  | { kind: "document"; value: unknown }
  | { kind: "timeout" }
  | { kind: "crash"; sentence: string };

const largestAnswerBytes = 32 * 1024 ** 2;
/** Isolates the interpreter: no Python environment variables, no installed packages. */
const isolated = ["-I", "-S"];

/** Returns the interpreter for scripts: `DEPLOYCTL_PYTHON`, or `python3`. */
export function pythonProgram(environment: NodeJS.ProcessEnv): string {
  return environment.DEPLOYCTL_PYTHON || "python3";
}

/** Returns the folder of our Python files. */
export function pythonFolder(): string {
  return path.join(packageFolder(), "source/cloud/python");
}

/**
 * @throws ProductError `CLOUD_PYTHON_UNUSABLE` when there is no interpreter, or one that is too old
 */
export async function askPython(run: PythonRun): Promise<PythonAnswer> {
  const { python, environment, folder, timeoutMs, signal } = run;
  const words = [...isolated, path.join(pythonFolder(), run.file), ...run.words];
  const options = {
    env: environment,
    timeout: timeoutMs,
    killSignal: "SIGKILL",
    maxBuffer: largestAnswerBytes,
    ...(folder !== undefined && { cwd: folder }),
    ...(signal !== undefined && { signal }),
  } as const;
  const { error, output, errors } = await execute(python, words, options);
  signal?.throwIfAborted();
  const value = parseJson(output);
  if (value !== undefined) return { kind: "document", value };
  if (error?.code === "ENOENT") throw missing(python);
  if (wasKilled(error)) return { kind: "timeout" };
  await findInterpreter(python, environment);
  const last = errors.trimEnd().split("\n").at(-1);
  return { kind: "crash", sentence: last || describeError(error) };
}

export interface Interpreter {
  /** Path of the actual program, behind any version manager. */
  program: string;
  /** Version, such as "3.11.7". */
  version: string;
}

/** @throws ProductError `CLOUD_PYTHON_UNUSABLE` when there is none, or it is older than 3.8 */
export async function findInterpreter(
  python: string,
  environment: NodeJS.ProcessEnv,
): Promise<Interpreter> {
  const code = "import sys; print('.'.join(map(str, sys.version_info[:3])), sys.executable)";
  const options = { env: environment, timeout: 30_000, maxBuffer: largestAnswerBytes } as const;
  const { error, output } = await execute(python, ["-I", "-S", "-c", code], options);
  const [, version = "", program = ""] = /^(\S+) (.+)$/.exec(output.trim()) ?? [];
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (error === undefined && (major > 3 || (major === 3 && minor >= 8))) {
    return { program, version };
  }
  if (error === undefined) {
    throw unusable(`${python} is Python ${version}; scripts need 3.8 or newer.`);
  }
  throw error.code === "ENOENT"
    ? missing(python)
    : unusable(`${python} failed: ${describeError(error)}.`);
}

interface Executed {
  error: ExecFileException | undefined;
  output: string;
  errors: string;
}

function execute(
  program: string,
  words: readonly string[],
  options: Parameters<typeof execFile>[2] & object,
): Promise<Executed> {
  return new Promise((resolve) => {
    const child = execFile(program, words, { ...options, encoding: "utf8" }, (error, out, err) =>
      resolve({ error: error ?? undefined, output: out, errors: err }),
    );
    child.stdin?.end();
  });
}

/** Returns true for our time limit, or the CPU limit that the program sets itself. */
function wasKilled(error: ExecFileException | undefined): boolean {
  return error?.killed === true || error?.signal === "SIGKILL" || error?.signal === "SIGXCPU";
}

function missing(python: string): ProductError {
  return unusable(`${python} is not on the PATH.`);
}

function unusable(message: string): ProductError {
  return new ProductError(cloudErrors.pythonUnusable, {
    message,
    hint:
      process.platform === "darwin"
        ? "Install Python: brew install python3. To use another one, set DEPLOYCTL_PYTHON."
        : "Install Python: sudo apt-get install python3 python3-venv. To use another one, set DEPLOYCTL_PYTHON.",
  });
}
