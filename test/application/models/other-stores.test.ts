// Finding LM Studio's models.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { lmStudioFolder } from "../../../source/application/models/other-stores.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

function homeWith(folders: string[], files: Record<string, string> = {}) {
  const home = temporaryFolder();
  for (const folder of folders) mkdirSync(path.join(home, folder), { recursive: true });
  for (const [file, text] of Object.entries(files)) {
    writeFileSync(path.join(home, file), text.replaceAll("HOME", home));
  }
  const found = lmStudioFolder({ HOME: home });
  return found && path.relative(home, found);
}

test.each([
  ["its home", [".lmstudio/models"], {}, ".lmstudio/models"],
  ["the home of older versions", [".cache/lm-studio/models"], {}, ".cache/lm-studio/models"],
  [
    "the home that it points to",
    [".lmstudio/models", ".cache/lm-studio/models", "moved/models"],
    { ".lmstudio-home-pointer": "HOME/moved\n" },
    "moved/models",
  ],
  [
    "the folder of its settings",
    [".lmstudio/models", "big disk"],
    { ".lmstudio/settings.json": JSON.stringify({ downloadsFolder: "HOME/big disk" }) },
    "big disk",
  ],
  [
    "the default folder if the settings name none",
    [".lmstudio/models"],
    { ".lmstudio/settings.json": '{"downloadsFolder": ""}' },
    ".lmstudio/models",
  ],
  [
    "the default folder if the settings are incomplete",
    [".lmstudio/models"],
    { ".lmstudio/settings.json": '{"downloadsFolder": "/ho' },
    ".lmstudio/models",
  ],
])("is %s", (_, folders, files, expected) => {
  expect(homeWith(folders, files)).toBe(expected);
});

test.each([
  ["was never there", [], {}],
  ["has no models yet", [".lmstudio"], {}],
  [
    "keeps them on a missing disk",
    [".lmstudio/models"],
    { ".lmstudio/settings.json": JSON.stringify({ downloadsFolder: "/no/such/disk" }) },
  ],
  [
    "names a folder from wherever it was started",
    [".lmstudio/models"],
    { ".lmstudio/settings.json": JSON.stringify({ downloadsFolder: "models" }) },
  ],
])("is not found if LM Studio %s", (_, folders, files) => {
  expect(homeWith(folders, files)).toBeUndefined();
});
