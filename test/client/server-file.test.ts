// server.json: written whole, read with care, removed only by its owner.
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  readServerFile,
  removeServerFile,
  serverFilePath,
  writeServerFile,
} from "../../source/client/server-file.ts";

let folder: string;
let state: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "modelctl-state-"));
  state = path.join(folder, "deep", "modelctl");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const server = { pid: 42, url: "http://127.0.0.1:1", token: "secret" };
const second = { pid: 43, url: "http://127.0.0.1:2", token: "other" };

/** Every file below the state folder. */
function files(): string[] {
  return readdirSync(state, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

test("is read as written, and readable only by its user", () => {
  writeServerFile(state, server);
  expect(readServerFile(state)).toEqual(server);
  expect(readServerFile(state, server.url)).toEqual(server);
  for (const file of files()) expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(state).mode & 0o777).toBe(0o700);
});

test("replaces another one, even one that others could read, and leaves nothing else", () => {
  mkdirSync(state, { recursive: true });
  writeFileSync(serverFilePath(state), "{}", { mode: 0o644 });
  chmodSync(serverFilePath(state), 0o644);
  writeServerFile(state, server);
  const before = files();
  writeServerFile(state, { ...server, pid: 44 });
  expect(readServerFile(state)?.pid).toBe(44);
  expect(statSync(serverFilePath(state)).mode & 0o777).toBe(0o600);
  expect(files()).toEqual(before);
});

test("leaves nothing when it cannot be written", () => {
  // A folder is in its place.
  mkdirSync(path.join(serverFilePath(state), "folder"), { recursive: true });
  expect(() => writeServerFile(state, server)).toThrow();
  expect(files().map((file) => path.relative(state, file))).toEqual(["servers/127.0.0.1_1.json"]);
});

test("several servers are found by address, the newest without one", () => {
  writeServerFile(state, server);
  writeServerFile(state, second);
  expect(readServerFile(state)).toEqual(second);
  expect(readServerFile(state, server.url)).toEqual(server);
  expect(readServerFile(state, second.url)).toEqual(second);
  expect(readServerFile(state, "http://127.0.0.1:3")).toBeUndefined();
  removeServerFile(state, second);
  expect(readServerFile(state, second.url)).toBeUndefined();
  expect(readServerFile(state, server.url)).toEqual(server);
});

test.each([
  ["missing", undefined],
  ["empty", ""],
  ["half-written", '{"pid":42,"url":"http'],
  ["of another kind", "[]"],
  ["null", "null"],
  ["without a token", '{"pid":42,"url":"http://127.0.0.1:1"}'],
  ["with a text as its process", '{"pid":"42","url":"http://127.0.0.1:1","token":"a"}'],
])("that is %s is ignored", (_what, text) => {
  mkdirSync(state, { recursive: true });
  if (text !== undefined) writeFileSync(serverFilePath(state), text);
  expect(readServerFile(state)).toBeUndefined();
});

test("is removed only by its own server", () => {
  writeServerFile(state, server);
  removeServerFile(state, { ...server, token: "of another server" });
  expect(readServerFile(state)).toEqual(server);
  removeServerFile(state, server);
  expect(readServerFile(state)).toBeUndefined();
  expect(files()).toEqual([]);
  expect(() => removeServerFile(state, server)).not.toThrow();
});
