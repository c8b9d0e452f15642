// Finding the server that a command talks to, whatever else is there.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findServer } from "../../source/client/find-server.ts";
import { writeServerFile } from "../../source/client/server-file.ts";

let stateFolder: string;
let servers: Server[];

beforeEach(() => {
  stateFolder = mkdtempSync(path.join(tmpdir(), "modelctl-state-"));
  servers = [];
});
afterEach(() => {
  for (const server of servers) server.close();
  rmSync(stateFolder, { recursive: true, force: true });
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
}

const ours: RequestListener = (_request, reply) => {
  reply.end(JSON.stringify({ version: "0.1.0", server: "modelctl" }));
};
const stranger: RequestListener = (_request, reply) => {
  reply.end(JSON.stringify({ version: "0.33.0" }));
};
/** Nothing listens there. */
const nobody = "http://127.0.0.1:9";

describe("our server", () => {
  test("that is recorded is found with its token, before the default address is tried", async () => {
    const url = await serve(ours);
    writeServerFile(stateFolder, { pid: 1, url, token: "secret" });
    expect(await findServer({ stateFolder, named: undefined, usual: await serve(ours) })).toEqual({
      url,
      ownerToken: "secret",
    });
  });

  test("at the default address is found without a record, and without a token", async () => {
    const url = await serve(ours);
    expect(await findServer({ stateFolder, named: undefined, usual: url })).toEqual({ url });
  });

  test("at a given address is the only one tried", async () => {
    const recorded = await serve(ours);
    writeServerFile(stateFolder, { pid: 1, url: recorded, token: "secret" });
    const usual = await serve(ours);
    expect(await findServer({ stateFolder, named: nobody, usual })).toBeUndefined();
    const named = await serve(ours);
    expect(await findServer({ stateFolder, named, usual, key: "k" })).toEqual({
      url: named,
      key: "k",
    });
    expect(await findServer({ stateFolder, named: recorded, usual })).toEqual({
      url: recorded,
      ownerToken: "secret",
    });
  });

  test("that writes its record during the search is found with its token", async () => {
    const url: string = await serve((request, reply) => {
      writeServerFile(stateFolder, { pid: 1, url, token: "just written" });
      ours(request, reply);
    });
    expect(await findServer({ stateFolder, named: url, usual: nobody })).toEqual({
      url,
      ownerToken: "just written",
    });
  });

  test("that replaced a dead one at its address is found with the new token", async () => {
    const url: string = await serve((request, reply) => {
      writeServerFile(stateFolder, { pid: 2, url, token: "of the living" });
      ours(request, reply);
    });
    writeServerFile(stateFolder, { pid: 1, url, token: "of the dead" });
    expect(await findServer({ stateFolder, named: undefined, usual: url })).toEqual({
      url,
      ownerToken: "of the living",
    });
  });
});

describe("no server of ours", () => {
  test.each<[string, RequestListener]>([
    ["another program", stranger],
    ["a program that says nothing useful", (_request, reply) => reply.end("hello")],
    ["a program that fails", (_request, reply) => reply.writeHead(500).end()],
    ["a program that hangs up", (request) => request.destroy()],
  ])("is what %s is", async (_what, listener) => {
    const url = await serve(listener);
    writeServerFile(stateFolder, { pid: 1, url, token: "secret" });
    expect(await findServer({ stateFolder, named: undefined, usual: url })).toBeUndefined();
  });

  test("is found if nothing listens, whatever was recorded", async () => {
    writeServerFile(stateFolder, { pid: 1, url: nobody, token: "secret" });
    expect(await findServer({ stateFolder, named: undefined, usual: nobody })).toBeUndefined();
  });
});
