// Folders are made with their parents, or the system's reason is reported, without endless retries.
import { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { makeFolder } from "../../source/base/make-folder.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

test("is made with its parents, by several callers at once, and again", async () => {
  const folder = path.join(temporaryFolder(), "a", "b", "c");
  await Promise.all(Array.from({ length: 8 }, () => makeFolder(folder)));
  await makeFolder(folder);
  expect(statSync(folder).isDirectory()).toBe(true);
});

test("may be the target of a link", async () => {
  const above = temporaryFolder();
  mkdirSync(path.join(above, "real"));
  symlinkSync(path.join(above, "real"), path.join(above, "link"));
  await makeFolder(path.join(above, "link"));
  await makeFolder(path.join(above, "link", "more"));
  expect(existsSync(path.join(above, "real", "more"))).toBe(true);
});

test("is refused if a file is in its place or above", async () => {
  const file = path.join(temporaryFolder(), "file");
  writeFileSync(file, "");
  await expect(makeFolder(file)).rejects.toMatchObject({ code: "EEXIST" });
  await expect(makeFolder(path.join(file, "a", "b"))).rejects.toMatchObject({ code: "ENOTDIR" });
});

test.runIf(process.platform === "linux")(
  "is refused at once if the system refuses it in an existing folder",
  async () => {
    const refused = { code: "ENOENT", path: "/proc/none" };
    await expect(makeFolder("/proc/none")).rejects.toMatchObject(refused);
    await expect(makeFolder("/proc/none/of/these")).rejects.toMatchObject(refused);
  },
);
