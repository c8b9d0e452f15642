// Flags of the benchmark.

import { parseArgs } from "node:util";
import { type SuiteName, suites } from "./measurements.ts";
import { architectures, type MemoryName } from "./synthetic-architectures.ts";
import { usualVocabulary } from "./synthetic-tokenizer.ts";

const vocabularyMaximum = 1_000_000;

export const helpText = `Compares modelctl with llama.cpp's own llama-server on this machine.

Usage: npm run bench -- [flags]

  --rounds N        rounds per thread count (3)
  --threads LIST    thread counts, such as 1,2 (1,2)
  --only LIST       of ${Object.keys(suites).join(", ")}, start, commands, library,
                    server, images, screen, gateway, repeats, memory, loop,
                    lookup, affinity (all)
  --kind KIND       of the model: dense, sliding (a sliding window) or hybrid (states without
                    parts); dense, and for repeats all of them
  --vocabulary N    tokens of the model's vocabulary, from ${usualVocabulary} to ${vocabularyMaximum} (${usualVocabulary})
  --json FILE       also write the figures to FILE
  --passive-peer    OMP_WAIT_POLICY=passive for llama-server, for a machine that others use too
  --prebuilt        the engine as it is shipped, not the one of modelctl engine build
  --noise-floor     llama-server on both sides: how far from 1 are ratios here by chance?
  --help            this text

commands, library, server and screen need no llama-server. commands times the start of the command
line, library a store of 1,000 models, creating and pulling (pulling against curl), server what ours
adds to its engine, and screen what the full screen costs while an answer comes. images shows pictures to both servers; the image reader of modelctl engine build
--extension is built once where it is missing. gateway compares deployctl's gateway with caddy, which is
taken from Debian's packages where it is not installed, and times cold starts. repeats times prompts
that begin as an earlier one did, and memory compares what both servers hold after a chat in each slot.
loop times small requests beside large ones, and lookup answers with and without guesses from the
conversation, on a real model that is downloaded once (491 MB); neither needs llama-server. affinity
times chats on three replicas of another real model (98 MB) behind deployctl's gateway, which sends a
chat's next turn to the replica of the last one, or to the least busy one; it needs no llama-server.
`;

/** Suites with their own figures, by the name for `--only`. */
const ownSuiteNames = [
  ...(["commands", "library", "server", "images", "screen", "gateway"] as const),
  ...(["repeats", "memory", "loop", "lookup", "affinity"] as const),
] as const;

export type OwnSuiteName = (typeof ownSuiteNames)[number];

export interface Options {
  rounds: number;
  threads: readonly number[];
  suiteNames: readonly SuiteName[];
  ownSuiteNames: readonly OwnSuiteName[];
  /** False when no requested suite needs the peer. */
  hasServers: boolean;
  /** Undefined if not given. */
  kind: MemoryName | undefined;
  /** Tokens. */
  vocabulary: number;
  jsonPath: string | undefined;
  isPeerPassive: boolean;
  isNoiseFloor: boolean;
  usesPrebuilt: boolean;
  isHelp: boolean;
}

const roundsMaximum = 99;
const threadsMaximum = 1024;

export function readOptions(values: string[]): Options {
  const { values: flags } = parseArgs({
    args: values,
    options: {
      rounds: { type: "string", default: "3" },
      threads: { type: "string", default: "1,2" },
      only: { type: "string" },
      kind: { type: "string" },
      vocabulary: { type: "string", default: String(usualVocabulary) },
      json: { type: "string" },
      "passive-peer": { type: "boolean", default: false },
      prebuilt: { type: "boolean", default: false },
      "noise-floor": { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const known = Object.keys(suites) as SuiteName[];
  const all = [...known, "start", ...ownSuiteNames];
  const wanted = flags.only === undefined ? all : flags.only.split(",");
  const unknown = wanted.find((name) => !all.includes(name));
  if (unknown !== undefined) throw new Error(`--only: ${unknown} is none of ${all.join(", ")}`);
  return {
    rounds: readCount("--rounds", flags.rounds, roundsMaximum),
    threads: flags.threads.split(",").map((n) => readCount("--threads", n, threadsMaximum)),
    suiteNames: known.filter((name) => wanted.includes(name)),
    ownSuiteNames: ownSuiteNames.filter((name) => wanted.includes(name)),
    hasServers: wanted.some((name) => !ownSuiteNames.some((own) => own === name)),
    kind: flags.kind === undefined ? undefined : readKind(flags.kind),
    vocabulary: readCount("--vocabulary", flags.vocabulary, vocabularyMaximum, usualVocabulary),
    jsonPath: flags.json,
    isPeerPassive: flags["passive-peer"],
    isNoiseFloor: flags["noise-floor"],
    usesPrebuilt: flags.prebuilt,
    isHelp: flags.help,
  };
}

function readKind(text: string): MemoryName {
  const kinds = Object.keys(architectures) as MemoryName[];
  const kind = kinds.find((name) => name === text);
  if (kind === undefined) throw new Error(`--kind: ${text} is none of ${kinds.join(", ")}`);
  return kind;
}

function readCount(flag: string, text: string, maximum: number, minimum = 1): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < minimum || count > maximum) {
    throw new Error(`${flag} takes whole numbers from ${minimum} to ${maximum}, not ${text}`);
  }
  return count;
}
