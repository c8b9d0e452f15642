// Lines of a remote file, of which each look shows the last ones.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { newLines, RemoteOutput } from "../../../../source/cloud/engines/ray/remote-output.ts";

let folder: string;
let file: string;
let remote: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "deployctl-output-"));
  file = path.join(folder, "one.stdout");
  remote = "";
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = () => new RemoteOutput({ file, fetchLast: async () => remote });
const fetched = () => readFileSync(file, "utf8");

it.each([
  [[], ["a", "b"], ["a", "b"]],
  [["a", "b"], ["a", "b"], []],
  [["a", "b"], ["a", "b", "c"], ["c"]],
  [["a", "b", "c"], ["b", "c", "d"], ["d"]],
  [["a"], ["x", "y"], ["x", "y"]],
  [["a", "a"], ["a", "a", "a"], ["a"]],
])("after %j, %j adds %j", (known, lines, added) => {
  expect(newLines(known, lines)).toEqual(added);
});

it("each complete line is fetched once, without those of Ray", async () => {
  const output = open();
  remote = ":job_id:01000000\n:actor_name:ServeReplica:x\nfirst\nhal";
  await output.collect(false);
  expect(fetched()).toBe("first\n");
  remote = `${remote}f\nINFO 2026-11-23 07:19:39,052 x_y 4w5 -- Started.\nlast`;
  await output.collect(false);
  await output.collect(false);
  expect(fetched()).toBe("first\nhalf\n");
  await output.collect(true);
  expect(fetched()).toBe("first\nhalf\nlast\n");
});

it("the next control plane continues where the last one ended", async () => {
  remote = "one\ntwo\n";
  await open().collect(false);
  remote = "one\ntwo\nthree\n";
  await open().collect(false);
  expect(fetched()).toBe("one\ntwo\nthree\n");
});
