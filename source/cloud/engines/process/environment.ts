// Python environment of a revision's replicas: the machine's Python, or a virtual environment with
// the script's requirements. Virtual environments are keyed by content, so revisions share them.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createWriteStream, existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { finished } from "node:stream/promises";
import { spawnWatched } from "../../../base/parent-watch.ts";
import { ProductError } from "../../../base/product-error.ts";
import { systemCode } from "../../../base/write-refusal.ts";
import { cloudErrors } from "../../errors.ts";
import { checkExecutables } from "../../inspection/executables.ts";
import {
  findInterpreter,
  type Interpreter,
  pythonFolder,
  pythonProgram,
} from "../../inspection/python-program.ts";
import type { RevisionPlan } from "../engine.ts";

/** Environment in which a revision's replicas run. */
export interface RevisionEnvironment {
  /** The interpreter. */
  python: string;
  /** Variables of every replica. */
  variables: Record<string, string>;
}

/** Builds or finds the environment; throws ProductError with exit code 6. */
export type PrepareEnvironment = (
  plan: RevisionPlan,
  log: (text: string) => void,
  signal: AbortSignal,
) => Promise<RevisionEnvironment>;

export interface EnvironmentOptions {
  stateFolder: string;
  /** Variables that replicas inherit. Defaults to those of this process. */
  environment?: NodeJS.ProcessEnv;
}

const ownerOnly = 0o600;
/** Variables that change which packages the same requirements install. */
const indexVariables = ["PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_CONSTRAINT"];

/** Creates the engine's `prepareEnvironment`, which throws ProductError with exit code 6. */
export function createEnvironments(options: EnvironmentOptions): PrepareEnvironment {
  const { stateFolder, environment = process.env } = options;
  let interpreter: Promise<Interpreter> | undefined;
  const findOnce = async () => {
    interpreter ??= findInterpreter(pythonProgram(environment), environment);
    try {
      return await interpreter;
    } catch (error) {
      interpreter = undefined; // python may be installed before the next replica starts
      throw error;
    }
  };
  return async (plan, log, signal) => {
    const { requirements, executables, environment: own } = plan.config;
    const { program: python, version } = await findOnce();
    const searchPath = own.PATH ?? environment.PATH ?? "";
    if (requirements.length === 0) {
      checkExecutables(executables, { searchPath, folder: plan.bundleFolder });
      return { python, variables: {} };
    }
    const name = environmentName(version, requirements, environment);
    const folder = path.join(stateFolder, "envs", name);
    if (!existsSync(path.join(folder, "complete"))) {
      log(`building a virtual environment with ${requirements.join(", ")}`);
      await build({ python, folder, requirements, environment, log, signal });
    }
    const programs = path.join(folder, "bin");
    const ownPath = `${programs}${path.delimiter}${searchPath}`;
    checkExecutables(executables, { searchPath: ownPath, folder: plan.bundleFolder });
    return {
      python: path.join(programs, "python"),
      variables: { VIRTUAL_ENV: folder, PATH: ownPath },
    };
  };
}

/** Returns the same name for the same packages of the same Python, in any order. */
export function environmentName(
  version: string,
  requirements: readonly string[],
  environment: NodeJS.ProcessEnv,
): string {
  const indexes = indexVariables.map((name) => environment[name] ?? "");
  const content = JSON.stringify([version, [...new Set(requirements)].sort(), indexes]);
  return createHash("sha256").update(content).digest("hex").slice(0, 32);
}

interface Build {
  python: string;
  folder: string;
  requirements: readonly string[];
  environment: NodeJS.ProcessEnv;
  log: (text: string) => void;
  signal: AbortSignal;
}

/** Builds the environment, or waits for another process that is building the same one. */
async function build(work: Build): Promise<void> {
  const { python, folder, requirements, environment, log, signal } = work;
  signal.throwIfAborted();
  // Private: anyone who can write there could run programs as this user.
  mkdirSync(path.dirname(folder), { recursive: true, mode: 0o700 });
  const logFile = `${folder}.log`;
  const file = createWriteStream(logFile, { flags: "a", mode: ownerOnly });
  const builder = path.join(pythonFolder(), "build_environment.py");
  const child = spawnWatched("group", () =>
    spawn(python, ["-I", "-B", builder, folder, ...requirements], {
      // A separate process group, so that pip and its compilers end together.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: environment,
    }),
  );
  const end = () => {
    if (child.pid !== undefined) endGroup(child.pid);
  };
  signal.addEventListener("abort", end, { once: true });
  const tail: string[] = [];
  const take = (text: string) => {
    tail.push(text);
    file.write(`${text}\n`);
    log(text);
  };
  createInterface({ input: child.stdout }).on("line", take);
  createInterface({ input: child.stderr }).on("line", take);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    signal.throwIfAborted();
    if (code !== 0) throw failure(tail, logFile);
  } finally {
    signal.removeEventListener("abort", end);
    file.end();
    await finished(file);
  }
}

function endGroup(group: number): void {
  try {
    process.kill(-group, "SIGTERM");
  } catch (error) {
    if (systemCode(error) !== "ESRCH") throw error;
  }
}

function failure(tail: readonly string[], logFile: string): ProductError {
  const lacksVenv = tail.some((line) =>
    /ensurepip is not\s+available|No module named venv/.test(line),
  );
  const told =
    tail.find((line) => /^ERROR: (No matching|Could not find|Cannot install|Failed)/.test(line)) ??
    tail.findLast((line) => /^(ERROR|error):/.test(line)) ??
    tail.at(-1) ??
    "nothing was printed";
  return new ProductError(cloudErrors.environmentFailed, {
    message: `Building the virtual environment failed: ${told.replace(/^ERROR: /, "")}`,
    hint: lacksVenv
      ? "Install the missing package: sudo apt-get install python3-venv"
      : `See ${logFile}, then fix the requirements or the package index.`,
  });
}
