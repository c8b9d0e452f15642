// Every route with every field, and a hostile value in some place.
import { curlOf, makeRequest, operationsIn } from "../api-requests.ts";
import { ServerUnderAttack } from "../server-under-attack.ts";
import type { Target } from "../target.ts";

/** Sent at once by each round: requests meet in the engine, and some wait for a sample of the processor. */
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
