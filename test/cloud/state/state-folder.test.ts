// State folder: created with its parents, for its user alone, or rejected with the reason.
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { cloudErrors } from "../../../source/cloud/errors.ts";
import { makeStateFolder } from "../../../source/cloud/state/state-folder.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "deployctl-folder-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

it("is created with its parents, and reused", () => {
  const wanted = path.join(folder, "a", "b");
  makeStateFolder(wanted);
  makeStateFolder(wanted);
  expect(statSync(wanted).mode & 0o777).toBe(0o700);
});

it.runIf(process.platform === "linux")(
  "is refused if no folder can be created, such as in /proc",
  () => {
    for (const wanted of ["/proc/deployctl", "/proc/deployctl/state"]) {
      expect(() => makeStateFolder(wanted)).toThrow(
        expect.objectContaining({
          code: cloudErrors.stateUnusable.code,
          message: expect.stringContaining(wanted),
        }),
      );
    }
  },
);

it("is refused if the paths of its sockets would be too long", () => {
  const wanted = path.join(folder, "a".repeat(100));
  expect(() => makeStateFolder(wanted)).toThrow(
    expect.objectContaining({
      code: cloudErrors.stateUnusable.code,
      message: expect.stringContaining("too long for sockets"),
    }),
  );
  expect(existsSync(wanted)).toBe(false);
});

it("is refused below a file, and in its place", () => {
  const file = path.join(folder, "file");
  writeFileSync(file, "", { mode: 0o700 });
  for (const wanted of [file, path.join(file, "state")]) {
    expect(() => makeStateFolder(wanted)).toThrow(
      expect.objectContaining({
        code: cloudErrors.stateUnusable.code,
        message: expect.stringContaining(`${file} is not a folder`),
      }),
    );
  }
});
