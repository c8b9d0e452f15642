// Builds parts of llama.cpp from the sources in node-llama-cpp, which match its engine. Results are moved
// into place at the end, so that an interrupted build leaves none.
import { execFile } from "node:child_process";
import { cp, mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { runGroup } from "../../base/process-group.ts";
import { ProductError } from "../../base/product-error.ts";
import { engineErrors } from "../../engine/errors.ts";

export interface BuildWork {
  /** @param percent 0 to 100 */
  onProgress: (percent: number) => void;
  signal: AbortSignal | undefined;
}

export interface LlamaBuild {
  /** Name of the part, for messages. */
  what: string;
  folder: string;
  /** Name of the built file, anywhere below the build folder. */
  artifact: string;
  companions?: readonly string[];
  target: string;
  cmakeOptions: readonly string[];
  /**
   * Prepares the sources.
   *
   * @param source llama.cpp's sources; @param workFolder removed after the build
   * @returns the folder that cmake configures; llama.cpp's own by default
   */
  prepare?: (source: string, workFolder: string) => Promise<string>;
}

/** Options that leave out unneeded parts in every build of llama.cpp. */
export const minimalBuildOptions = [
  "-DCMAKE_BUILD_TYPE=Release",
  // The result is moved, so it must not load libraries from the build folder.
  "-DBUILD_SHARED_LIBS=OFF",
  "-DLLAMA_BUILD_UI=OFF",
  "-DLLAMA_USE_PREBUILT_UI=OFF",
  "-DLLAMA_CURL=OFF",
  "-DLLAMA_OPENSSL=OFF",
  "-DLLAMA_BUILD_TESTS=OFF",
  "-DLLAMA_BUILD_EXAMPLES=OFF",
];

const workFolderPattern = /^building-(\d+)$/;

/** Returns the folder and release of the sources in node-llama-cpp. */
export async function carriedSources(): Promise<{ folder: string; release: string }> {
  const entry = fileURLToPath(import.meta.resolve("node-llama-cpp"));
  const folder = path.join(path.dirname(entry), "..", "llama");
  const text = await readFile(path.join(folder, "binariesGithubRelease.json"), "utf8");
  const facts: unknown = JSON.parse(text);
  const release =
    typeof facts === "object" && facts !== null && "release" in facts ? facts.release : undefined;
  if (typeof release === "string" && /^[\w.-]+$/.test(release)) return { folder, release };
  throw buildFailed("llama.cpp", "node-llama-cpp does not name its llama.cpp release");
}

/**
 * @returns the path of the built file
 * @throws ProductError `ENGINE_BUILD_FAILED`
 */
export async function buildLlama(build: LlamaBuild, work: BuildWork): Promise<string> {
  await requireTools(build.what);
  const { folder: carried } = await carriedSources();
  const { folder, what } = build;
  await mkdir(folder, { recursive: true });
  await removeAbandoned(folder);
  const workFolder = path.join(folder, `building-${process.pid}`);
  const source = path.join(workFolder, "llama.cpp");
  const output = path.join(workFolder, "output");
  const step = (program: string, words: string[]) => runStep(program, words, what, folder, work);
  const bundle = path.join(carried, "gitRelease.bundle");
  try {
    await mkdir(workFolder, { recursive: true });
    work.onProgress(0);
    await step("git", ["-c", "advice.detachedHead=false", "clone", "--quiet", bundle, source]);
    const configured = (await build.prepare?.(source, workFolder)) ?? source;
    await step("cmake", [
      "-S",
      configured,
      "-B",
      output,
      ...minimalBuildOptions,
      ...build.cmakeOptions,
    ]);
    const jobs = String(os.availableParallelism());
    const target = ["--config", "Release", "--target", build.target];
    await step("cmake", ["--build", output, "--parallel", jobs, ...target]);
    // The artifact comes last, so that it implies its companions.
    for (const name of [...(build.companions ?? []), build.artifact]) {
      const built = path.join(workFolder, name);
      await cp(await findBelow(output, name, what), built);
      await rename(built, path.join(folder, name));
    }
    work.onProgress(100);
    return path.join(folder, build.artifact);
  } finally {
    await rm(workFolder, { recursive: true, force: true });
  }
}

/** @throws ProductError `ENGINE_BUILD_FAILED` naming what is missing */
async function requireTools(what: string): Promise<void> {
  for (const tool of ["git", "cmake", process.env.CXX || "c++"]) {
    const starts = await promisify(execFile)(tool, ["--version"]).then(
      () => true,
      () => false, // missing or broken
    );
    if (!starts) throw buildFailed(what, `${tool} is not installed`);
  }
}

/** Finds a result, as some generators add a folder named after the configuration. */
async function findBelow(folder: string, artifact: string, what: string): Promise<string> {
  const names = await readdir(folder, { recursive: true });
  const found = names.find((name) => path.basename(name) === artifact);
  if (found === undefined) throw buildFailed(what, "the build produced no result");
  return path.join(folder, found);
}

/** Removes work folders of processes that have ended. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const processId = Number(workFolderPattern.exec(name)?.[1]);
    if (!processId || isRunning(processId)) continue;
    await rm(path.join(folder, name), { recursive: true, force: true });
  }
}

function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
}

/** `[ 42%] Building CXX object …` of make, `[12/272] …` of ninja. */
const progressPattern = /^\[\s*(\d+)(?:%|\/(\d+))\]/;

async function runStep(
  program: string,
  words: readonly string[],
  what: string,
  cwd: string,
  { signal, onProgress }: BuildWork,
): Promise<void> {
  const child = runGroup(program, words, { cwd, signal });
  let lastError = "";
  createInterface({ input: child.stdout }).on("line", (line) => {
    const [, done, all] = progressPattern.exec(line) ?? [];
    // Installing the result is the last percent.
    if (done !== undefined) {
      onProgress(Math.min(99, Math.floor((Number(done) * 100) / Number(all ?? 100))));
    }
    if (/\berror\b/i.test(line)) lastError = line.trim();
  });
  createInterface({ input: child.stderr }).on("line", (line) => {
    if (/\berror\b/i.test(line) || lastError === "") lastError = line.trim();
  });
  const outcome = await child.ended;
  signal?.throwIfAborted();
  if (outcome === undefined) return;
  throw buildFailed(what, `${program} ${outcome}${lastError === "" ? "" : `: ${lastError}`}`);
}

function buildFailed(what: string, why: string): ProductError {
  return new ProductError(engineErrors.buildFailed, {
    message: `Failed to build ${what} from llama.cpp's sources: ${why}.`,
    hint: "Install git, cmake and a C++ compiler, and for a GPU its development kit.",
  });
}
