// Model files and projectors with damaged headers, read by `show` and by loads.
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { planLoad } from "../../../source/engine/scheduler/load-plan.ts";
import { describeModel } from "../../../source/server/description/describe-model.ts";
import { readGguf } from "../../../source/store/gguf/read-gguf.ts";
import { readVocabulary } from "../../../source/store/gguf/vocabulary.ts";
import { GgufCache } from "../../../source/store/library/gguf-cache.ts";
import { resolveFile } from "../../../source/store/library/resolve-file.ts";
import { repositoryFolder } from "../../support/command-line.ts";
import { tinyEngine } from "../../support/load-tiny.ts";
import type { Dice } from "../dice.ts";
import { mutateBytes } from "../mutate-bytes.ts";
import { orRefusal } from "../refusal.ts";
import type { Target } from "../target.ts";

const originals = ["tiny-vision.gguf", "mmproj-tiny-vision.gguf"];
const free = { memoryBytes: 2 ** 33, cardBytes: undefined };

export const models: Target = {
  name: "models",
  rounds: 2000,
  async begin() {
    const folder = mkdtempSync(path.join(tmpdir(), "modelctl-fuzz-"));
    const files = await Promise.all(originals.map((name) => readHead(name, folder)));
    const [{ file: model }] = files as [ModelHead, ModelHead];
    return {
      async round({ dice, trying }) {
        const { name, head, fileSize, file } = dice.pick(files);
        trying(`${name} with the header ${changeHeader(dice, head, fileSize, file)}`);
        try {
          await orRefusal(() => look(model));
        } finally {
          writeHead(file, head, fileSize);
        }
      },
      async close() {
        rmSync(folder, { recursive: true });
      },
    };
  },
};

interface ModelHead {
  name: string;
  file: string;
  head: Buffer;
  fileSize: number;
}

/** Writes a damaged copy to the folder, with its weights as a sparse hole. */
async function readHead(name: string, folder: string): Promise<ModelHead> {
  const original = path.join(repositoryFolder, "media", "models", name);
  const { dataOffset, fileSize } = await readGguf(original);
  const head = (await readFile(original)).subarray(0, dataOffset);
  const file = path.join(folder, name);
  writeHead(file, head, fileSize);
  return { name, file, head, fileSize };
}

function writeHead(file: string, head: Buffer, fileSize: number): void {
  writeFileSync(file, head);
  truncateSync(file, fileSize);
}

/** @returns a description of the change */
function changeHeader(dice: Dice, head: Buffer, fileSize: number, file: string): string {
  const changed = mutateBytes(dice, head);
  writeHead(file, changed, dice.chance(0.9) ? fileSize : dice.below(fileSize));
  return differences(head, changed);
}

function differences(before: Buffer, after: Buffer): string {
  const first = before.findIndex((byte, at) => byte !== after[at]);
  const at = first < 0 ? before.length : first;
  return `changed from byte ${at}: ${after.subarray(at, at + 24).toString("hex")}…, ${after.length} bytes`;
}

async function look(file: string): Promise<void> {
  await readVocabulary(file);
  const model = await resolveFile(file, new GgufCache());
  await describeModel(model, { verbose: true, templateTimeoutMs: 1000 });
  planLoad(model, {}, tinyEngine, free);
}
