// Conversations on three replicas of a real model: the share of their prompts that a replica has read
// before, and the time of a turn, with and without the gateway's affinity.

import { join } from "node:path";
import { killGroup } from "./clean-up.ts";
import type { StartedServer } from "./gateway-server.ts";
import { createPromptSource, type Message } from "./prompts.ts";
import { createRandom } from "./random.ts";
import type { Figure } from "./report.ts";
import {
  createHome,
  type RunningServer,
  type ServerSettings,
  startOursAt,
} from "./server-process.ts";
import { firstNews, startNode } from "./started-process.ts";

const replicas = 3;
const chats = 10;
const turns = 4;
/** Turns that are asked at the same time. */
const atOnce = 3;
/** Words of the first question and of later ones; the model's tokenizer makes about three tokens of each. */
const firstWords = 100;
const laterWords = 8;
const answerTokens = 32;

/** Turn after the first one of its chat, which no replica has read. */
interface Turn {
  /** The replica of the chat's last turn answered. */
  isSameReplica: boolean;
  promptTokens: number;
  cachedTokens: number;
  seconds: number;
}

/** Choice of a turn's replica: by its conversation, or the least busy one. */
type Choice = "by conversation" | "least busy";

/** Asks the same replicas in both ways, in turn. @param settings of each replica */
export async function measureAffinity(
  settings: ServerSettings,
  rounds: number,
  progress: (line: string) => void,
): Promise<Figure[]> {
  const servers: RunningServer[] = [];
  const folder = join(settings.temporaryFolder, "affinity");
  const found: Record<Choice, Turn[][]> = { "by conversation": [], "least busy": [] };
  try {
    for (let count = 0; count < replicas; count += 1) {
      const home = await createHome(settings.temporaryFolder, settings.usesPrebuilt);
      servers.push(await startOursAt(home)(settings));
    }
    const endpoints = servers.map(({ port }) => `http://127.0.0.1:${port}`);
    const child = startNode("gateway-server.ts", [folder, ...endpoints]);
    try {
      const gateway = (await firstNews(child)) as StartedServer;
      for (let round = 1; round <= rounds; round += 1) {
        progress(`affinity: ${chats} chats on ${replicas} replicas, round ${round} of ${rounds}`);
        const choices: Choice[] = ["by conversation", "least busy"];
        if (round % 2 === 0) choices.reverse();
        for (const choice of choices) {
          const seed = 2 * round + choices.indexOf(choice);
          found[choice].push(await talk({ gateway, model: settings.modelPath, choice, seed }));
        }
      }
    } finally {
      if (child.pid !== undefined) killGroup(child.pid, "SIGKILL");
    }
  } finally {
    await Promise.all(servers.map(async (server) => await server.stop()));
  }
  return figuresOf(found);
}

interface Talk {
  gateway: StartedServer;
  model: string;
  choice: Choice;
  /** Another one gives other chats. */
  seed: number;
}

/** Lets all chats have each turn in random order. @returns the turns after the first */
async function talk({ seed, ...talk }: Talk): Promise<Turn[]> {
  const prompts = createPromptSource(seed);
  const random = createRandom(seed);
  const all = Array.from({ length: chats }, () => ({
    messages: prompts.chat(firstWords),
    replica: "",
  }));
  const found: Turn[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const waiting = all
      .map((chat) => ({ chat, place: random() }))
      .sort((one, other) => one.place - other.place);
    const asking = Array.from({ length: atOnce }, async () => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        const { chat } = next;
        const { text, replica, ...measured } = await ask(talk, chat.messages);
        if (turn > 0) found.push({ ...measured, isSameReplica: replica === chat.replica });
        chat.messages.push({ role: "assistant", content: text }, ...prompts.chat(laterWords));
        chat.replica = replica;
      }
    });
    await Promise.all(asking);
  }
  return found;
}

interface Answer extends Omit<Turn, "isSameReplica"> {
  text: string;
  replica: string;
}

interface Completion {
  choices: { message: { content: string } }[];
  usage: { prompt_tokens: number; prompt_tokens_details: { cached_tokens: number } };
}

async function ask(
  { gateway, model, choice }: Omit<Talk, "seed">,
  messages: readonly Message[],
): Promise<Answer> {
  const fixed = { temperature: 0, max_tokens: answerTokens, ignore_eos: true };
  const body = JSON.stringify({ model, messages, ...fixed });
  const startedMs = performance.now();
  const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Key ${gateway.token}`, "content-type": "application/json" },
    // The gateway recognises no conversation in a body that is sent in chunks.
    ...(choice === "by conversation"
      ? { body }
      : { body: new Blob([body]).stream(), duplex: "half" as const }),
  });
  if (!reply.ok) throw new Error(`a chat failed: ${reply.status} ${await reply.text()}`);
  const { choices, usage } = (await reply.json()) as Completion;
  return {
    text: choices[0]?.message.content ?? "",
    replica: reply.headers.get("x-dctl-replica") ?? "",
    promptTokens: usage.prompt_tokens,
    cachedTokens: usage.prompt_tokens_details.cached_tokens,
    seconds: (performance.now() - startedMs) / 1000,
  };
}

function figuresOf(found: Record<Choice, Turn[][]>): Figure[] {
  const seconds = (rounds: readonly Turn[][]) =>
    rounds.map((all) => sumOf(all, (turn) => turn.seconds) / all.length);
  const bySeconds = {
    ours: seconds(found["by conversation"]),
    other: seconds(found["least busy"]),
  };
  return [
    ...(Object.keys(found) as Choice[]).flatMap((choice): Figure[] => [
      {
        label: `${choice}: turns on the replica of the last turn`,
        unit: "%",
        samples: found[choice].map((all) => share(all, ({ isSameReplica }) => +isSameReplica)),
      },
      {
        label: `${choice}: prompt tokens from a cache`,
        unit: "%",
        samples: found[choice].map((all) =>
          share(
            all,
            ({ cachedTokens }) => cachedTokens,
            ({ promptTokens }) => promptTokens,
          ),
        ),
        ...(choice === "by conversation" && { target: { bound: "at least", value: 85 } }),
      },
      { label: `${choice}: time of a turn`, unit: "s", samples: seconds(found[choice]) },
    ]),
    {
      label: "time of a turn, by conversation / least busy",
      unit: "x",
      samples: bySeconds.ours.map((value, round) => value / (bySeconds.other[round] ?? Number.NaN)),
      target: { bound: "below", value: 0.7 },
    },
  ];
}

/** Returns a sum over the turns as a percentage of another, by default of their number. */
function share(
  turns: readonly Turn[],
  part: (turn: Turn) => number,
  whole: (turn: Turn) => number = () => 1,
): number {
  return (100 * sumOf(turns, part)) / sumOf(turns, whole);
}

function sumOf(turns: readonly Turn[], value: (turn: Turn) => number): number {
  return turns.reduce((sum, turn) => sum + value(turn), 0);
}
