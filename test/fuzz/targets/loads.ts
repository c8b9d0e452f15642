// Loads of damaged models and projectors: only the runner may reject them or crash.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isRecord } from "../../../source/base/json.ts";
import { readGguf } from "../../../source/store/gguf/read-gguf.ts";
import { repositoryFolder } from "../../support/command-line.ts";
import { mutateBytes } from "../mutate-bytes.ts";
import { isDocumented } from "../refusal.ts";
import { ServerUnderAttack } from "../server-under-attack.ts";
import type { Target } from "../target.ts";

const originals = ["tiny-vision.gguf", "mmproj-tiny-vision.gguf"];
const picture = path.join(repositoryFolder, "test", "fixtures", "images", "red.png");

export const loads: Target = {
  name: "loads",
  rounds: 20,
  async begin() {
    const server = await ServerUnderAttack.start();
    const files = await Promise.all(originals.map(readParts));
    const images = [readFileSync(picture).toString("base64")];
    let count = 0;
    return {
      async round({ dice, trying }) {
        count += 1;
        const folder = path.join(server.folder, "files", String(count));
        mkdirSync(folder);
        const damaged = dice.pick(files);
        for (const { name, head, weights } of files) {
          const changed = name === damaged.name ? mutateBytes(dice, head) : head;
          writeFileSync(path.join(folder, name), Buffer.concat([changed, weights]));
        }
        const model = path.join(folder, originals[0] ?? "");
        const ask = async (route: string, body: object) => {
          trying(`${route} of ${model}, in whose folder ${damaged.name} is damaged`);
          await refusedOrAnswered(server, route, { model, ...body });
        };
        const options = { num_predict: 2 };
        const common = { stream: false, keep_alive: 0, options };
        await ask("/api/generate", { prompt: "Hi", images, ...common });
        await ask("/api/embed", { input: "Hi", keep_alive: 0 });
        await ask("/api/show", {});
        await server.checkIsWell();
      },
      size: async () => server.size(),
      close: async () => await server.close(),
    };
  },
};

async function readParts(name: string) {
  const file = path.join(repositoryFolder, "media", "models", name);
  const { dataOffset } = await readGguf(file);
  const bytes = readFileSync(file);
  return { name, head: bytes.subarray(0, dataOffset), weights: bytes.subarray(dataOffset) };
}

/** A file may crash the runner that loads it; the server must report that as an error. */
async function refusedOrAnswered(
  server: ServerUnderAttack,
  route: string,
  body: object,
): Promise<void> {
  const reply = await fetch(server.url + route, { method: "POST", body: JSON.stringify(body) });
  const text = await reply.text();
  if (reply.ok) return;
  const parsed: unknown = JSON.parse(text);
  if (isRecord(parsed) && isDocumented(parsed.code)) return;
  throw new Error(`${route} replied ${reply.status}: ${text}`);
}
