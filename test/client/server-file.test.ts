// server.json: written atomically, removed only by its owner, and used to find the server.
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import path from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import {
  findServer,
  readServerFile,
  removeServerFile,
  serverFilePath,
  writeServerFile,
} from "../../source/client/server-file.ts";
import { temporaryFolder } from "../support/model-store.ts";

let state: string;
beforeEach(() => {
  state = path.join(temporaryFolder(), "deep", "modelctl");
});

const server = { pid: 42, url: "http://127.0.0.1:1", token: "secret" };
const second = { pid: 43, url: "http://127.0.0.1:2", token: "other" };

/** Returns all files below the state folder. */
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

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
}

const ours: RequestListener = (_request, reply) => {
  reply.end(JSON.stringify({ version: "0.1.0", server: "modelctl" }));
};
/** Address without a listener. */
const nobody = "http://127.0.0.1:9";

describe("our server", () => {
  test("that is recorded is found with its token, before the default address is tried", async () => {
    const url = await serve(ours);
    writeServerFile(state, { pid: 1, url, token: "secret" });
    expect(
      await findServer({ stateFolder: state, named: undefined, usual: await serve(ours) }),
    ).toEqual({
      url,
      ownerToken: "secret",
    });
  });

  test("at the default address is found without a record, and without a token", async () => {
    const url = await serve(ours);
    expect(await findServer({ stateFolder: state, named: undefined, usual: url })).toEqual({ url });
  });

  test("at a given address is the only one tried", async () => {
    const recorded = await serve(ours);
    writeServerFile(state, { pid: 1, url: recorded, token: "secret" });
    const usual = await serve(ours);
    expect(await findServer({ stateFolder: state, named: nobody, usual })).toBeUndefined();
    const named = await serve(ours);
    expect(await findServer({ stateFolder: state, named, usual, key: "k" })).toEqual({
      url: named,
      key: "k",
    });
    expect(await findServer({ stateFolder: state, named: recorded, usual })).toEqual({
      url: recorded,
      ownerToken: "secret",
    });
  });

  test("that writes its record during the search is found with its token", async () => {
    const url: string = await serve((request, reply) => {
      writeServerFile(state, { pid: 1, url, token: "just written" });
      ours(request, reply);
    });
    expect(await findServer({ stateFolder: state, named: url, usual: nobody })).toEqual({
      url,
      ownerToken: "just written",
    });
  });

  test("that replaced a dead one at its address is found with the new token", async () => {
    const url: string = await serve((request, reply) => {
      writeServerFile(state, { pid: 2, url, token: "of the living" });
      ours(request, reply);
    });
    writeServerFile(state, { pid: 1, url, token: "of the dead" });
    expect(await findServer({ stateFolder: state, named: undefined, usual: url })).toEqual({
      url,
      ownerToken: "of the living",
    });
  });
});

describe("no server of ours", () => {
  test("is found where another program answers", async () => {
    const url = await serve((_request, reply) => reply.end('{"version":"0.33.0"}'));
    writeServerFile(state, { pid: 1, url, token: "secret" });
    expect(await findServer({ stateFolder: state, named: undefined, usual: url })).toBeUndefined();
  });

  test("is found if nothing listens, whatever was recorded", async () => {
    writeServerFile(state, { pid: 1, url: nobody, token: "secret" });
    expect(
      await findServer({ stateFolder: state, named: undefined, usual: nobody }),
    ).toBeUndefined();
  });
});
