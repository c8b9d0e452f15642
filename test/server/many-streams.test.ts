// Many clients at once, many of whom leave in the middle: the others get their own answer, and
// nothing is left behind.
import { afterAll, beforeAll, expect, test } from "vitest";
import { isProof, proofCases } from "../support/proof.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

const capitals = [
  ["France", "Paris"],
  ["Spain", "Madrid"],
  ["Italy", "Rome"],
  ["Norway", "Oslo"],
] as const;

/** Many times the number of slots. */
const clients = isProof ? 200 : 80;

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ num_parallel: 8 });
  await server.ask("Hello!");
});
afterAll(async () => {
  await server.close();
});

/** The answer, or undefined for a client that left after so many pieces. */
async function stream(
  country: string,
  leavesAfter: number | undefined,
): Promise<string | undefined> {
  const controller = new AbortController();
  const reply = await fetch(`${server.url}/v1/chat/completions`, {
    method: "POST",
    signal: controller.signal,
    body: JSON.stringify({
      model: "tiny",
      stream: true,
      messages: [{ role: "user", content: `What is the capital of ${country}?` }],
    }),
  });
  expect(reply.status).toBe(200);
  const decoder = new TextDecoder();
  let text = "";
  let pieces = 0;
  try {
    for await (const bytes of reply.body ?? []) {
      if (pieces === leavesAfter) {
        controller.abort();
        return undefined;
      }
      pieces += 1;
      text += decoder.decode(bytes, { stream: true });
    }
  } catch (error) {
    if (controller.signal.aborted) return undefined;
    throw error;
  }
  const chunks = text.split("\n\n").filter((line) => line.startsWith("data: {"));
  return chunks
    .map((line) => JSON.parse(line.slice("data: ".length)).choices[0]?.delta?.content ?? "")
    .join("");
}

/** @param seed fixes which clients leave, and when */
async function crowd(size: number, seed: number): Promise<void> {
  let state = seed;
  const random = (below: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  const answers = Array.from({ length: size }, (_, index) => {
    const [country, capital] = capitals[index % capitals.length] ?? capitals[0];
    const leavesAfter = random(3) === 0 ? random(4) : undefined;
    return stream(country, leavesAfter).then((answer) => ({ answer, country, capital }));
  });
  for (const { answer, country, capital } of await Promise.all(answers)) {
    if (answer !== undefined) expect(answer).toBe(`The capital of ${country} is ${capital}.`);
  }
  await until(
    async () => server.hosted.requestLog.running.length,
    (running) => running === 0,
  );
}

test("each gets its own answer, and slots, listeners and memory are released", async () => {
  await crowd(clients, 7);
  const before = { listeners: listeners(), heap: await heapAfterCollection() };
  for (const seed of proofCases([11], [13, 17])) await crowd(clients, seed);
  expect(listeners()).toBe(before.listeners);
  const growth = (await heapAfterCollection()) - before.heap;
  // Hundreds of records more are kept in the request log, of a kilobyte or two each.
  expect(growth).toBeLessThan(16 * 1024 ** 2);
  expect(await server.ask("What is 2 + 3?")).toBe("2 + 3 = 5");
  const [loaded] = await server.loaded();
  expect(loaded).toMatchObject({ state: "idle", requests: { running: 0, waiting: 0 } });
});

function listeners(): number {
  return process.eventNames().reduce<number>((sum, name) => sum + process.listenerCount(name), 0);
}

async function heapAfterCollection(): Promise<number> {
  const { setFlagsFromString } = await import("node:v8");
  const { runInNewContext } = await import("node:vm");
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") throw new Error("there is no way to collect garbage");
  collect();
  return process.memoryUsage().heapUsed;
}
