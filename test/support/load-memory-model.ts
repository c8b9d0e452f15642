// Loads one of the small models that cannot forget, and compares its answers.
import { mkdtempSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import type {
  RunnerFacts,
  SamplingParameters,
  TokenLogprob,
} from "../../source/engine/generation.ts";
import type { LoadSettings } from "../../source/engine/runner/load-settings.ts";
import { RunnerProcess } from "../../source/engine/runner/runner-process.ts";
import { readGgufFacts } from "../../source/store/gguf/gguf-facts.ts";
import { type Answer, collect, greedy, tinySettings } from "./load-tiny.ts";
import { type MemoryModel, writeMemoryModel } from "./memory-models.ts";

export interface LoadedMemoryModel {
  facts: RunnerFacts;
  lines: string[];
  /** The notice for the user. */
  warnings: string[];
  ask(tokens: number[], changes?: AskChanges): Promise<Answer>;
  stop(): Promise<void>;
  /** Ends its process at once. */
  kill(): Promise<void>;
}

export interface AskChanges {
  maxTokens?: number;
  temperature?: number;
  logitBias?: SamplingParameters["logitBias"];
  grammar?: string;
  signal?: AbortSignal;
}

const files = new Map<MemoryModel, Promise<string>>();

/** Returns a model's file, which is written once for all tests of a worker. */
export async function memoryModelFile(kind: MemoryModel): Promise<string> {
  const file = files.get(kind) ?? write(kind);
  files.set(kind, file);
  return await file;
}

async function write(kind: MemoryModel): Promise<string> {
  // Removed with the home of all tests.
  const folder = mkdtempSync(path.join(homedir(), "memory-model-"));
  const file = path.join(folder, `${kind}.gguf`);
  await writeMemoryModel(file, kind);
  return file;
}

export async function loadMemoryModel(
  kind: MemoryModel,
  changes: Partial<LoadSettings> = {},
): Promise<LoadedMemoryModel> {
  const modelPath = await memoryModelFile(kind);
  const { architecture, layers, vocabularySize, slidingWindow } = await readGgufFacts(modelPath);
  const lines: string[] = [];
  const warnings: string[] = [];
  const { runner, facts } = await RunnerProcess.start(
    {
      ...(await tinySettings({ threads: 1 })),
      ...{ modelPath, architecture, layers, vocabularySize, slidingWindow },
      ...changes,
    },
    { log: (more) => lines.push(...more), warn: (text) => warnings.push(text) },
  );
  return {
    facts,
    lines,
    warnings,
    ask: async (tokens, { maxTokens = 8, temperature = 0, logitBias = [], grammar, signal } = {}) =>
      await collect(
        runner.generate(
          {
            prompt: { tokens },
            maxTokens,
            sampling: { ...greedy, temperature, topK: 20, topP: 1, seed: 7, logitBias },
            stop: [],
            ignoreEndOfText: true,
            topLogprobs: 8,
            grammar,
            visibleControlTexts: [],
          },
          signal ?? new AbortController().signal,
        ),
      ),
    stop: () => runner.stop(),
    kill: async () => {
      runner.kill();
      await runner.exited;
    },
  };
}

/**
 * Largest difference between the probabilities of two answers' tokens, up to the first token that
 * differs. The engine rounds, depending on how a prompt is split; a wrong state is far off.
 */
export function distance(one: Answer, other: Answer): number {
  const [a, b] = [logprobsOf(one), logprobsOf(other)];
  let largest = 0;
  for (const [index, token] of a.entries()) {
    const twin = b[index];
    if (twin === undefined) return Number.POSITIVE_INFINITY;
    for (const { bytes, logprob } of token.top.slice(0, 1)) {
      const same = twin.top.find((choice) => String(choice.bytes) === String(bytes));
      largest = Math.max(largest, Math.abs(logprob - (same?.logprob ?? Number.NEGATIVE_INFINITY)));
    }
    if (String(token.bytes) !== String(twin.bytes)) break;
  }
  return largest;
}

function logprobsOf({ events }: Answer): TokenLogprob[] {
  return events.flatMap((event) => (event.type === "text" ? (event.logprobs ?? []) : []));
}
