// Measures a model through a server's API, as its users would: first token, prompt and answer speed, memory.
import { randomBytes } from "node:crypto";
import type { ApiClient } from "../../client/api-client.ts";
import type { AnswerStatistics } from "../../client/chat-events.ts";
import { loadedModels } from "../../client/model-calls.ts";
import type { OpenAiEndpoint } from "../../client/openai-endpoint.ts";

/** A server to measure. */
export interface BenchServer {
  /** `modelctl`, or its address. */
  name: string;
  endpoint: OpenAiEndpoint;
  /** Speaks Ollama's API, which unloads models and tells their memory; llama-server has none. */
  client: ApiClient;
}

/** Figures so far; undefined ones were not measured, or the server does not offer them. */
export interface BenchFigures {
  model: string;
  server: string;
  /** First token of a model that was not loaded. */
  coldMs?: number;
  /** First token of a loaded one, to a short prompt: the median of three. */
  warmMs?: number;
  promptTokensPerSecond?: number;
  tokensPerSecond?: number;
  /** Four answers at a time, all together. */
  fourTokensPerSecond?: number;
  memoryBytes?: number;
}

export interface BenchWork {
  signal: AbortSignal;
  /** Called before each step, with its name. */
  onStep: (step: string) => void;
}

const warmRounds = 3;
const streams = 4;
const answerTokens = 64;
const promptWords = 140;
const counting = "Count from one to one hundred in words, separated by commas.";

/**
 * Yields the figures after each step, so that an interrupted run keeps them.
 *
 * @throws ServerRefusal, or ProductError of the client
 */
export async function* benchModel(
  server: BenchServer,
  model: string,
  work: BenchWork,
): AsyncGenerator<BenchFigures> {
  const { onStep, signal } = work;
  const ask = (prompt: string, tokens: number) => answer(server, model, prompt, tokens, signal);
  let figures: BenchFigures = { model, server: server.name };
  onStep("first token, cold");
  if (await isUnloaded(server, model)) {
    figures = { ...figures, coldMs: (await ask(fresh("Hello"), 1)).promptMs };
    yield figures;
  }
  onStep("first token, warm");
  const warm: number[] = [];
  // The first round may load the model.
  for (let round = 0; round <= warmRounds; round += 1) {
    warm.push((await ask(fresh("Hello"), 1)).promptMs);
  }
  figures = { ...figures, warmMs: median(warm.slice(1)) };
  yield figures;
  onStep("prompt");
  const read = await ask(fresh(longPrompt()), 1);
  const readTokens = read.promptTokens - (read.cachedTokens ?? 0);
  if (readTokens > 0) {
    const promptTokensPerSecond = perSecond(readTokens, read.promptMs);
    figures = { ...figures, promptTokensPerSecond };
    yield figures;
  }
  onStep("answer");
  const alone = speedOf(await ask(fresh(counting), answerTokens));
  if (alone !== undefined) figures = { ...figures, tokensPerSecond: alone };
  yield figures;
  onStep(`${streams} answers at a time`);
  const together = await Promise.all(
    Array.from({ length: streams }, () => ask(fresh(counting), answerTokens)),
  );
  const speeds = together.flatMap((each) => speedOf(each) ?? []);
  if (speeds.length === streams) {
    const fourTokensPerSecond = speeds.reduce((sum, speed) => sum + speed, 0);
    figures = { ...figures, fourTokensPerSecond };
    yield figures;
  }
  const memoryBytes = await memoryOf(server, model);
  if (memoryBytes !== undefined) yield { ...figures, memoryBytes };
}

/** Returns the model's name on another server: the same, or the only one that it has. */
export function nameOn(models: readonly string[], name: string): string | undefined {
  const plain = name.replace(/:latest$/, "");
  const same = models.find((other) => other.replace(/:latest$/, "") === plain);
  return same ?? (models.length === 1 ? models[0] : undefined);
}

async function answer(
  { endpoint }: BenchServer,
  model: string,
  prompt: string,
  tokens: number,
  signal: AbortSignal,
): Promise<AnswerStatistics> {
  const parameters = { temperature: 0, num_predict: tokens };
  const messages = [{ role: "user", content: prompt } as const];
  const events = endpoint.chat({ model, messages, parameters, think: false, signal });
  for await (const event of events) if (event.type === "done") return event.statistics;
  signal.throwIfAborted();
  throw new Error("the answer had no end");
}

/** Unloads the model. @returns false if the server cannot */
async function isUnloaded({ client }: BenchServer, model: string): Promise<boolean> {
  return await client.unload(model).then(
    () => true,
    () => false,
  );
}

async function memoryOf({ client }: BenchServer, model: string): Promise<number | undefined> {
  const loaded = await loadedModels(client).catch(() => []);
  const found = loaded.find(({ names }) => nameOn(names, model) !== undefined);
  return found?.size === 0 ? undefined : found?.size;
}

/** The first token comes with the prompt; the others take the time of the answer. */
function speedOf({ completionTokens, completionMs }: AnswerStatistics): number | undefined {
  if (completionTokens < 2 || completionMs <= 0) return undefined;
  return perSecond(completionTokens - 1, completionMs);
}

function perSecond(count: number, milliseconds: number): number {
  return (count / Math.max(1, milliseconds)) * 1000;
}

/** No cache has a prompt with this beginning. */
function fresh(prompt: string): string {
  return `${randomBytes(4).toString("hex")} ${prompt}`;
}

function longPrompt(): string {
  const words = Array.from({ length: promptWords }, (_, index) => `item ${index}`);
  return `How many items are these? ${words.join(", ")}`;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
