// Servers that are repeatedly killed under load, on one store: no process outlives them, and the store
// stays consistent.

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
    let starting = ServerUnderAttack.start();
    await starting;
    let count = 0;
    return {
      async round({ dice, trying }) {
        const killed = await starting;
        const delayMs = dice.below(1500);
        trying(`kill -9 of the server in ${killed.folder} after ${delayMs} ms of load`);
        count += 1;
        const load = Promise.allSettled(loadOf(dice, killed, `made-${count}`));
        await wait(delayMs);
        await killed.kill();
        await load;
        await killed.checkNothingRuns();
        trying(`the start of another server in ${killed.folder}`);
        starting = ServerUnderAttack.start(killed.folder);
        const server = await starting;
        trying(`its models in ${killed.folder}`);
        const { text } = await server.send("GET", "/api/tags");
        if (text.includes('"problems"')) throw new Error(`the store is damaged: ${text}`);
        const { status } = await server.send("POST", "/api/create", {
          model: "mine",
          from: "tiny",
        });
        if (status !== 200) throw new Error(`a model could not be made: ${status}`);
      },
      // Includes a server that took too long to start.
      close: async () => await (await starting).close(),
    };
  },
};

/** Starts completions, loads, uploads and model creations. */
function loadOf(dice: Dice, server: ServerUnderAttack, made: string): Promise<unknown>[] {
  // Appended bytes change the file's hash.
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
