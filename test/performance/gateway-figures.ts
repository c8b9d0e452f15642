// Comparison of deployctl's gateway with caddy as a reverse proxy to the same server, in turns.

import type { ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findCaddy, writeCaddyfile } from "./caddy.ts";
import { killGroup } from "./clean-up.ts";
import { measureColdStarts } from "./cold-start-figures.ts";
import type { StartedServer } from "./gateway-server.ts";
import { startLoadMeter } from "./machine-load.ts";
import {
  countFailures,
  holdStreams,
  measureLatency,
  measureRate,
  measureStreams,
  readSlowly,
  type Target,
} from "./proxy-load.ts";
import type { Figure } from "./report.ts";
import { findFreePort } from "./server-process.ts";
import { firstNews, startNode, startProcess } from "./started-process.ts";

const rounds = 5;
const connections = 32;
const rateSeconds = 3;
/** Load before the first turn. V8 compiles a hot path within about 30,000 requests. */
const warmUpSeconds = 10;
const latencyRequests = 1000;
const streams = { streams: 8, pieces: 100, everyMs: 10 };
const manyStreams = 500;
const idleStreams = 2000;
const pouredBytes = 100 * 2 ** 20;
const idleMs = 500;
const startLimitMs = 20_000;

type Name = "server" | "caddy" | "gateway";
type Targets = Record<Name, Target>;
type Samples = Record<Name, number[]>;

/** Comparisons that need caddy are skipped, with a note, when it is not available. */
export async function measureGateway(
  temporaryFolder: string,
  progress: (line: string) => void,
): Promise<Figure[]> {
  const coldStarts = await measureColdStarts(temporaryFolder, progress);
  return [...(await measureProxies(temporaryFolder, progress)), ...coldStarts];
}

async function measureProxies(
  temporaryFolder: string,
  progress: (line: string) => void,
): Promise<Figure[]> {
  const caddy = await findCaddy();
  if (caddy === undefined) {
    progress("Skipped: the gateway against caddy, which is not here and cannot be downloaded.");
    return [];
  }
  progress(`gateway: caddy ${caddy.version}, ${connections} connections, ${rounds} rounds`);
  const children: ChildProcess[] = [];
  try {
    const stub = startNode("model-stub.ts", []);
    children.push(stub);
    const stubPort = Number(await firstNews(stub));
    const endpoint = `http://127.0.0.1:${stubPort}`;
    const child = startNode("gateway-server.ts", [join(temporaryFolder, "gateway"), endpoint]);
    children.push(child);
    const gateway = (await firstNews(child)) as StartedServer;
    const port = await findFreePort();
    const file = await writeCaddyfile(temporaryFolder, { port, upstreamPort: stubPort });
    const words = ["run", "--config", file, "--adapter", "caddyfile"];
    children.push(startProcess(caddy.program, words, "ignore", { XDG_DATA_HOME: temporaryFolder }));
    const targets: Targets = {
      server: { url: endpoint, headers: {} },
      caddy: { url: `http://127.0.0.1:${port}`, headers: {} },
      gateway: toTarget(gateway),
    };
    await untilAnswers(targets.caddy);
    // First, as later streams would use memory that earlier requests left behind.
    const memory = await measureIdleStreams(gateway);
    return [
      ...(await compareInTurns(targets)),
      ...(await measureAlone(targets.gateway, gateway)),
      memory,
    ];
  } finally {
    for (const { pid } of children) if (pid !== undefined) killGroup(pid, "SIGKILL");
  }
}

async function compareInTurns(targets: Targets): Promise<Figure[]> {
  const rates = noSamples();
  const latencies = noSamples();
  const delays = noSamples();
  const others: number[] = [];
  const names = Object.keys(targets) as Name[];
  for (const name of names) {
    await measureRate(targets[name], { connections, seconds: warmUpSeconds });
    await measureLatency(targets[name], latencyRequests);
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      others.push(await measureOthers());
      const target = targets[name];
      rates[name].push(await measureRate(target, { connections, seconds: rateSeconds }));
      latencies[name].push(await measureLatency(target, latencyRequests));
      delays[name].push(await measureStreams(target, streams));
    }
  }
  const added = (samples: Samples, name: Name) =>
    samples[name].map((value, round) => value - (samples.server[round] ?? Number.NaN));
  const ofCaddy = (name: Name) =>
    rates[name].map((rate, round) => rate / (rates.caddy[round] ?? Number.NaN));
  const overCaddy = latencies.gateway.map(
    (ms, round) => ms - (latencies.caddy[round] ?? Number.NaN),
  );
  return [
    { label: "the server itself", unit: "req/s", samples: rates.server },
    { label: "through caddy", unit: "req/s", samples: rates.caddy },
    { label: "through the gateway", unit: "req/s", samples: rates.gateway },
    {
      label: "gateway against caddy, requests a second",
      unit: "x",
      samples: ofCaddy("gateway"),
      target: { bound: "at least", value: 0.75 },
    },
    {
      label: "gateway against caddy, p50 of a request",
      unit: "ms",
      samples: overCaddy,
      target: { bound: "below", value: 0.2 },
    },
    { label: "added to a request by caddy, p50", unit: "ms", samples: added(latencies, "caddy") },
    {
      label: "added to a request by the gateway, p50",
      unit: "ms",
      samples: added(latencies, "gateway"),
      target: { bound: "below", value: 1 },
    },
    { label: "added to an event by caddy, p50", unit: "ms", samples: added(delays, "caddy") },
    {
      label: "added to an event by the gateway, p50",
      unit: "ms",
      samples: added(delays, "gateway"),
      target: { bound: "below", value: 2 },
    },
    { label: "others, between the turns", unit: "cores", samples: others },
  ];
}

function toTarget({ url, token }: StartedServer): Target {
  return { url, headers: { authorization: `Key ${token}` } };
}

async function measureAlone(target: Target, gateway: StartedServer): Promise<Figure[]> {
  const failures = await countFailures(target, manyStreams);
  const before = await readMemory(gateway);
  let highest = 0;
  await readSlowly(target, pouredBytes, async () => {
    highest = Math.max(highest, (await readMemory(gateway)) - before);
  });
  return [
    {
      label: `failures of ${manyStreams} streams at a time`,
      unit: "failures",
      samples: [failures],
      target: { bound: "below", value: 1 },
    },
    {
      label: "memory for 100 MiB to a slow reader",
      unit: "MiB",
      samples: [highest / 2 ** 20],
      target: { bound: "below", value: 32 },
    },
  ];
}

/** Returns the load by other programs while the benchmark is idle. */
async function measureOthers(): Promise<number> {
  const readLoad = startLoadMeter([]);
  await sleep(idleMs);
  return readLoad();
}

/** Memory that open streams without events add to all processes of the server. */
async function measureIdleStreams(server: StartedServer): Promise<Figure> {
  const before = await readMemory(server);
  const close = await holdStreams(toTarget(server), idleStreams);
  const added = (await readMemory(server)) - before;
  close();
  return {
    label: `memory of ${idleStreams} idle streams`,
    unit: "MiB",
    samples: [added / 2 ** 20],
    target: { bound: "below", value: 250 },
  };
}

/** @returns bytes of all processes, each with the memory that it shares */
async function readMemory({ processIds }: StartedServer): Promise<number> {
  const sizes = processIds.map(async (processId) => {
    const text = await readFile(`/proc/${processId}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1]) * 1024;
  });
  return (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0);
}

async function untilAnswers({ url }: Target): Promise<void> {
  const deadline = performance.now() + startLimitMs;
  while (performance.now() < deadline) {
    const reply = await fetch(`${url}/v1/models`).catch(() => undefined);
    if (reply?.ok === true) return;
    await sleep(50);
  }
  throw new Error(`${url} does not answer`);
}

function noSamples(): Samples {
  return { server: [], caddy: [], gateway: [] };
}
