// Binding an address: the default port, the next free one, and the program that holds a taken one.
import { createServer, type Server } from "node:http";
import Fastify, { type FastifyInstance } from "fastify";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ServerAddress } from "../../source/configuration/address.ts";
import { type IdentifyServer, listen } from "../../source/server/listen.ts";

const local = (port: number): ServerAddress => ({
  host: "127.0.0.1",
  port,
  scheme: "http",
  path: "",
});

let otherServer: Server;
let takenPort: number;
let app: FastifyInstance;

beforeEach(async () => {
  otherServer = createServer((_request, reply) => reply.end("somebody else"));
  await new Promise<void>((resolve) => otherServer.listen(0, "127.0.0.1", resolve));
  const address = otherServer.address();
  takenPort = typeof address === "object" && address !== null ? address.port : 0;
  app = Fastify();
  app.get("/", async () => "ours");
});
afterEach(async () => {
  await app.close();
  otherServer.close();
});

const never: IdentifyServer = async () => {
  throw new Error("nobody is to be asked");
};
const asOther: IdentifyServer = async () => "other";
const asOurs: IdentifyServer = async () => "modelctl";

/**
 * The app with the default ports mapped to others, since tests must not touch the real ones: taken ones
 * to the other server's port, the rest to any free one.
 */
function onOtherPorts(takenPorts: number[], seen: number[] = []): FastifyInstance {
  const mapped = async ({ host, port }: { host: string; port: number }) => {
    seen.push(port);
    return await app.listen({ host, port: takenPorts.includes(port) ? takenPort : 0 });
  };
  return new Proxy(app, {
    get: (target, name) => (name === "listen" ? mapped : Reflect.get(target, name)),
  });
}

describe("a given address", () => {
  test("is bound, and its URL answers", async () => {
    const { url, notice, address } = await listen(app, local(0), never);
    expect(notice).toBeUndefined();
    expect(url).toBe(`http://127.0.0.1:${address.port}`);
    expect(address.port).toBeGreaterThan(0);
    expect(await (await fetch(url)).text()).toBe("ours");
  });

  test("in use by another program is an error that says so", async () => {
    const asked: string[] = [];
    const identify: IdentifyServer = async (url) => {
      asked.push(url);
      return "other";
    };
    await expect(listen(app, local(takenPort), identify)).rejects.toMatchObject({
      code: "SERVER_PORT_TAKEN",
      exitCode: 5,
      message: expect.stringMatching(
        `^Port ${takenPort} on 127\\.0\\.0\\.1 is already in use( by .+ \\(${process.pid}\\))?\\.$`,
      ),
      hint: expect.stringContaining("--port"),
    });
    expect(asked).toEqual([`http://127.0.0.1:${takenPort}`]);
  });

  test("is followed by the next free port if that is allowed", async () => {
    const seen: number[] = [];
    const other = onOtherPorts([20_000, 20_001], seen);
    const { notice } = await listen(other, local(20_000), asOurs, 10);
    expect(seen).toEqual([20_000, 20_001, 20_002]);
    expect(notice).toMatch(/^Port 20000 is already in use; using \d+\.$/);
  });

  test("of another modelctl server is a different error", async () => {
    await expect(listen(app, local(takenPort), asOurs)).rejects.toMatchObject({
      code: "SERVER_ALREADY_RUNNING",
      exitCode: 5,
      message: `A modelctl server is already running at http://127.0.0.1:${takenPort}.`,
    });
  });

  test.each([
    ["192.0.2.1", "this machine has no such address"],
    ["no-such-host.invalid", "the host name "],
  ])("%s cannot be bound, with the reason", async (host, reason) => {
    await expect(listen(app, { ...local(0), host }, never)).rejects.toMatchObject({
      code: "SERVER_ADDRESS_UNUSABLE",
      exitCode: 5,
      message: expect.stringContaining(reason),
    });
  });
});

describe("without an address", () => {
  test("uses the default port silently", async () => {
    const seen: number[] = [];
    const { notice, url } = await listen(onOtherPorts([], seen), undefined, never);
    expect(seen).toEqual([11434]);
    expect(notice).toBeUndefined();
    expect(await (await fetch(url)).text()).toBe("ours");
  });

  test("uses the next free port, with one log line, if another program has the default one", async () => {
    const seen: number[] = [];
    const { notice, url } = await listen(
      onOtherPorts([11434, 11435, 11436], seen),
      undefined,
      asOther,
    );
    expect(seen).toEqual([11434, 11435, 11436, 11437]);
    expect(notice).toMatch(/^Port 11434 is already in use; using \d+\.$/);
    expect(await (await fetch(url)).text()).toBe("ours");
  });

  test("does not skip a modelctl server on the default port", async () => {
    const seen: number[] = [];
    await expect(listen(onOtherPorts([11434], seen), undefined, asOurs)).rejects.toMatchObject({
      code: "SERVER_ALREADY_RUNNING",
    });
    expect(seen).toEqual([11434]);
  });

  test("fails when other programs have all eleven ports", async () => {
    const all = Array.from({ length: 11 }, (_, index) => 11434 + index);
    const seen: number[] = [];
    await expect(listen(onOtherPorts(all, seen), undefined, asOther)).rejects.toMatchObject({
      code: "SERVER_PORT_TAKEN",
    });
    expect(seen).toEqual(all);
  });
});
