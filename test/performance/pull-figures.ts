// Comparison of modelctl pull with curl on the same file of the same loopback hub, in turns. caddy
// delivers the file if available: like real storage on another machine, it leaves the processor to its
// clients.

import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findCaddy, writeFileServerCaddyfile } from "./caddy.ts";
import { killGroup, killOnExit, markEnvironment } from "./clean-up.ts";
import type { Figure } from "./report.ts";
import { childEnvironment, createHome, findFreePort } from "./server-process.ts";
import { writeSparseModel } from "./sparse-model.ts";
import { timeModelctl, timeProgram } from "./timed-program.ts";

/** Size of a small model, so that the start of the process counts as it does for users. */
const wantedBytes = 2 ** 30;
const rounds = 5;
const startLimitMs = 10_000;
const hubFile = join(import.meta.dirname, "hub-process.ts");
const model = "hf.co/maker/sparse";
/** Bypasses proxies for loopback. */
const directly = { NO_PROXY: "127.0.0.1", no_proxy: "127.0.0.1" };

/** Skipped, with a note, without curl or sha256sum. */
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
  const root = join(temporaryFolder, "storage");
  const file = join(root, "maker/sparse/sparse-F16.gguf");
  await mkdir(dirname(file), { recursive: true });
  await writeSparseModel(file, wantedBytes);
  const storage = await startStorage(temporaryFolder, root);
  progress(
    `pull: 1 GiB from ${storage?.name ?? "a storage in Node, which takes much of the processor"}`,
  );
  const words = storage === undefined ? [file] : [file, storage.url];
  const hub = fork(hubFile, words, { env: { ...process.env, ...markEnvironment } });
  try {
    const [url] = await Promise.race([once(hub, "message"), hubEnd(hub)]);
    return await compareInTurns(String(url), file, temporaryFolder);
  } finally {
    hub.kill("SIGKILL");
    storage?.stop();
  }
}

async function hubEnd(hub: ChildProcess): Promise<never> {
  await once(hub, "exit");
  throw new Error("the hub does not start");
}

interface Storage {
  name: string;
  url: string;
  stop: () => void;
}

/** Undefined without caddy. */
async function startStorage(temporaryFolder: string, root: string): Promise<Storage | undefined> {
  const caddy = await findCaddy();
  if (caddy === undefined) return undefined;
  const port = await findFreePort();
  const caddyfile = await writeFileServerCaddyfile(temporaryFolder, { port, root });
  const words = ["run", "--config", caddyfile, "--adapter", "caddyfile"];
  const child = spawn(caddy.program, words, {
    stdio: "ignore",
    detached: true,
    env: childEnvironment({ XDG_DATA_HOME: temporaryFolder }),
  });
  const { pid } = child;
  if (pid === undefined) throw new Error("caddy does not start");
  const forget = killOnExit(pid);
  const url = `http://127.0.0.1:${port}`;
  await untilAnswers(url);
  const stop = () => {
    killGroup(pid, "SIGKILL");
    forget();
  };
  return { name: `caddy ${caddy.version}`, url, stop };
}

async function untilAnswers(url: string): Promise<void> {
  const deadlineMs = performance.now() + startLimitMs;
  while (performance.now() < deadlineMs) {
    const reply = await fetch(url, { method: "HEAD" }).catch(() => undefined);
    if (reply !== undefined) return;
    await sleep(20);
  }
  throw new Error(`${url} does not answer`);
}

async function compareInTurns(
  url: string,
  file: string,
  temporaryFolder: string,
): Promise<Figure[]> {
  const target = join(temporaryFolder, "by-curl.gguf");
  const address = `${url}/maker/sparse/resolve/main/sparse-F16.gguf`;
  const words = ["-sSfL", "-o", target, address];
  const home = await createHome(temporaryFolder, true);
  const environment = { ...home, ...directly, HF_ENDPOINT: url };
  const byPull = async () => {
    const ms = await timeModelctl(["pull", model], environment);
    await timeModelctl(["rm", model], environment);
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
  // The first run of each program warms up.
  for (const run of contestants) await run();
  const timesMs: number[][] = contestants.map(() => []);
  for (let round = 0; round < rounds; round++) {
    const order = contestants.keys().toArray();
    for (const index of round % 2 === 0 ? order : order.reverse()) {
      // Flushes earlier writes, so that they do not count.
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
    { label: "pull against curl", unit: "x", samples: ratios(curl) },
    {
      label: "pull against curl, then sha256sum",
      unit: "x",
      samples: ratios(curlAndHash),
      target: { bound: "at least", value: 1 },
    },
  ];
}
