// Damaged images, and files with a false content type.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { readImage } from "../../../source/engine/images/read-image.ts";
import { repositoryFolder } from "../../support/command-line.ts";
import { mutateBytes } from "../mutate-bytes.ts";
import { orRefusal } from "../refusal.ts";
import type { Target } from "../target.ts";

const folder = path.join(repositoryFolder, "test", "fixtures", "images");
const types = ["image/png", "image/jpeg", "image/webp", "image/svg+xml", "text/html", ""];
/** Headers of formats that the fixtures lack. */
const beginnings = ["GIF89a", "RIFF\xff\xff\xff\xffWEBPVP8L", "II*\0", "\0\0\0\x20ftypavif", "BM"];

export const images: Target = {
  name: "images",
  rounds: 1000,
  async begin() {
    const originals = readdirSync(folder).map((name) => readFileSync(path.join(folder, name)));
    return {
      async round({ dice, trying }) {
        const bytes = mutateBytes(dice, dice.pick(originals));
        const base64 = (
          dice.chance(0.1)
            ? Buffer.concat([Buffer.from(dice.pick(beginnings), "latin1"), bytes])
            : bytes
        ).toString("base64");
        trying(`an image, base64 ${base64}`);
        const claimed = dice.chance(0.2) ? { mimeType: dice.pick(types) } : {};
        await orRefusal(() => readImage({ base64, ...claimed }));
      },
    };
  },
};
