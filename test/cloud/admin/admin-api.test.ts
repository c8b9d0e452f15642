// Admin API end to end: client calls reach the control plane, and errors keep their codes and exit
// codes.

import { once } from "node:events";
import { rmSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo, createServer as createNetServer, type Socket } from "node:net";
import path from "node:path";
import { PassThrough } from "node:stream";
import { text as readText } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { ProductError } from "../../../source/base/product-error.ts";
import { AdminClient } from "../../../source/cloud/admin/admin-client.ts";
import {
  type AdminServer,
  createAdminServer,
} from "../../../source/cloud/admin/create-admin-server.ts";
import type { DeployEvent, EphemeralEvent } from "../../../source/cloud/admin/documents.ts";
import type { AdminServices } from "../../../source/cloud/admin/services.ts";
import { cloudErrors } from "../../../source/cloud/errors.ts";
import { until } from "../../support/until.ts";
import {
  deployment,
  type OpenControlPlane,
  openControlPlane,
} from "../support/open-control-plane.ts";
import { httpRaw } from "../support/socket-request.ts";

let open: OpenControlPlane;
let admin: AdminServer;
let client: AdminClient;
let socketPath: string;
let stops: unknown[];

beforeEach(async () => {
  open = await openControlPlane();
  stops = [];
  socketPath = path.join(open.folder, "admin.sock");
  admin = await createAdminServer(servicesOf(open));
  await admin.listen(socketPath);
  client = new AdminClient({ socketPath });
});
afterEach(async () => {
  await admin.close();
  await open.close();
});

const key = {
  id: "abcdefgh2345",
  organisation: "local",
  scope: "admin",
  apps: [],
  description: undefined,
  state: "active",
  requestsPerMinute: undefined,
  createdAt: 1,
  expiresAt: undefined,
  lastUsedAt: undefined,
  revokedAt: undefined,
} as const;

function servicesOf({ plane, store, engine, log }: OpenControlPlane): AdminServices {
  return {
    organisation: "local",
    allowsRemoteShell: false,
    ...{ store, engine, controlPlane: plane },
    keys: {
      list: () => [{ ...key, apps: [] }],
      find: () => ({ ...key, apps: [] }),
      create: () => ({ key: { ...key, apps: [] }, token: "dk_new" }),
      revoke: (id) => {
        throw new ProductError(cloudErrors.keyUnknown, { message: `There is no key ${id}.` });
      },
      rotate: () => ({ key: { ...key, apps: [] }, token: "dk_rotated" }),
    },
    queue: {
      list: () => [],
      find: () => undefined,
      cancel: () => Promise.reject(new Error("no request")),
      purge: async () => ({ cancelled: 0, deleted: 0 }),
    },
    usage: { usage: () => [], metrics: async () => "deployctl_queued 0\n" },
    status: () => ({
      version: "1.2.3",
      processId: process.pid,
      startedAt: 1,
      baseUrl: "http://127.0.0.1:8480",
      organisation: "local",
      engine: "process",
      gateway: "http://127.0.0.1:8480",
      apps: plane.documents.apps().length,
      replicas: 0,
      isReady: true,
    }),
    stop: (how) => stops.push(how),
    log: (text) => log.push(text),
  };
}

async function all<T>(events: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const event of events) found.push(event);
  return found;
}
const last = (events: DeployEvent[]) => events.at(-1);
async function refusal(work: Promise<unknown>): Promise<ProductError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ProductError) return error;
  throw new Error(`no refusal: ${String(error)}`);
}

it("only the user can open the socket", () => {
  expect(statSync(socketPath).mode & 0o777).toBe(0o600);
});

it("deploys, shows, scales, pauses, resumes and deletes an app", async () => {
  const events = await all(client.deploy(deployment("one")));
  expect(last(events)).toMatchObject({
    kind: "done",
    result: { app: "local/chat", status: "active" },
  });
  expect(await client.apps()).toMatchObject([{ app: "chat", state: "READY" }]);
  expect(await client.app("local/chat")).toMatchObject({ revision: { state: "ACTIVE" } });
  expect(await client.scale("chat", { minConcurrency: 1 })).toMatchObject({
    overrides: ["minConcurrency"],
  });
  expect(await client.resetScale("chat")).toMatchObject({ overrides: [] });
  expect(await client.pause("chat")).toMatchObject({ state: "PAUSED" });
  await client.resume("chat");
  const [revision] = await client.revisions("chat");
  await client.pinRevision("chat", revision?.revision ?? "", true);
  expect(await client.revisions("chat")).toMatchObject([{ isPinned: true }]);
  expect(last(await all(client.deploy(deployment("two"))))?.kind).toBe("done");
  expect(last(await all(client.activate("chat", { revision: "previous" })))).toMatchObject({
    result: { revision: revision?.revision },
  });
  expect(last(await all(client.rollout("chat")))?.kind).toBe("done");
  const kinds = (await all(client.events({ app: "chat" }))).map(({ kind }) => kind);
  expect(kinds).toEqual(expect.arrayContaining(["deploying", "ready", "activated", "paused"]));
  const mistyped = await refusal(client.app("caht"));
  expect(mistyped).toMatchObject({ code: cloudErrors.appUnknown.code });
  expect(mistyped.hint).toContain("Did you mean chat?");
  await client.deleteApp("chat");
  await expect.poll(() => client.apps()).toHaveLength(0);
  expect(await refusal(client.app("chat"))).toMatchObject({
    code: cloudErrors.appUnknown.code,
    exitCode: 3,
  });
});

it("lists, stops and kills replicas", async () => {
  await all(client.deploy(deployment("one")));
  const [replica] = await client.replicas("chat");
  expect(replica).toMatchObject({ state: "IDLE", app: "chat" });
  expect(await all(client.logs("chat", { replica: replica?.replica ?? "" }))).toEqual([]);
  expect(await refusal(all(client.logs("chat", { replica: "nobody" })))).toMatchObject({
    code: cloudErrors.replicaUnknown.code,
    message: `App local/chat has no replica "nobody".`,
    exitCode: 3,
  });
  await client.stopReplica(replica?.replica ?? "", { replace: true });
  await until(
    () => client.replicas(),
    (replicas) =>
      replicas.some(({ state }) => state === "TERMINATED") &&
      replicas.some(({ state }) => state === "IDLE"),
  );
  const fresh = (await client.replicas()).find(({ state }) => state === "IDLE");
  await client.killReplica(fresh?.replica ?? "");
  await expect
    .poll(() => open.engine.stopped)
    .toContainEqual(expect.objectContaining({ signal: "kill" }));
  expect(await refusal(client.killReplica("nobody"))).toMatchObject({ exitCode: 3 });
});

describe("a forwarded port", () => {
  /** Connects to a server through the control plane. */
  async function forward(serve: (socket: Socket) => void) {
    const server = createNetServer({ allowHalfOpen: true }, serve);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    await open.deploy(deployment("one", { scale: { minConcurrency: 1 } }));
    const [replica] = await client.replicas();
    const { port } = server.address() as AddressInfo;
    const upload = new PassThrough();
    const reply = await client.forward(replica?.replica ?? "", port, upload);
    return { upload, reply };
  }

  it("gives the whole answer of a server that ends before the client does", async () => {
    // More than the client has read by then, and less than the connections hold.
    const answer = "x".repeat(150_000);
    const served = Promise.withResolvers<Socket>();
    const { upload, reply } = await forward((socket) => {
      socket.once("data", () => socket.pause().end(answer, () => served.resolve(socket)));
    });
    upload.write("ask");
    const socket = await served.promise;
    for (let turn = 0; turn < 100; turn += 1) await setImmediate();
    upload.end(" more");
    expect(await readText(reply)).toBe(answer);
    expect(await readText(socket)).toBe(" more");
  });

  it("ends with its client", async () => {
    const closed = Promise.withResolvers<void>();
    const { upload, reply } = await forward((socket) => {
      socket.on("error", () => {});
      socket.once("end", () => closed.resolve());
      socket.once("data", () => socket.write("answer"));
    });
    upload.write("ask");
    await once(reply, "readable");
    reply.destroy();
    await closed.promise;
  });
});

it("ends an ephemeral app when its client disconnects", async () => {
  const leaving = new AbortController();
  const events = client.ephemeral(deployment("one"), leaving.signal);
  const seen: EphemeralEvent[] = [];
  for await (const event of events) {
    seen.push(event);
    if (event.kind === "done") break;
  }
  expect(seen.at(-1)).toMatchObject({ kind: "done", result: { status: "active" } });
  await expect.poll(() => client.apps()).toHaveLength(0);
  expect(open.engine.living).toEqual([]);
});

it.each([
  ["deleted", (name: string) => client.deleteApp(name)],
  ["paused", (name: string) => client.pause(name)],
])("a run ends with a message when another command has it %s", async (what, change) => {
  const seen: EphemeralEvent[] = [];
  for await (const event of client.ephemeral(deployment("one"), AbortSignal.timeout(60_000))) {
    seen.push(event);
    if (event.kind === "done") await change("chat");
  }
  const sentence = expect.stringContaining(`local/chat was ${what} by another command. `);
  expect(seen.at(-1)).toMatchObject({ kind: "ended", exit: { sentence } });
});

it("streams events live", async () => {
  await all(client.deploy(deployment("one")));
  const leaving = new AbortController();
  const kinds: string[] = [];
  for await (const { kind } of client.events({
    follow: true,
    sinceMs: 0,
    signal: leaving.signal,
  })) {
    kinds.push(kind);
    if (kind === "activated") void client.pause("chat");
    if (kind === "paused") {
      leaving.abort();
      break;
    }
  }
  expect(kinds.at(-1)).toBe("paused");
});

it("never returns secrets, and masks variables that look secret", async () => {
  await all(client.deploy(deployment("one")));
  await client.setSecret("HF_TOKEN", "hf_1");
  expect(await client.secrets()).toMatchObject([{ name: "HF_TOKEN", organisation: "local" }]);
  await client.setVariables("chat", { LEVEL: "debug", API_KEY: "sk_1", DB_PASSWD: "p" });
  const variables = await client.variables("chat");
  expect(variables).toMatchObject([
    { name: "API_KEY", value: "********", isMasked: true },
    { name: "DB_PASSWD", value: "********", isMasked: true },
    { name: "LEVEL", value: "debug", isMasked: false },
  ]);
  await client.deleteVariable("chat", "LEVEL");
  await client.deleteSecret("HF_TOKEN");
  expect(await refusal(client.deleteSecret("HF_TOKEN"))).toMatchObject({ exitCode: 3 });
});

it("serves keys, usage, metrics, state and shutdown", async () => {
  expect(await client.createKey({ scope: "api" })).toMatchObject({ token: "dk_new" });
  expect(await client.keys()).toMatchObject([{ id: key.id }]);
  expect(await client.rotateKey(key.id, { graceMs: 0 })).toMatchObject({ token: "dk_rotated" });
  expect(await refusal(client.revokeKey("nobody", { hard: true }))).toMatchObject({ exitCode: 3 });
  expect(await client.usage({ sinceMs: 0 })).toEqual([]);
  expect(await client.metrics()).toBe("deployctl_queued 0\n");
  expect(await client.status()).toMatchObject({ version: "1.2.3", isReady: true });
  const { file } = await client.backUpState();
  expect(await client.checkState()).toMatchObject({ problems: [], backups: [{ file }] });
  await client.stop({ drain: true });
  expect(stops).toEqual([{ drain: true, keepReplicas: false }]);
});

describe("bad requests", () => {
  it("get a code, a message and an exit code, and never crash the server", async () => {
    const bad: [string, string, unknown, number, string][] = [
      ["GET", "/_/v1/nothing", undefined, 404, cloudErrors.requestInvalid.code],
      ["GET", "/_/v1/apps/Chat", undefined, 400, cloudErrors.nameInvalid.code],
      ["GET", "/_/v1/apps/other%2F..%2Fx", undefined, 400, cloudErrors.nameInvalid.code],
      ["GET", "/_/v1/apps/unknown", undefined, 404, cloudErrors.appUnknown.code],
      ["POST", "/_/v1/deployments", undefined, 400, cloudErrors.requestInvalid.code],
      ["POST", "/_/v1/deployments", "{", 400, cloudErrors.requestInvalid.code],
      ["POST", "/_/v1/deployments", [], 400, cloudErrors.requestInvalid.code],
      [
        "POST",
        "/_/v1/deployments",
        { ...deployment("x"), nmae: "x" },
        400,
        cloudErrors.requestInvalid.code,
      ],
      [
        "POST",
        "/_/v1/deployments",
        { ...deployment("x"), name: "A" },
        400,
        cloudErrors.nameInvalid.code,
      ],
      [
        "PATCH",
        "/_/v1/apps/x/scale",
        { fields: { minConcurrency: -1 } },
        400,
        cloudErrors.requestInvalid.code,
      ],
      ["GET", "/_/v1/usage?app=unknown", undefined, 404, cloudErrors.appUnknown.code],
      ["GET", "/_/v1/events?app=unknown", undefined, 404, cloudErrors.appUnknown.code],
      ["GET", "/_/v1/events?since=soon", undefined, 400, cloudErrors.requestInvalid.code],
      ["PUT", "/_/v1/secrets/A-B", { value: "x" }, 400, cloudErrors.requestInvalid.code],
    ];
    for (const [method, url, body, status, code] of bad) {
      const reply = await httpRaw(socketPath, { method, url, body });
      expect([url, reply.status]).toEqual([url, status]);
      const { error } = JSON.parse(reply.text);
      expect(error).toMatchObject({ code, message: expect.stringMatching(/\.$/) });
      expect(error.exitCode).toBeGreaterThan(0);
    }
    expect(await client.apps()).toEqual([]);
    expect(open.log).toEqual([]);
  });

  it("name the unknown field", async () => {
    const body = { ...deployment("x"), nmae: "x" };
    const reply = await httpRaw(socketPath, { method: "POST", url: "/_/v1/deployments", body });
    expect(reply.text).toContain("nmae");
  });
});

it("reports a full disk and keeps running", async () => {
  await all(client.deploy(deployment("one")));
  const { connection } = open.store.database;
  const pages = Number(connection.prepare("PRAGMA page_count").get()?.page_count);
  connection.exec(`PRAGMA max_page_count = ${pages}`);
  const fill = async () => {
    for (let count = 0; count < 20; count += 1)
      await client.setSecret(`S${count}`, "x".repeat(60_000));
  };
  expect(await refusal(fill())).toMatchObject({ code: cloudErrors.stateUnusable.code });
  expect(await client.apps()).toMatchObject([{ app: "chat", state: "READY" }]);
  expect(open.traffic.open("chat")).toHaveLength(1);
  connection.exec("PRAGMA max_page_count = 1000000");
  await fill();
});

it("reports a folder that cannot be written", async () => {
  const full = new Error("ENOSPC: no space left on device, write");
  open.store.bundles.keep = () => {
    throw Object.assign(full, { code: "ENOSPC" });
  };
  expect(await refusal(all(client.deploy(deployment("one"))))).toMatchObject({
    code: cloudErrors.stateUnusable.code,
    message: expect.stringContaining("no space left"),
  });
  expect(open.log).toEqual([]);
});

it("reports a server that is not running", async () => {
  await admin.close();
  rmSync(socketPath, { force: true });
  expect(await refusal(client.status())).toMatchObject({
    code: cloudErrors.serverUnreachable.code,
    exitCode: 8,
  });
});

describe("over an address", () => {
  let server: Server;
  let url: string;
  beforeEach(async () => {
    const scopes: Record<string, string> = { "Key dk_admin": "admin", "Key dk_api": "api" };
    server = createServer((request, response) => {
      const scope = scopes[request.headers.authorization ?? ""];
      const caller = scope === undefined ? undefined : { id: "abc", organisation: "local", scope };
      if (!admin.answer(request, response, caller)) response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    server.close();
  });

  it("accepts an admin key and records it with its deployments", async () => {
    const remote = new AdminClient({ url, key: "dk_admin" });
    expect(last(await all(remote.deploy(deployment("one"))))?.kind).toBe("done");
    expect(await remote.revisions("chat")).toMatchObject([{ createdBy: "abc" }]);
  });

  it.each([
    ["dk_wrong", cloudErrors.keyRefused.code],
    ["dk_api", cloudErrors.keyTooWeak.code],
  ])("%s is refused with exit code 4", async (wrong, code) => {
    const remote = new AdminClient({ url, key: wrong });
    expect(await refusal(remote.apps())).toMatchObject({ code, exitCode: 4 });
    expect(await refusal(all(remote.deploy(deployment("one"))))).toMatchObject({ code });
    expect(open.plane.documents.apps()).toEqual([]);
  });

  it.each(["", "a b", "a\nb", "clé"])(
    "rejects %j without sending it, as no valid key has that form",
    async (wrong) => {
      const remote = new AdminClient({ url, key: wrong });
      expect(await refusal(remote.apps())).toMatchObject({
        code: cloudErrors.keyRefused.code,
        message: expect.stringMatching(/invalid characters/),
        exitCode: 4,
      });
    },
  );

  it.each([
    "<html>",
    // Response of our own gateway to an unknown path.
    JSON.stringify({
      detail: "x",
      error: { message: "There is nothing here.", code: "not_found" },
    }),
  ])("recognises another server: %s", async (text) => {
    const stranger = createServer((_request, response) => response.writeHead(404).end(text));
    await new Promise<void>((resolve) => stranger.listen(0, "127.0.0.1", resolve));
    const { port } = stranger.address() as AddressInfo;
    const other = new AdminClient({ url: `http://127.0.0.1:${port}/`, key: "x" });
    expect(await refusal(other.apps())).toMatchObject({
      code: cloudErrors.serverUnreachable.code,
      message: expect.stringContaining(
        "returned status 404, which is not a control plane's response",
      ),
      exitCode: 8,
    });
    stranger.close();
  });
});
