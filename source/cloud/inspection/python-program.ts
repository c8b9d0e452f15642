// Runs one of the package's own Python files and reads the JSON document that it prints.
import { type ExecFileException, execFile } from "node:child_process";
import path from "node:path";
import { describeError, ProductError } from "../../base/product-error.ts";
import { cloudErrors } from "../errors.ts";

export interface PythonRun {
  /** A file of source/cloud/python. */
  file: string;
  words: readonly string[];
  /** The interpreter. */
  python: string;
  environment: NodeJS.ProcessEnv;
  folder?: string;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/** What came of a run that printed no document. */
export type PythonSilence = { kind: "timeout" } | { kind: "crash"; sentence: string };

export type PythonAnswer = { kind: "document"; value: unknown } | PythonSilence;

const largestAnswerBytes = 32 * 1024 ** 2;
/** A lone script that nothing around it changes: no variables of Python's, no installed packages. */
const alone = ["-I", "-S", "-B"];

/** The interpreter of scripts: `DEPLOYCTL_PYTHON`, else what `python3` is. */
export function pythonProgram(environment: NodeJS.ProcessEnv): string {
  return environment.DEPLOYCTL_PYTHON || "python3";
}

/** The folder of our Python files, in a checkout and in dist/ alike. */
export function pythonFolder(): string {
  return path.join(import.meta.dirname, "../python");
}

/** @throws ProductError `CLOUD_PYTHON_UNUSABLE` when there is no interpreter, or one too old */
export async function askPython(run: PythonRun): Promise<PythonAnswer> {
  const { python, environment, folder, timeoutMs, signal } = run;
  const words = [...alone, path.join(pythonFolder(), run.file), ...run.words];
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
  const value = parsed(output);
  if (value !== undefined) return { kind: "document", value };
  if (error?.code === "ENOENT") throw missing(python);
  if (wasCutShort(error)) return { kind: "timeout" };
  await findInterpreter(python, environment);
  const last = errors.trimEnd().split("\n").at(-1);
  return { kind: "crash", sentence: last || describeError(error) };
}

export interface Interpreter {
  /** The program itself, behind whatever chooses between versions. */
  program: string;
  /** Such as "3.11.7". */
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
    throw unusable(`${python} is Python ${version}, and scripts need 3.8 or newer.`);
  }
  throw error.code === "ENOENT"
    ? missing(python)
    : unusable(`${python} does not run: ${describeError(error)}.`);
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

/** By our limit of time, or by the one of processor time that the program has set for itself. */
function wasCutShort(error: ExecFileException | undefined): boolean {
  return error?.killed === true || error?.signal === "SIGKILL" || error?.signal === "SIGXCPU";
}

function parsed(output: string): unknown {
  try {
    return JSON.parse(output);
  } catch {
    return undefined; // it printed nothing, or was cut short: the caller says why
  }
}

function missing(python: string): ProductError {
  return unusable(`There is no ${python} on the PATH.`);
}

function unusable(message: string): ProductError {
  return new ProductError(cloudErrors.pythonUnusable, {
    message,
    hint:
      process.platform === "darwin"
        ? "Install Python: brew install python3. Or name another by DEPLOYCTL_PYTHON."
        : "Install Python: sudo apt-get install python3 python3-venv. Or name another by DEPLOYCTL_PYTHON.",
  });
}
