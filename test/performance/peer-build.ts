// Build of the benchmark's peer, llama.cpp's own server, from the release that node-llama-cpp includes,
// so that both servers run the same version of llama.cpp. It is kept for later runs.

import { execFile, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { availableParallelism, homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { deleteOnExit, killOnExit, markEnvironment } from "./clean-up.ts";

const run = promisify(execFile);

const programs = ["llama-server", "llama-quantize"] as const;
const buildLimitMs = 90 * 60_000;
const workFolderPattern = /^building-(\d+)$/;

const cmakeOptions = [
  "-DCMAKE_BUILD_TYPE=Release",
  // The programs are moved out of the build folder, where they must not look for libraries.
  "-DBUILD_SHARED_LIBS=OFF",
  "-DGGML_NATIVE=ON",
  "-DLLAMA_BUILD_UI=OFF",
  "-DLLAMA_USE_PREBUILT_UI=OFF",
  "-DLLAMA_CURL=OFF",
  "-DLLAMA_OPENSSL=OFF",
  "-DLLAMA_BUILD_TESTS=OFF",
  "-DLLAMA_BUILD_EXAMPLES=OFF",
];

export interface PeerPrograms {
  server: string;
  quantize: string;
}

export interface Release {
  /** Tag of the llama.cpp release, such as `v0.4.0`. */
  tag: string;
  /** The release's sources as a git bundle. */
  bundlePath: string;
  /** Cache folder of the build and the model. */
  cacheFolder: string;
}

export async function findRelease(): Promise<Release> {
  const entryPath = fileURLToPath(import.meta.resolve("node-llama-cpp"));
  const llamaFolder = join(dirname(entryPath), "..", "llama");
  const text = await readFile(join(llamaFolder, "binariesGithubRelease.json"), "utf8");
  const { release: tag } = JSON.parse(text) as { release: string };
  if (!/^[\w.-]+$/.test(tag)) throw new Error(`unexpected llama.cpp tag: ${tag}`);
  const cacheRoot = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return {
    tag,
    bundlePath: join(llamaFolder, "gitRelease.bundle"),
    cacheFolder: join(cacheRoot, "modelctl-bench", tag),
  };
}

/** Returns a program that the build needs and this machine lacks. */
export async function findMissingTool(): Promise<string | undefined> {
  for (const tool of ["git", "cmake", process.env.CXX || "c++"]) {
    if (!(await succeeds(tool, ["--version"]))) return tool;
  }
  return undefined;
}

/** Returns the finished programs of an earlier run, if they still start. */
export async function findPeer({ cacheFolder }: Release): Promise<PeerPrograms | undefined> {
  const folder = join(cacheFolder, "peer");
  const server = join(folder, "llama-server");
  const quantize = join(folder, "llama-quantize");
  const isThere = await stat(quantize).catch(() => undefined);
  return isThere && (await succeeds(server, ["--version"])) ? { server, quantize } : undefined;
}

/** Builds in a temporary folder and renames the result, so that partial builds are never used. */
export async function buildPeer(release: Release): Promise<PeerPrograms> {
  const { cacheFolder } = release;
  await mkdir(cacheFolder, { recursive: true });
  await removeAbandonedBuilds(cacheFolder);
  const workFolder = join(cacheFolder, `building-${process.pid}`);
  const forget = deleteOnExit(workFolder);
  const logPath = join(cacheFolder, "build.log");
  const source = join(workFolder, "source");
  const build = join(workFolder, "build");
  const result = join(workFolder, "result");
  await mkdir(result, { recursive: true });
  await writeFile(logPath, "");
  const step = (program: string, values: string[]) => runLogged(program, values, logPath);
  await step("git", ["-c", "advice.detachedHead=false", "clone", release.bundlePath, source]);
  await protectTileConfiguration(source);
  await step("cmake", ["-S", source, "-B", build, ...cmakeOptions]);
  const jobs = String(availableParallelism());
  await step("cmake", ["--build", build, "--parallel", jobs, "--target", ...programs]);
  for (const program of programs) {
    await copyFile(join(build, "bin", program), join(result, program));
  }
  await rm(join(cacheFolder, "peer"), { recursive: true, force: true });
  await rename(result, join(cacheFolder, "peer"));
  await rm(workFolder, { recursive: true, force: true });
  forget();
  const peer = await findPeer(release);
  if (!peer) throw new Error(`the built llama-server does not start, see ${logPath}`);
  return peer;
}

/**
 * GCC 12 believes that `_tile_loadconfig` reads only the first bytes of its argument and drops the
 * code that fills in the rest; on a processor with AMX the server then crashes. The line inserted
 * tells it that all of the argument is read, and changes nothing for a compiler that knows.
 */
async function protectTileConfiguration(source: string): Promise<void> {
  const path = join(source, "ggml", "src", "ggml-cpu", "amx", "mmq.cpp");
  const text = await readFile(path, "utf8").catch(() => undefined);
  const call = "_tile_loadconfig(&tc);";
  const barrier = '__asm__ volatile("" : : "r"(&tc) : "memory");';
  if (text?.includes(call)) await writeFile(path, text.replace(call, `${barrier} ${call}`));
}

/** A killed run may have left its build folder; a running one must keep it. */
async function removeAbandonedBuilds(cacheFolder: string): Promise<void> {
  for (const name of await readdir(cacheFolder)) {
    const processId = Number(workFolderPattern.exec(name)?.[1]);
    if (!processId || isRunning(processId)) continue;
    await rm(join(cacheFolder, name), { recursive: true, force: true });
  }
}

function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
}

async function runLogged(program: string, values: string[], logPath: string): Promise<void> {
  const log = openSync(logPath, "a");
  const child = spawn(program, values, {
    stdio: ["ignore", log, log],
    detached: true,
    env: { ...process.env, ...markEnvironment },
    timeout: buildLimitMs,
  });
  closeSync(log);
  const forget = child.pid === undefined ? () => undefined : killOnExit(child.pid);
  const outcome = await new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(code === 0 ? "" : `ended with ${code ?? signal}`));
  });
  forget();
  if (outcome) throw new Error(`building the peer: ${program} ${outcome}, see ${logPath}`);
}

async function succeeds(program: string, values: string[]): Promise<boolean> {
  return await run(program, values).then(
    () => true,
    () => false,
  );
}
