// Long conversations on every route for answers, whose clients leave at any moment. A fault of one of them
// would end the server for all.
import { setTimeout as wait } from "node:timers/promises";
import type { Dice } from "../dice.ts";
import { checkReply, ServerUnderAttack } from "../server-under-attack.ts";
import type { Target } from "../target.ts";

/** Requests of a round that run at the same time. */
const atOnce = 4;
const latestMs = 400;

export const disconnects: Target = {
  name: "disconnects",
  rounds: 100,
  async begin() {
    const server = await ServerUnderAttack.start();
    return {
      async round({ dice, trying }) {
        const requests = dice.times(atOnce, () => ({
          ...requestOf(dice),
          leavesAfterMs: dice.below(latestMs),
        }));
        for (const { route, body, leavesAfterMs } of requests) {
          const size = `${JSON.stringify(body).length} bytes`;
          trying(`POST ${route} with ${size}, leaving after ${leavesAfterMs} ms`);
        }
        await Promise.all(
          requests.map(async ({ route, body, leavesAfterMs }) => {
            const leaving = new AbortController();
            const reply = fetch(server.url + route, {
              method: "POST",
              body: JSON.stringify(body),
              signal: leaving.signal,
            });
            const read = reply.then(async (answer) => {
              checkReply({ status: answer.status, text: await answer.text() });
            });
            const left = wait(leavesAfterMs).then(() => leaving.abort());
            await Promise.all([left, read.catch(unlessLeft(leaving.signal))]);
          }),
        );
        await server.checkIsWell();
      },
      size: async () => server.size(),
      close: async () => await server.close(),
    };
  },
};

/** @throws the error of a reply that was not left */
function unlessLeft(signal: AbortSignal): (error: unknown) => void {
  return (error) => {
    if (!signal.aborted) throw error;
  };
}

function requestOf(dice: Dice): { route: string; body: object } {
  const count = 1 + 2 * dice.below(dice.pick([3, 50, 1000]));
  const text = () => "word ".repeat(1 + dice.below(dice.pick([3, 40, 200])));
  const messages = dice.times(count, (index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: text(),
  }));
  const model = "tiny";
  const stream = dice.chance(0.5);
  const truncate = dice.chance(0.7);
  const max_tokens = 1 + dice.below(100);
  const prompt = text().repeat(dice.pick([1, 20]));
  return dice.pick<() => { route: string; body: object }>([
    () => ({ route: "/api/chat", body: { model, messages, stream, truncate, shift: truncate } }),
    () => ({
      route: "/v1/chat/completions",
      body: { model, messages, stream, truncate, max_tokens, n: 1 + dice.below(3) },
    }),
    () => ({
      route: "/v1/responses",
      body: { model, input: messages, stream, truncation: truncate ? "auto" : "disabled" },
    }),
    () => ({ route: "/v1/messages", body: { model, messages, stream, max_tokens } }),
    () => ({ route: "/v1/messages/count_tokens", body: { model, messages } }),
    () => ({ route: "/api/generate", body: { model, prompt, stream, raw: dice.chance(0.3) } }),
    () => ({ route: "/v1/completions", body: { model, prompt, stream, max_tokens } }),
    () => ({ route: "/api/apply-template", body: { model, messages, truncate } }),
    () => ({ route: "/api/tokenize", body: { model, text: prompt } }),
    () => ({ route: "/v1/embeddings", body: { model, input: dice.times(20, text) } }),
    () => ({ route: "/v1/rerank", body: { model, query: "word", documents: dice.times(9, text) } }),
  ])();
}
