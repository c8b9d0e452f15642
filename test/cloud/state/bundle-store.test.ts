// Bundles: stored once, read-only, and confined to their folder.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { cloudErrors } from "../../../source/cloud/errors.ts";
import { BundleStore, readBundle } from "../../../source/cloud/state/bundle-store.ts";

let folder: string;
let bundles: BundleStore;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "deployctl-bundles-"));
  bundles = new BundleStore(path.join(folder, "bundles"));
});
afterEach(() => {
  bundles.prune(new Set());
  rmSync(folder, { recursive: true, force: true });
});

const file = (name: string, text: string, isExecutable = false) => ({
  path: name,
  contentBase64: Buffer.from(text).toString("base64"),
  isExecutable,
});
const read = (...files: ReturnType<typeof file>[]) => readBundle({ script: "app.py", files });

it("are written with their folders and permissions, and are read-only", () => {
  const bundle = read(file("app.py", "print(1)"), file("lib/run.sh", "#!/bin/sh\n", true));
  bundles.keep(bundle);
  const at = bundles.folderOf(bundle.hash);
  expect(readFileSync(path.join(at, "app.py"), "utf8")).toBe("print(1)");
  expect(statSync(path.join(at, "app.py")).mode & 0o777).toBe(0o400);
  expect(statSync(path.join(at, "lib/run.sh")).mode & 0o777).toBe(0o500);
  expect(statSync(path.join(at, "lib")).mode & 0o777).toBe(0o500);
});

it("have the same id for the same files in any order, and another id otherwise", () => {
  const hash = (...files: ReturnType<typeof file>[]) => read(...files).hash;
  const script = file("app.py", "1");
  expect(hash(script, file("b", "2"))).toBe(hash(file("b", "2"), script));
  const others = [
    hash(script),
    hash(script, file("b", "2")),
    hash(script, file("b", "3")),
    hash(script, file("c", "2")),
    hash(script, file("b", "2", true)),
    hash(file("app.py", "1b2")),
  ];
  expect(new Set(others).size).toBe(others.length);
});

it("that are unused are removed, with unfinished ones", () => {
  const [kept, gone] = [read(file("app.py", "kept")), read(file("app.py", "gone"))];
  bundles.keep(kept);
  bundles.keep(kept);
  bundles.keep(gone);
  bundles.prune(new Set([kept.hash]));
  expect(readdirSync(path.join(folder, "bundles"))).toEqual([kept.hash]);
});

it.each(["../app.py", "/etc/passwd", "a/../../b", "a//b", "./a", "a\\b", "a\0b", ""])(
  "with the path %j are refused",
  (name) => {
    expect(() => read(file("app.py", ""), file(name, "x"))).toThrow(
      expect.objectContaining({ code: cloudErrors.bundleInvalid.code }),
    );
  },
);

it("without their script, with a duplicate path, or too large are refused", () => {
  const refused = expect.objectContaining({ code: cloudErrors.bundleInvalid.code });
  expect(() => read(file("other.py", ""))).toThrow(refused);
  expect(() => read(file("app.py", "1"), file("app.py", "2"))).toThrow(refused);
  const large = { ...file("app.py", ""), contentBase64: "A".repeat(92_000_000) };
  expect(() => read(large)).toThrow(refused);
});
