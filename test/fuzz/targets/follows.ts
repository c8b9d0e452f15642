// Endless responses, followed with hostile filters and abandoned without closing. No listener or connection
// may be left.
import { hostileText } from "../hostile-values.ts";
import { checkReply, ServerUnderAttack } from "../server-under-attack.ts";
import type { Target } from "../target.ts";

const routes = ["/api/requests", "/api/metrics"];
const switches = ["true", "1", "false", "", "x"];
/** Responses followed at once in each round. */
const atOnce = 4;

export const follows: Target = {
  name: "follows",
  rounds: 200,
  async begin() {
    const server = await ServerUnderAttack.start();
    return {
      async round({ dice, trying }) {
        const value = () => encodeURIComponent(hostileText(dice).slice(0, 500).toWellFormed());
        const targets = dice.times(atOnce, () => {
          const query = dice.some(["filter", "limit"]).map((name) => `${name}=${value()}`);
          const isFollowed = dice.chance(0.8) ? "true" : dice.pick(switches);
          return `${dice.pick(routes)}?${[`follow=${isFollowed}`, ...query].join("&")}`;
        });
        for (const target of targets) trying(`curl -N '${server.url}${target}'`);
        const leaving = new AbortController();
        try {
          const replies = await Promise.all(
            targets.map((target) => fetch(server.url + target, { signal: leaving.signal })),
          );
          // Reads only the beginning of a stream; a refusal ends by itself.
          for (const reply of replies.filter(({ ok }) => !ok)) {
            checkReply({ status: reply.status, text: await reply.text() });
          }
          await server.checkIsWell();
        } finally {
          leaving.abort();
        }
        await server.checkIsWell();
      },
      size: async () => server.size(),
      close: async () => await server.close(),
    };
  },
};
