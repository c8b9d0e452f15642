// Model files outside the store.
import { copyFileSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { findModelFiles, usualPlaces } from "../../../source/application/models/find-files.ts";
import { tinyFile } from "../../support/command-line.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { numberedTiny } from "../../support/tiny-variants.ts";

function homeWith(files: Record<string, Buffer>): string {
  const home = temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(home, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return home;
}

test("are found in the usual folders, each once, and only if they are models", async () => {
  const snapshot = ".cache/huggingface/hub/models--maker--tiny/snapshots/abc";
  const home = homeWith({
    "Downloads/one.gguf": numberedTiny(1),
    "Downloads/broken.gguf": Buffer.from("GGUF?"),
    "Downloads/mmproj-one.gguf": numberedTiny(2),
    "Downloads/split-00002-of-00002.gguf": numberedTiny(3),
    "models/mine/deep/two.gguf": numberedTiny(4),
    ".cache/llama.cpp/three.gguf": numberedTiny(5),
    ".cache/huggingface/hub/models--maker--tiny/blobs/aa": numberedTiny(6),
    "elsewhere/four.gguf": numberedTiny(7),
    [`${snapshot}/config.json`]: Buffer.from("{}"),
  });
  symlinkSync("../../blobs/aa", path.join(home, snapshot, "tiny.gguf"));
  linkSync(path.join(home, "Downloads/one.gguf"), path.join(home, "models/again.gguf"));
  const found = await findModelFiles([], usualPlaces({ HOME: home }));
  expect(found.map((file) => path.relative(home, file.path))).toEqual([
    "Downloads/one.gguf",
    "models/mine/deep/two.gguf",
    `${snapshot}/tiny.gguf`,
    ".cache/llama.cpp/three.gguf",
  ]);
  expect(found[0]).toMatchObject({ architecture: "llama", sizeBytes: expect.any(Number) });
});

test("are left out if the store refers to them or has the same file", async () => {
  const home = homeWith({});
  mkdirSync(path.join(home, "models"));
  const file = path.join(home, "models", "tiny.gguf");
  copyFileSync(tinyFile, file);
  const blob = path.join(home, "blob");
  linkSync(file, blob);
  const places = usualPlaces({ HOME: home });
  expect(await findModelFiles([], places)).toHaveLength(1);
  expect(await findModelFiles([blob], places)).toEqual([]);
});
