// Compares modelctl pull with curl on the same file of the same hub on loopback, in turns.

import { fork } from "node:child_process";
import { once } from "node:events";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { markEnvironment } from "./clean-up.ts";
import type { Figure } from "./report.ts";
import { createHome } from "./server-process.ts";
import { writeSparseModel } from "./sparse-model.ts";
import { timeModelctl, timeProgram } from "./timed-program.ts";

const wantedBytes = 2 ** 30;
const rounds = 3;
const hubFile = join(import.meta.dirname, "hub-process.ts");
/** Loopback is never behind a proxy. */
const directly = { NO_PROXY: "127.0.0.1", no_proxy: "127.0.0.1" };

/** Nothing is measured, and said so, where curl or sha256sum is missing. */
export async function measurePull(
  temporaryFolder: string,
  progress: (line: string) => void,
): Promise<Figure[]> {
  for (const tool of ["curl", "sha256sum"]) {
    try {
      await timeProgram(tool, ["--version"]);
    } catch {
      progress(`Skipped: comparing modelctl pull needs ${tool}.`);
      return [];
    }
  }
  const file = join(temporaryFolder, "pulled-F16.gguf");
  await writeSparseModel(file, wantedBytes);
  const hub = fork(hubFile, [file], { env: { ...process.env, ...markEnvironment } });
  try {
    const [url] = await Promise.race([once(hub, "message"), hubEnd(hub)]);
    return await compareInTurns(String(url), file, temporaryFolder);
  } finally {
    hub.kill("SIGKILL");
  }
}

async function hubEnd(hub: ReturnType<typeof fork>): Promise<never> {
  await once(hub, "exit");
  throw new Error("the hub does not start");
}

async function compareInTurns(
  url: string,
  file: string,
  temporaryFolder: string,
): Promise<Figure[]> {
  const target = join(temporaryFolder, "by-curl.gguf");
  const address = `${url}/maker/sparse/resolve/main/sparse-F16.gguf`;
  const words = ["-sSfL", "-o", target, address];
  const byPull = async () => {
    const home = await createHome(temporaryFolder, true);
    const ms = await timeModelctl(["pull", "hf.co/maker/sparse"], {
      ...home,
      ...directly,
      HF_ENDPOINT: url,
    });
    await rm(home.HOME ?? "", { recursive: true });
    return ms;
  };
  const byCurl = async () => {
    const ms = await timeProgram("curl", words, directly);
    await rm(target);
    return ms;
  };
  const byCurlAndHash = async () => {
    const script = 'curl "$@" && sha256sum "$0"';
    const ms = await timeProgram("sh", ["-c", script, target, ...words], directly);
    await rm(target);
    return ms;
  };
  const contestants = [byPull, byCurl, byCurlAndHash];
  const timesMs: number[][] = contestants.map(() => []);
  for (let round = 0; round < rounds; round++) {
    const order = contestants.keys().toArray();
    for (const index of round % 2 === 0 ? order : order.reverse()) {
      // What another left to be written must not be waited for.
      await timeProgram("sync", []);
      timesMs[index]?.push((await contestants[index]?.()) ?? Number.NaN);
    }
  }
  return describe(timesMs, (await stat(file)).size);
}

function describe(timesMs: readonly number[][], sizeBytes: number): Figure[] {
  const [pull = [], curl = [], curlAndHash = []] = timesMs;
  const rate = (label: string, times: readonly number[]): Figure => {
    return { label, unit: "MB/s", samples: times.map((ms) => sizeBytes / 1000 / ms) };
  };
  const ratios = (peer: readonly number[]) =>
    pull.map((ms, round) => (peer[round] ?? Number.NaN) / ms);
  return [
    rate("modelctl pull of 1 GiB", pull),
    rate("curl", curl),
    rate("curl, then sha256sum", curlAndHash),
    {
      label: "pull against curl",
      unit: "x",
      samples: ratios(curl),
      target: { bound: "at least", value: 0.9 },
    },
    { label: "pull against curl, then sha256sum", unit: "x", samples: ratios(curlAndHash) },
  ];
}
