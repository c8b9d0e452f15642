// Servers that are killed under load, again and again on one store: no process outlives them, and the next
// one finds everything whole.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { tinyFile } from "../../support/command-line.ts";
import type { Dice } from "../dice.ts";
import { ServerUnderAttack } from "../server-under-attack.ts";
import type { Target } from "../target.ts";

const tiny = readFileSync(tinyFile);

export const kills: Target = {
  name: "kills",
  rounds: 5,
  async begin() {
    let server = await ServerUnderAttack.start();
    let count = 0;
    return {
      async round({ dice, trying }) {
        const delayMs = dice.below(1500);
        trying(`kill -9 of the server in ${server.folder} after ${delayMs} ms of load`);
        count += 1;
        const load = Promise.allSettled(loadOf(dice, server, `made-${count}`));
        await wait(delayMs);
        await server.kill();
        await load;
        await server.checkNothingRuns();
        server = await ServerUnderAttack.start(server.folder);
        const { text } = await server.send("GET", "/api/tags");
        if (text.includes('"problems"')) throw new Error(`the store is damaged: ${text}`);
        const { status } = await server.send("POST", "/api/create", {
          model: "mine",
          from: "tiny",
        });
        if (status !== 200) throw new Error(`a model could not be made: ${status}`);
      },
      close: async () => await server.close(),
    };
  },
};

/** Answers, loads, uploads and models that are being made. */
function loadOf(dice: Dice, server: ServerUnderAttack, made: string): Promise<unknown>[] {
  // Other bytes behind the file make it another file.
  const bytes = Buffer.concat([tiny, dice.bytes(32)]);
  const digest = createHash("sha256").update(bytes).digest("hex");
  const upload = fetch(`${server.url}/api/blobs/sha256:${digest}`, { method: "POST", body: bytes });
  const chats = dice.times(4, () => {
    const options = { num_ctx: dice.pick([512, 1024]) };
    return server.send("POST", "/api/generate", { model: "tiny", prompt: "Count to 20.", options });
  });
  const create = server.send("POST", "/api/create", { model: made, from: "tiny", system: "S" });
  return [upload, create, ...chats];
}
