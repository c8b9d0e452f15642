// Measurements: their methods, and the target ratios to the peer.

import { type ChatResult, type Client, decodeRate, timeToFirstToken } from "./load-generator.ts";
import type { Message, PromptSource } from "./prompts.ts";

export interface Target {
  /** Minimum (or maximum) of the ratio. */
  bound: "at least" | "at most";
  ratio: number;
}

export interface Metric {
  label: string;
  unit: "tok/s" | "ms";
  target?: Target;
}

const atLeast = (ratio: number): Target => ({ bound: "at least", ratio });
const atMost = (ratio: number): Target => ({ bound: "at most", ratio });

/** Rows, in the order of the report. */
export const metrics = {
  start: { label: "start to ready", unit: "ms", target: atMost(2) },
  decode: { label: "decode, 1 stream", unit: "tok/s", target: atLeast(0.95) },
  coldFirstToken: { label: "first token, cold, 400 tokens", unit: "ms", target: atMost(1.08) },
  followUpFirstToken: { label: "first token, next turn", unit: "ms", target: atMost(1.15) },
  aggregate1: { label: "all tokens, 1 stream", unit: "tok/s" },
  aggregate4: { label: "all tokens, 4 streams", unit: "tok/s", target: atLeast(0.95) },
  slowestOf4: { label: "slowest of 4 streams", unit: "tok/s", target: atLeast(0.9) },
  aggregate8: { label: "all tokens, 8 streams", unit: "tok/s", target: atLeast(0.95) },
  sharedFirstToken: {
    label: "first token, 4 new chats, known prefix",
    unit: "ms",
    target: atMost(0.3),
  },
} satisfies Record<string, Metric>;

export type MetricKey = keyof typeof metrics;

export interface Reading {
  values: Partial<Record<MetricKey, number>>;
  /** All timed chats, in the same order for both servers. */
  chats: readonly ChatResult[];
}

export type Measure = (client: Client, prompts: PromptSource) => Promise<Reading>;

const fewTokens = 4;

/**
 * By the name for `--only`. The servers take turns after each step, so that other load affects both;
 * a repeated step adds samples.
 */
export const suites = {
  decode: [measureDecode, measureDecode],
  ttft: [measureColdFirstToken, measureColdFirstToken, measureColdFirstToken],
  "follow-up": [measureFollowUp, measureFollowUp, measureFollowUp],
  streams: [measureOneStream, measureFourStreams, measureEightStreams],
  shared: [measureSharedPrefix, measureSharedPrefix],
} satisfies Record<string, readonly Measure[]>;

export type SuiteName = keyof typeof suites;

/** Warms up a new server. */
export async function warmUp(client: Client, prompts: PromptSource): Promise<void> {
  await client.chat(prompts.chat(16), 8);
}

async function measureDecode(client: Client, prompts: PromptSource): Promise<Reading> {
  const chat = await client.chat(prompts.chat(16), 128);
  return { values: { decode: decodeRate(chat) }, chats: [chat] };
}

async function measureColdFirstToken(client: Client, prompts: PromptSource): Promise<Reading> {
  const chat = await client.chat(prompts.chat(400), fewTokens);
  return { values: { coldFirstToken: timeToFirstToken(chat) }, chats: [chat] };
}

/** Prompt with about 180 cached tokens from the first turn and 30 new ones. */
async function measureFollowUp(client: Client, prompts: PromptSource): Promise<Reading> {
  const turns: Message[] = prompts.chat(110);
  const reply = await client.chat(turns, 60);
  turns.push({ role: "assistant", content: reply.text }, ...prompts.chat(14));
  const chat = await client.chat(turns, fewTokens);
  return { values: { followUpFirstToken: timeToFirstToken(chat) }, chats: [chat] };
}

async function measureOneStream(client: Client, prompts: PromptSource): Promise<Reading> {
  const chats = await chatInParallel(client, prompts, 1);
  return { values: { aggregate1: aggregateRate(chats) }, chats };
}

async function measureFourStreams(client: Client, prompts: PromptSource): Promise<Reading> {
  const chats = await chatInParallel(client, prompts, 4);
  const slowestOf4 = Math.min(...chats.map(decodeRate));
  return { values: { aggregate4: aggregateRate(chats), slowestOf4 }, chats };
}

export async function measureEightStreams(
  client: Pick<Client, "chat">,
  prompts: PromptSource,
): Promise<Reading> {
  const chats = await chatInParallel(client, prompts, 8);
  return { values: { aggregate8: aggregateRate(chats) }, chats };
}

function chatInParallel(
  client: Pick<Client, "chat">,
  prompts: PromptSource,
  streams: number,
): Promise<ChatResult[]> {
  return Promise.all(Array.from({ length: streams }, () => client.chat(prompts.chat(24), 96)));
}

/** Four concurrent chats with a system prompt of 300 tokens that an earlier chat had. */
async function measureSharedPrefix(client: Client, prompts: PromptSource): Promise<Reading> {
  const system: Message = { role: "system", content: prompts.text(300) };
  await client.chat([system, ...prompts.chat(20)], fewTokens);
  const chats = await Promise.all(
    Array.from({ length: 4 }, () => client.chat([system, ...prompts.chat(20)], 8)),
  );
  return { values: { sharedFirstToken: mean(chats.map(timeToFirstToken)) }, chats };
}

/** Measures the whole time that a user waits, including prompt processing. */
function aggregateRate(chats: readonly ChatResult[]): number {
  const tokens = chats.reduce((sum, chat) => sum + chat.completionTokens, 0);
  const sentAtMs = Math.min(...chats.map((chat) => chat.sentAtMs));
  const lastAtMs = Math.max(...chats.map((chat) => chat.lastAtMs));
  return (tokens * 1000) / (lastAtMs - sentAtMs);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
