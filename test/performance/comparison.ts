// Comparison of two servers in the same rounds, in alternating order.

import { loadavg } from "node:os";
import type { ChatResult } from "./load-generator.ts";
import { startLoadMeter } from "./machine-load.ts";
import {
  type Measure,
  type MetricKey,
  type Reading,
  type SuiteName,
  suites,
  warmUp,
} from "./measurements.ts";
import { createPromptSource, type PromptSource, repeatedPairShare } from "./prompts.ts";
import type { Samples } from "./report.ts";
import type { RunningServer, ServerSettings, StartServer } from "./server-process.ts";

type Side = "ours" | "peer";

/** Processor use by other programs, in cores, up to which the machine counts as idle. */
const calmCores = 0.1;
const attemptsMaximum = 3;

export interface Comparison {
  samples: Map<MetricKey, Samples>;
  /** Command lines of both servers, in the last round. */
  commandLines: Record<Side, string>;
  /** Notes on each suite's chats: the same on both sides, or the differences. */
  notes: Map<SuiteName, string>;
  /** Load average at the start of each round, which includes the earlier rounds. */
  loadAverages: number[];
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
  };
  for (let round = 0; round < options.rounds; round++) {
    const order: readonly Side[] = round % 2 === 0 ? ["ours", "peer"] : ["peer", "ours"];
    const load = loadavg()[0] ?? 0;
    comparison.loadAverages.push(load);
    options.progress(
      `threads ${options.settings.threads}, round ${round + 1} of ${options.rounds}, ` +
        `${order.join(" then ")}, load average ${load.toFixed(2)}`,
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
      const { startMs: value, foreignCores } = server;
      addSample(comparison.samples, { key: "start", side, value, foreignCores });
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

interface Player {
  side: Side;
  server: RunningServer;
  prompts: PromptSource;
}

/** Returns the note on a suite's chats. */
async function playSuite(
  name: SuiteName,
  servers: ReadonlyMap<Side, RunningServer>,
  seed: number,
  samples: Map<MetricKey, Samples>,
): Promise<string> {
  const players: Player[] = [...servers].map(([side, server]) => {
    return { side, server, prompts: createPromptSource(seed) };
  });
  const chats: Record<Side, ChatResult[]> = { ours: [], peer: [] };
  for (const measure of suites[name]) {
    const step = await playCalmStep(measure, players);
    for (const [side, reading] of step.readings) {
      chats[side].push(...reading.chats);
      for (const [key, value] of Object.entries(reading.values)) {
        addSample(samples, { key: key as MetricKey, side, value, foreignCores: step.foreignCores });
      }
    }
    players.reverse();
  }
  return compareChats(name, chats.ours, chats.peer);
}

interface Step {
  readings: Map<Side, Reading>;
  /** Cores that other programs used meanwhile. */
  foreignCores: number;
}

/**
 * Repeats a step that other programs disturbed; the least disturbed attempt counts, by processor
 * use and not by its figures.
 */
async function playCalmStep(measure: Measure, players: readonly Player[]): Promise<Step> {
  let best: Step | undefined;
  for (let attempt = 0; attempt < attemptsMaximum; attempt++) {
    const readings = new Map<Side, Reading>();
    const readLoad = startLoadMeter(players.map(({ server }) => server.processGroup));
    for (const { side, server, prompts } of players) {
      readings.set(side, await measure(server.client, prompts));
    }
    const foreignCores = readLoad();
    if (!best || foreignCores < best.foreignCores) best = { readings, foreignCores };
    if (best.foreignCores <= calmCores) break;
  }
  if (!best) throw new Error("no attempt was made");
  return best;
}

/** Ends the run if the work was unequal, which would make every ratio meaningless. */
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

interface Sample {
  key: MetricKey;
  side: Side;
  value: number;
  foreignCores: number;
}

function addSample(samples: Map<MetricKey, Samples>, sample: Sample): void {
  const { key, side, value, foreignCores } = sample;
  const found = samples.get(key) ?? { ours: [], peer: [], foreignCores: [] };
  found[side].push(value);
  // It is the same for both servers of a pair.
  if (side === "ours") found.foreignCores.push(foreignCores);
  samples.set(key, found);
}

/** Differs between suites, rounds and thread counts, so that none share a prompt. */
function seedOf(threads: number, round: number, suite: number): number {
  return threads * 1_000_003 + round * 1009 + suite;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
