// Runs both servers through the same rounds, taking turns at going first.

import { cpus, loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { ChatResult } from "./load-generator.ts";
import { type MetricKey, type SuiteName, suites, warmUp } from "./measurements.ts";
import { createPromptSource, repeatedPairShare } from "./prompts.ts";
import type { Samples } from "./report.ts";
import type { RunningServer, ServerSettings, StartServer } from "./server-process.ts";

type Side = "ours" | "peer";

export interface Comparison {
  samples: Map<MetricKey, Samples>;
  /** How both sides were started, in the last round. */
  commandLines: Record<Side, string>;
  /** What the chats of each suite had in common, or had not. */
  notes: Map<SuiteName, string>;
  /** At the start of each round; the earlier rounds are part of it. */
  loadAverages: number[];
  /** Cores that other programs kept busy in the second before each round. */
  foreignCores: number[];
}

export interface ComparisonOptions {
  settings: ServerSettings;
  starters: Record<Side, StartServer>;
  suiteNames: readonly SuiteName[];
  rounds: number;
  progress: (line: string) => void;
}

export async function compare(options: ComparisonOptions): Promise<Comparison> {
  const comparison: Comparison = {
    samples: new Map(),
    commandLines: { ours: "", peer: "" },
    notes: new Map(),
    loadAverages: [],
    foreignCores: [],
  };
  for (let round = 0; round < options.rounds; round++) {
    const order: readonly Side[] = round % 2 === 0 ? ["ours", "peer"] : ["peer", "ours"];
    const load = loadavg()[0] ?? 0;
    const foreign = await measureBusyCores();
    comparison.loadAverages.push(load);
    comparison.foreignCores.push(foreign);
    options.progress(
      `round ${round + 1} of ${options.rounds}, ${options.settings.threads} threads, ` +
        `${order.join(" then ")}; load average ${load.toFixed(2)}, ` +
        `other programs use ${foreign.toFixed(2)} of ${cpus().length} cores`,
    );
    await playRound(options, comparison, order, round);
  }
  return comparison;
}

async function playRound(
  options: ComparisonOptions,
  comparison: Comparison,
  order: readonly Side[],
  round: number,
): Promise<void> {
  const { settings, starters, suiteNames } = options;
  const servers = new Map<Side, RunningServer>();
  try {
    for (const side of order) {
      const server = await starters[side](settings);
      servers.set(side, server);
      comparison.commandLines[side] = server.commandLine;
      addSample(comparison.samples, "start", side, server.startMs);
      await warmUp(server.client, createPromptSource(seedOf(settings.threads, round, 0)));
    }
    for (const [index, name] of suiteNames.entries()) {
      const seed = seedOf(settings.threads, round, index + 1);
      comparison.notes.set(name, await playSuite(name, servers, seed, comparison.samples));
    }
  } finally {
    await Promise.all([...servers.values()].map((server) => server.stop()));
  }
}

/** Returns what is to be said about the chats. */
async function playSuite(
  name: SuiteName,
  servers: ReadonlyMap<Side, RunningServer>,
  seed: number,
  samples: Map<MetricKey, Samples>,
): Promise<string> {
  const players = [...servers].map(([side, { client }]) => ({
    side,
    client,
    prompts: createPromptSource(seed),
  }));
  const chats: Record<Side, ChatResult[]> = { ours: [], peer: [] };
  for (const measure of suites[name]) {
    for (const { side, client, prompts } of players) {
      const reading = await measure(client, prompts);
      chats[side].push(...reading.chats);
      for (const [key, value] of Object.entries(reading.values)) {
        addSample(samples, key as MetricKey, side, value);
      }
    }
    players.reverse();
  }
  return compareChats(name, chats.ours, chats.peer);
}

/** Unequal work would make every ratio meaningless, so it ends the run. */
function compareChats(
  name: SuiteName,
  ours: readonly ChatResult[],
  peer: readonly ChatResult[],
): string {
  const completion = (chats: readonly ChatResult[]): string =>
    chats.map((chat) => chat.completionTokens).join(" ");
  if (completion(ours) !== completion(peer)) {
    throw new Error(
      `${name}: the servers generated ${completion(ours)} and ${completion(peer)} tokens`,
    );
  }
  const [oursPrompt, peerPrompt] = [ours, peer].map((chats) =>
    sum(chats.map((chat) => chat.promptTokens)),
  );
  const cached = [ours, peer].map((chats) => {
    const counts = chats.map((chat) => chat.cachedTokens);
    return counts.includes(undefined) ? "unknown" : sum(counts.map((count) => count ?? 0));
  });
  const repeated = [ours, peer].map((chats) =>
    Math.round(100 * Math.max(0, ...chats.map((chat) => repeatedPairShare(chat.text)))),
  );
  const equality = oursPrompt === peerPrompt ? "" : " (UNEQUAL)";
  return (
    `${ours.length} chats, ${sum(ours.map((chat) => chat.completionTokens))} tokens generated; ` +
    `ours/peer: prompt tokens ${oursPrompt}/${peerPrompt}${equality}, ` +
    `of these cached ${cached.join("/")}, repeated word pairs at most ${repeated.join("/")} %`
  );
}

/** Called while no server runs. */
async function measureBusyCores(): Promise<number> {
  const read = () => cpus().map(({ times }) => times);
  const before = read();
  await sleep(1000);
  return sum(
    read().map((times, core) => {
      const start = before[core] ?? times;
      const idle = times.idle - start.idle;
      const busy = times.user + times.nice + times.sys - start.user - start.nice - start.sys;
      return busy / Math.max(1, busy + idle);
    }),
  );
}

function addSample(
  samples: Map<MetricKey, Samples>,
  key: MetricKey,
  side: Side,
  value: number,
): void {
  const found = samples.get(key) ?? { ours: [], peer: [] };
  found[side].push(value);
  samples.set(key, found);
}

/** No two suites, rounds or thread counts share a prompt. */
function seedOf(threads: number, round: number, suite: number): number {
  return threads * 1_000_003 + round * 1009 + suite;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
