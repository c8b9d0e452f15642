// Access of an organisation's admin key: its own apps and keys, and nothing else.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { keyAdministration } from "../../../source/application/cloud-host/cloud-keys.ts";
import { ProductError } from "../../../source/base/product-error.ts";
import { AdminClient } from "../../../source/cloud/admin/admin-client.ts";
import {
  type AdminServer,
  createAdminServer,
} from "../../../source/cloud/admin/create-admin-server.ts";
import { cloudErrors } from "../../../source/cloud/errors.ts";
import { CloudKeyStore } from "../../../source/cloud/keys/cloud-key-store.ts";
import {
  deployment,
  type OpenControlPlane,
  openControlPlane,
} from "../support/open-control-plane.ts";

let open: OpenControlPlane;
let keys: CloudKeyStore;
let admin: AdminServer;
let server: Server;
let url: string;
let stops: unknown[];

beforeEach(async () => {
  open = await openControlPlane();
  const { store, plane, engine, folder, log } = open;
  stops = [];
  keys = new CloudKeyStore({
    database: store.database,
    pepperFile: path.join(folder, "pepper"),
    log: (text) => log.push(text),
  });
  const figures = {
    ...{
      requests: 1,
      errors: 0,
      clientErrors: 0,
      revisions: [],
      queued: 0,
      inputTokens: 0,
      cachedTokens: 0,
      outputTokens: 0,
      cost: undefined,
    },
    ...{ ttfbMsP50: undefined, ttfbMsP95: undefined },
    gpuSeconds: { busy: 0, idle: 0, starting: 0 },
  };
  admin = await createAdminServer({
    organisation: "local",
    allowsRemoteShell: false,
    ...{ store, engine, controlPlane: plane },
    keys: keyAdministration({ keys, organisation: "local", cutRequestsOf: () => {} }),
    queue: {
      list: () => [],
      find: () => undefined,
      cancel: () => Promise.reject(new Error("no request")),
      purge: async () => ({ cancelled: 0, deleted: 0 }),
    },
    usage: {
      usage: () => [
        { organisation: "local", app: "chat", ...figures },
        { organisation: "acme", app: "chat", ...figures },
      ],
      metrics: async () => "deployctl_queued 0\n",
    },
    status: () => ({
      ...{ version: "1.2.3", processId: process.pid, startedAt: 1, isReady: true },
      ...{ baseUrl: "http://127.0.0.1:1", gateway: "http://127.0.0.1:1" },
      ...{ organisation: "local", engine: "process", apps: 2, replicas: 2 },
    }),
    stop: (how) => stops.push(how),
    log: (text) => log.push(text),
  });
  server = createServer((request, response) => {
    const token = request.headers.authorization?.slice("Key ".length) ?? "";
    if (!admin.answer(request, response, keys.verify(token))) response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.close();
  await admin.close();
  keys.close();
  await open.close();
});

function makeKey(organisation: string) {
  const wanted = { organisation, scope: "admin", apps: [], description: "" } as const;
  return keys.create({ ...wanted, expiresAt: undefined, requestsPerMinute: undefined });
}
const clientOf = (organisation: string) =>
  new AdminClient({ url, key: makeKey(organisation).token });

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
async function codeOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ProductError) return error.code;
  throw new Error(`no refusal: ${String(error)}`);
}
/** App with the same name in both organisations. */
async function deployBoth(own: AdminClient, foreign: AdminClient): Promise<void> {
  await all(own.deploy(deployment("one")));
  const events = await all(foreign.deploy(deployment("two")));
  expect(events.at(-1)).toMatchObject({ kind: "done", result: { app: "acme/chat" } });
}

it("resolves bare names in its own organisation, and lists nothing else", async () => {
  const own = clientOf("local");
  const foreign = clientOf("acme");
  await deployBoth(own, foreign);
  const organisations = (list: { organisation: string }[]) =>
    [...new Set(list.map(({ organisation }) => organisation))].toSorted();

  expect(await foreign.app("chat")).toMatchObject({ organisation: "acme" });
  await foreign.setSecret("TOKEN", "a");
  for (const list of [
    await foreign.apps(),
    await foreign.replicas(),
    await all(foreign.events({})),
    await foreign.keys(),
    await foreign.secrets(),
    await foreign.usage({ sinceMs: 0 }),
  ]) {
    expect(organisations(list)).toEqual(["acme"]);
  }
  expect(await foreign.status()).toMatchObject({ organisation: "acme", apps: 1, replicas: 1 });
  expect((await foreign.createKey({ scope: "api" })).key.organisation).toBe("acme");

  // The server's own organisation has access to everything.
  expect(organisations(await own.apps())).toEqual(["acme", "local"]);
  expect(organisations(await own.keys())).toEqual(["acme", "local"]);
  expect(await own.secrets()).toEqual([]);
  expect(await own.pause("acme/chat")).toMatchObject({ state: "PAUSED" });
  expect((await own.createKey({ scope: "api", organisation: "acme" })).key.organisation).toBe(
    "acme",
  );
  await own.stop({ drain: true });
  expect(stops).toHaveLength(1);
});

it("hides other organisations' apps and keys, and cannot change them", async () => {
  const own = clientOf("local");
  const foreign = clientOf("acme");
  await deployBoth(own, foreign);
  const app = "local/chat";
  const [replica] = await own.replicas(app);
  const [revision] = await own.revisions(app);
  const ownKey = makeKey("local");
  const id = replica?.replica ?? "";
  const rev = revision?.revision ?? "";
  const unknown: [string, Promise<unknown>][] = [
    ["app", foreign.app(app)],
    ["delete", foreign.deleteApp(app)],
    ["scale", foreign.scale(app, { minConcurrency: 3 })],
    ["pause", foreign.pause(app)],
    ["rollout", all(foreign.rollout(app))],
    ["activate", all(foreign.activate(app, { revision: rev }))],
    ["revisions", foreign.revisions(app)],
    ["pin", foreign.pinRevision(app, rev, true)],
    ["delete revision", foreign.deleteRevision(app, rev)],
    ["replicas", foreign.replicas(app)],
    ["logs", all(foreign.logs(app, {}))],
    ["events", all(foreign.events({ app }))],
    ["variables", foreign.variables(app)],
    ["set variables", foreign.setVariables(app, { A: "1" })],
    ["usage", foreign.usage({ app, sinceMs: 0 })],
  ];
  for (const [what, work] of unknown) {
    expect([what, await codeOf(work)]).toEqual([what, cloudErrors.appUnknown.code]);
  }
  for (const work of [foreign.stopReplica(id, { replace: false }), foreign.killReplica(id)]) {
    expect(await codeOf(work)).toBe(cloudErrors.replicaUnknown.code);
  }
  for (const named of [ownKey.key.id, ownKey.token]) {
    expect(await codeOf(foreign.revokeKey(named, { hard: true }))).toBe(
      cloudErrors.keyUnknown.code,
    );
    expect(await codeOf(foreign.rotateKey(named, { graceMs: 0 }))).toBe(
      cloudErrors.keyUnknown.code,
    );
  }
  expect(keys.verify(ownKey.token)).toBeDefined();
  expect(await own.app(app)).toMatchObject({ state: "READY", overrides: [] });
  expect(await own.replicas(app)).toMatchObject([{ replica: id, state: "IDLE" }]);
});

it("cannot control the server or create anything for other organisations", async () => {
  const foreign = clientOf("acme");
  const other = { ...deployment("one"), organisation: "local" };
  const works: [string, Promise<unknown>][] = [
    ["stop", foreign.stop({ drain: false })],
    ["check", foreign.checkState()],
    ["backup", foreign.backUpState()],
    ["metrics", foreign.metrics()],
    ["deploy", all(foreign.deploy(other))],
    ["run", all(foreign.ephemeral(other, new AbortController().signal))],
    ["key", foreign.createKey({ scope: "admin", organisation: "local" })],
  ];
  for (const [what, work] of works) {
    expect([what, await codeOf(work)]).toEqual([what, cloudErrors.keyTooWeak.code]);
  }
  expect(stops).toEqual([]);
  expect(open.plane.documents.apps()).toEqual([]);
});
