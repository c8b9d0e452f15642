// Full screen with an answer of 100 tokens a second, in a separate process. Writes its cost to the file
// SCREEN_FIGURES after SCREEN_SECONDS of the answer.

import { rename, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiClient } from "../../source/client/api-client.ts";
import type { ChatEvent } from "../../source/client/chat-events.ts";
import { runApp } from "../../source/ui/app/run-app.tsx";

const tokensPerSecond = 100;
/** Code is compiled in the first second. */
const warmUpMs = 1000;
const sentence =
  "The scheduler keeps a queue for each model and gives a free slot to the request that shares the longest beginning. ";
const code =
  "```ts\nqueue.remove(request.id);\nbus.emit('request-cancelled', request.id);\n```\n\n";

export interface ScreenCosts {
  frameMs: number[];
  /** Share of one core that the main thread uses, 0..1. */
  processorShare: number;
}

const { SCREEN_FIGURES: file = "", SCREEN_SECONDS = "5", SCREEN_MESSAGES = "10" } = process.env;
const { SCREEN_SERVER: url = "" } = process.env;
const client = new ApiClient({ url });
let frames: number[] | undefined;

const messages = Array.from({ length: Number(SCREEN_MESSAGES) }, (_, index) =>
  index % 2 === 0
    ? { role: "user" as const, content: `Question ${index}: ${sentence}` }
    : { role: "assistant" as const, content: `${sentence.repeat(3)}\n\n- one\n- two\n\n${code}` },
);

const backend = {
  facts: { name: "tiny", contextLength: 8192, card: undefined },
  serverLabel: () => "● measured",
  async *chat(_messages: unknown, _settings: unknown, signal: AbortSignal) {
    let before = process.threadCpuUsage();
    const startedAtMs = performance.now();
    const measuredMs = Number(SCREEN_SECONDS) * 1000;
    const endAtMs = startedAtMs + warmUpMs + measuredMs;
    await writeFile(`${file}.begun`, "");
    for (let count = 0; performance.now() < endAtMs; count += 1) {
      if (frames === undefined && performance.now() > startedAtMs + warmUpMs) {
        frames = [];
        before = process.threadCpuUsage();
      }
      const event: ChatEvent = { type: "text", text: tokenOf(count) };
      yield event;
      const nextAtMs = startedAtMs + ((count + 1) * 1000) / tokensPerSecond;
      const restMs = nextAtMs - performance.now();
      if (restMs > 1) await sleep(restMs, undefined, { signal });
    }
    const { user, system } = process.threadCpuUsage(before);
    const processorShare = (user + system) / 1000 / measuredMs;
    const costs: ScreenCosts = { frameMs: frames ?? [], processorShare };
    await writeFile(`${file}.part`, JSON.stringify(costs));
    // Readers wait for this name, so they read a complete file.
    await rename(`${file}.part`, file);
    await sleep(60_000, undefined, { signal });
  },
};

/** Returns prose, with an occasional list or code block. */
function tokenOf(count: number): string {
  if (count % 150 === 149) return `\n\n${code}`;
  const words = sentence.split(/(?<= )/);
  return words[count % words.length] ?? "";
}

await runApp({
  // Unused here: models can also be changed, shown and saved.
  chat: { backend: backend as never, messages: Promise.resolve(messages) },
  server: { client: () => client, readFilter: () => () => true },
  onFrame: (milliseconds) => frames?.push(milliseconds),
});
process.exit(0);
