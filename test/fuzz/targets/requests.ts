// Requests to every route with all fields, and a hostile value in one of them.
import { curlOf, makeRequest, operationsIn } from "../api-requests.ts";
import { ServerUnderAttack } from "../server-under-attack.ts";
import type { Target } from "../target.ts";

/** Requests sent at once in each round, so that they meet in the engine. */
const atOnce = 12;

export const requests: Target = {
  name: "requests",
  rounds: 500,
  async begin() {
    const server = await ServerUnderAttack.start();
    const operations = operationsIn(await server.send("GET", "/openapi.json"));
    return {
      async round({ dice, trying }) {
        const sent = dice.times(atOnce, () => makeRequest(dice, dice.pick(operations)));
        for (const each of sent) trying(curlOf(server.url, each));
        const work = sent.map(async (each) => {
          try {
            await server.send(each.method, each.target, each.body);
          } catch (error) {
            throw new Error(`${error}\n  by: ${curlOf(server.url, each)}`);
          }
        });
        await Promise.all(work);
        await server.checkIsWell();
      },
      size: async () => server.size(),
      close: async () => await server.close(),
    };
  },
};
