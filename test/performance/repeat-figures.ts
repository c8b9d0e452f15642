// Prompts that share their beginning with an earlier one, compared with llama-server and with full evaluation.

import { type ChatResult, type Client, timeToFirstToken } from "./load-generator.ts";
import { createPromptSource, type Message, type PromptSource } from "./prompts.ts";
import type { Figure } from "./report.ts";
import {
  createHome,
  type ServerSettings,
  type StartServer,
  startOurs,
  startOursAt,
} from "./server-process.ts";

const slots = 4;
const fewTokens = 4;

interface RepeatRun {
  settings: Omit<ServerSettings, "slots" | "context">;
  startPeer: StartServer;
  /** The model's name, for the labels. */
  kind: string;
  rounds: number;
  progress: (line: string) => void;
}

export async function measureRepeats(run: RepeatRun): Promise<Figure[]> {
  return [...(await measureBesideEachOther(run)), await measureRestart(run)];
}

/** Loads both servers and alternates their order. */
async function measureBesideEachOther({
  settings: common,
  startPeer,
  kind,
  rounds,
  progress,
}: RepeatRun): Promise<Figure[]> {
  const settings = { ...common, slots, context: 2048 };
  const ours = await startOurs(settings);
  const peer = await startPeer(settings);
  const endings: Record<Side, Ending[]> = { ours: [], peer: [] };
  const conversations: Record<Side, number[]> = { ours: [], peer: [] };
  try {
    for (const { client } of [ours, peer]) await client.chat(createPromptSource(0).chat(16), 8);
    for (let round = 1; round <= rounds; round++) {
      progress(`${kind}, other endings and ten conversations, round ${round} of ${rounds}`);
      const sides = [["ours", ours.client] as const, ["peer", peer.client] as const];
      if (round % 2 === 0) sides.reverse();
      for (const [side, client] of sides) {
        endings[side].push(await askWithOtherEnding(client, createPromptSource(round)));
      }
      for (const [side, client] of sides) {
        conversations[side].push(await talkInTurn(client, createPromptSource(1000 + round)));
      }
    }
  } finally {
    await Promise.all([ours.stop(), peer.stop()]);
  }
  const endingMs = { ours: endings.ours.map(endingOf), peer: endings.peer.map(endingOf) };
  const coldMs = endings.ours.map((ending) => ending.coldMs);
  return [
    { label: `${kind}: other ending of 1,200 tokens`, unit: "ms", samples: endingMs.ours },
    against(`${kind}: other ending, ours / peer`, endingMs.ours, endingMs.peer, 1.5),
    against(`${kind}: other ending, ours / cold`, endingMs.ours, coldMs, 0.1),
    {
      label: `${kind}: next turns of 10 chats on 4 slots`,
      unit: "ms",
      samples: conversations.ours,
    },
    against(`${kind}: 10 chats, ours / peer`, conversations.ours, conversations.peer, 1.2),
  ];
}

type Side = "ours" | "peer";

interface Ending {
  coldMs: number;
  otherMs: number;
}

function endingOf({ otherMs }: Ending): number {
  return otherMs;
}

/** Returns a prompt with its last words changed, like an edited question. */
async function askWithOtherEnding(client: Client, prompts: PromptSource): Promise<Ending> {
  const beginning = prompts.text(1190);
  const ask = async () =>
    await client.chat([{ role: "user", content: `${beginning} ${prompts.text(10)}` }], fewTokens);
  const cold = await ask();
  const other = await ask();
  return { coldMs: timeToFirstToken(cold), otherMs: timeToFirstToken(other) };
}

/** @returns the mean time to first token in the second and third turns of ten conversations */
async function talkInTurn(client: Client, prompts: PromptSource): Promise<number> {
  const chats = Array.from({ length: 10 }, () => prompts.chat(250));
  const later: ChatResult[] = [];
  for (let turn = 0; turn < 3; turn++) {
    for (const messages of chats) {
      const reply = await client.chat(messages, 8);
      if (turn > 0) later.push(reply);
      messages.push({ role: "assistant", content: reply.text }, ...prompts.chat(20));
    }
  }
  return later.reduce((sum, chat) => sum + timeToFirstToken(chat), 0) / later.length;
}

/** Measures the cost of a system prompt after a restart of the server that had evaluated it. */
async function measureRestart({
  settings: common,
  kind,
  rounds,
  progress,
}: RepeatRun): Promise<Figure> {
  const settings = { ...common, slots, context: 8192 };
  const cold: number[] = [];
  const again: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    progress(`${kind}, 4,000 tokens after a restart, round ${round} of ${rounds}`);
    const home = await createHome(common.temporaryFolder, common.usesPrebuilt);
    const prompts = createPromptSource(2000 + round);
    const system: Message = { role: "system", content: prompts.text(4000) };
    for (const times of [cold, again]) {
      const server = await startOursAt(home)(settings);
      try {
        await server.client.chat(prompts.chat(16), 8);
        const chat = await server.client.chat([system, ...prompts.chat(20)], fewTokens);
        times.push(timeToFirstToken(chat));
      } finally {
        await server.stop();
      }
    }
  }
  return against(`${kind}: 4,000 tokens after a restart, ours / cold`, again, cold, 0.2);
}

/** @param most target for the median of the pairs' ratios */
function against(
  label: string,
  ours: readonly number[],
  theirs: readonly number[],
  most: number,
): Figure {
  const samples = ours.map((value, index) => value / (theirs[index] ?? Number.NaN));
  return { label, unit: "x", samples, target: { bound: "below", value: most } };
}
