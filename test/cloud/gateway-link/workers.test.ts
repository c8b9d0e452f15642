// Leading gateway and a worker: limits apply to both together. Each has its own port here, so that tests
// can choose.
import { mkdtempSync, rmSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { defaultScale } from "../../../source/cloud/app-config.ts";
import { Gateway } from "../../../source/cloud/gateway/gateway.ts";
import type { Leader } from "../../../source/cloud/gateway/worker-traffic.ts";
import { ControlPlaneLink } from "../../../source/cloud/gateway-link/control-plane-link.ts";
import { LeadingGateway } from "../../../source/cloud/gateway-link/leading-gateway.ts";
import { RemoteGateway } from "../../../source/cloud/gateway-link/remote-gateway.ts";
import { RemoteLeader } from "../../../source/cloud/gateway-link/remote-leader.ts";
import { cloudKey, keysBy, routedApp } from "../../support/cloud-documents.ts";
import { TestReplica } from "../../support/test-gateway.ts";
import { until } from "../../support/until.ts";

const gateways: Gateway[] = [];
let folder: string;
let remote: RemoteGateway;
let replica: TestReplica;
let held: ServerResponse[];
let peak: number;
let closed: Promise<void>[];
let finished: string[];

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "deployctl-workers-"));
  held = [];
  peak = 0;
  closed = [];
  finished = [];
  gateways.length = 0;
  replica = await TestReplica.start("chat-1", (_, response) => {
    held.push(response);
    peak = Math.max(peak, held.length);
  });
  startLeader();
  remote = await RemoteGateway.open({
    socketPath: path.join(folder, "link.sock"),
    keys: () => [],
    onFinished: ({ path: route }) => finished.push(route),
    onStopRequested: () => {},
  });
  await remote.connected(1);
  startWorker();
});
afterEach(async () => {
  await remote.close({ drainMs: 0 });
  await Promise.all(closed);
  await replica.close();
  rmSync(folder, { recursive: true });
});

function openGateway(link: ControlPlaneLink, leader?: Leader): Gateway {
  const gateway = new Gateway({
    listeners: [{ host: "127.0.0.1", port: 0, encryption: { kind: "none" } }],
    keys: keysBy({ token: cloudKey({ requestsPerMinute: 5 }) }),
    observe: (record) => link.observe(record),
    leader,
    log: () => {},
  });
  gateways.push(gateway);
  return gateway;
}

function connect(
  socket: string,
  options: Pick<
    ConstructorParameters<typeof ControlPlaneLink>[0],
    "openGateway" | "onConnected" | "onAnswer"
  >,
): ControlPlaneLink {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  closed.push(promise);
  const link = new ControlPlaneLink({
    socketPath: path.join(folder, socket),
    ...options,
    onKeys: () => {},
    onListening: () => {},
    onFailure: reject,
    onClosed: () => {
      link.stop();
      resolve();
    },
    log: () => {},
  });
  link.start();
  return link;
}

function startLeader(): void {
  const link = connect("link.sock", {
    openGateway: () =>
      new LeadingGateway(openGateway(link), {
        listeners: [],
        socketPath: path.join(folder, "workers.sock"),
        keys: () => [],
        runningWorkers: () => 0,
        onFinished: (record) => link.observe(record),
        onStopRequested: () => {},
      }),
  });
}

function startWorker(): void {
  const leader = new RemoteLeader((question) => link.ask(question));
  const link = connect("workers.sock", {
    openGateway: () => openGateway(link, leader),
    onConnected: () => leader.repeat(),
    onAnswer: (answer) => leader.receive(answer),
  });
}

/** Serves with one replica. @returns the URLs of the app at the leader and at the worker */
async function serve(changes: Parameters<typeof routedApp>[0] = {}): Promise<string[]> {
  remote.publish([routedApp({ replicas: [replica.routed()], ...changes })]);
  await remote.listen();
  await expect.poll(() => gateways.flatMap(({ addresses }) => addresses)).toHaveLength(2);
  return gateways.map(({ addresses }) => `${addresses[0]?.url}/acme/chat`);
}

const one = { ...defaultScale, maxMultiplexing: 1 };
const status = async (url: string, init?: RequestInit) => (await fetch(url, init)).status;
const isHeld = () =>
  until(
    () => held.length,
    (count) => count > 0,
  );

/** Answers requests one by one until all replies have arrived. */
async function answerAll(replies: readonly Promise<number>[]): Promise<number[]> {
  const timer = setInterval(() => held.shift()?.end(), 1);
  const all = await Promise.all(replies);
  clearInterval(timer);
  return all;
}

it("a replica that takes one request at a time gets one, whoever is asked", async () => {
  const urls = await serve({ scale: one });
  const replies = Array.from({ length: 10 }, () => urls.map((url) => status(url))).flat();
  await isHeld();
  expect(new Set(await answerAll(replies))).toEqual(new Set([200]));
  expect(peak).toBe(1);
});

it("the queue is full for both together, and the control plane sees it whole", async () => {
  const urls = await serve({ scale: one });
  const first = status(urls[1] ?? "");
  await isHeld();
  const replies = Array.from({ length: 60 }, () => urls.map((url) => status(url))).flat();
  await expect.poll(() => finished.length).toBe(20);
  expect(remote.demand("acme", "chat")).toMatchObject({ busy: 1, queued: 100 });
  const statuses = await answerAll([first, ...replies]);
  expect(statuses.filter((it) => it === 429)).toHaveLength(20);
  expect(statuses.filter((it) => it === 200)).toHaveLength(101);
  await expect.poll(() => finished.length).toBe(121);
});

it("a key's requests per minute are counted in total, and so are wrong keys", async () => {
  const urls = await serve({ auth: "private" });
  const headers = { authorization: "Key token" };
  const replies = Array.from({ length: 4 }, () => urls.map((url) => status(url, { headers })));
  const statuses = await answerAll(replies.flat());
  expect(statuses.filter((it) => it === 200)).toHaveLength(5);
  expect(statuses.filter((it) => it === 429)).toHaveLength(3);
  const wrong = { authorization: "Key wrong" };
  const refusals: number[] = [];
  for (let round = 0; round < 11; round += 1) {
    for (const url of urls) refusals.push(await status(url, { headers: wrong }));
  }
  expect(refusals.filter((it) => it === 401)).toHaveLength(20);
  expect(refusals.filter((it) => it === 429)).toHaveLength(2);
});

it("a client that leaves a worker frees its place, in the queue and on the replica", async () => {
  const urls = await serve({ scale: one });
  const leaving = new AbortController();
  const left = [1, 2].map(() => fetch(urls[1] ?? "", { signal: leaving.signal }).catch(() => {}));
  await expect.poll(() => remote.demand("acme", "chat")).toMatchObject({ busy: 1, queued: 1 });
  leaving.abort();
  await Promise.all(left);
  held.length = 0;
  const reply = status(urls[0] ?? "");
  await isHeld();
  expect(await answerAll([reply])).toEqual([200]);
});

it("requests to a sleeping app wake it from a worker, and fail with its reason", async () => {
  const urls = await serve({ replicas: [] });
  const woken = status(urls[1] ?? "");
  await expect.poll(() => remote.demand("acme", "chat").queued).toBe(1);
  remote.publish([routedApp({ replicas: [replica.routed()] })]);
  await isHeld();
  expect(await answerAll([woken])).toEqual([200]);
  remote.publish([routedApp({ replicas: [] })]);
  const failed = fetch(urls[1] ?? "");
  await expect.poll(() => remote.demand("acme", "chat").queued).toBe(1);
  const failure = { errorType: "startup_failed", sentence: "It ends at once." } as const;
  remote.publish([routedApp({ replicas: [], failure })]);
  expect(await (await failed).json()).toMatchObject({ detail: "It ends at once." });
});
