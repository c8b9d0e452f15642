import { createServer, type Server } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  parseListeners,
  readListeners,
  readSocketsOf,
} from "../../../../source/base/listening-sockets.ts";
import { capacityFor } from "../../../../source/cloud/engines/process/capacity.ts";
import { reservePort } from "../../../../source/cloud/engines/process/port-pool.ts";
import {
  endEngine,
  makePlan,
  makeStateFolder,
  type OpenEngine,
  openEngine,
  untilPhase,
} from "../../../support/process-engine.ts";

let stateFolder: string;
let open: OpenEngine;
let servers: Server[];

beforeEach(() => {
  stateFolder = makeStateFolder();
  open = openEngine(stateFolder);
  servers = [];
});
afterEach(async () => {
  for (const server of servers) server.close();
  await endEngine(stateFolder, open);
});

async function listen(host: string): Promise<number> {
  const server = createServer();
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

describe("a replica's port", () => {
  it("is never in use on any address or reserved", async () => {
    for (const host of ["127.0.0.1", "0.0.0.0"]) {
      const first = await listen(host);
      const range = { first, last: first + 20 };
      const { reservations } = open;
      const one = await reservePort(`one-${host}`, reservations, range, () => 0);
      const two = await reservePort(`two-${host}`, reservations, range, () => 0);
      expect(one).toBeGreaterThan(first);
      expect(two).toBeGreaterThan(one ?? Number.POSITIVE_INFINITY);
    }
  });

  it("is searched in the whole range, wherever the search begins", async () => {
    const taken = await listen("127.0.0.1");
    const range = { first: taken - 1, last: taken };
    const port = await reservePort("one", open.reservations, range, () => 0.99);
    expect([port, taken]).toContain(port);
    expect(port).not.toBe(taken);
    expect(await reservePort("two", open.reservations, range, () => 0)).toBeUndefined();
  });

  it("is a capacity error when none is left, and nothing stays reserved", async () => {
    await open.close();
    const port = await listen("127.0.0.1");
    servers.pop()?.close();
    open = openEngine(stateFolder, { portRange: { first: port, last: port } });
    const plan = makePlan(stateFolder);
    expect(await open.engine.capacity(plan)).toMatchObject({ fits: true, replicas: 1 });
    await open.engine.startReplica({ replica: "one", plan, secrets: {} });
    expect(await open.engine.capacity(plan)).toMatchObject({ fits: false, canEverFit: true });
    await expect(open.engine.startReplica({ replica: "two", plan, secrets: {} })).rejects.toThrow(
      "all ports of the port range are in use",
    );
    await untilPhase(open.engine, "one", "ready");
    await expect(open.engine.forget("one")).rejects.toMatchObject({ code: "CLOUD_CONFLICT" });
    expect(open.reservations.list()).toMatchObject([{ replica: "one", value: String(port) }]);
  });
});

describe("the listening process", () => {
  it("is found by its sockets", async () => {
    const [near, far] = [await listen("127.0.0.1"), await listen("0.0.0.0")];
    const listeners = await readListeners();
    const { inodes, isComplete } = await readSocketsOf([process.pid]);
    const own = listeners.filter(({ inode }) => inodes.has(inode));
    expect(isComplete).toBe(true);
    expect(own.filter(({ port }) => port === near)).toMatchObject([{ isLoopback: true }]);
    expect(own.filter(({ port }) => port === far)).toMatchObject([{ isLoopback: false }]);
    const { inodes: others } = await readSocketsOf([process.ppid]);
    expect(own.filter(({ inode }) => others.has(inode))).toEqual([]);
  });

  it("is read from the kernel's tables, also for IPv6", () => {
    const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F40 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1060 1 0000 100 0 0 10 0
   1: 0100007F:1F41 0100007F:913E 01 00000000:00000000 00:00000000 00000000     0        0 1061 1 0000 21 4 32 18 -1
   2: 00000000000000000000000001000000:1F42 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 1062 1 0 100 0 0 10 0
   3: 00000000000000000000000000000000:1F43 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 1063 1 0 100 0 0 10 0
   4: 0000000000000000FFFF00000100007F:1F44 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 1064 1 0 100 0 0 10 0
`;
    expect(parseListeners(table)).toEqual([
      { port: 8000, isLoopback: true, inode: "1060" },
      { port: 8002, isLoopback: true, inode: "1062" },
      { port: 8003, isLoopback: false, inode: "1063" },
      { port: 8004, isLoopback: true, inode: "1064" },
    ]);
  });
});

it("refuses a replica when memory is nearly used up", () => {
  const need = { name: "", count: 0, hidesGpus: false };
  const resources = { gpus: [], freeGpus: [], freePorts: 9, unmappedPort: undefined };
  const low = capacityFor([need], { ...resources, availableMemoryBytes: 50 * 1024 ** 2 });
  expect(low).toMatchObject({ fits: false, reason: "only 50 MiB of memory are free" });
  const unknown = capacityFor([need], { ...resources, availableMemoryBytes: undefined });
  expect(unknown).toMatchObject({ fits: true, replicas: 9 });
});
