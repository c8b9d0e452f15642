// Gateway and control plane connected by their socket: demand, draining and usage.
import { mkdtempSync, rmSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Gateway } from "../../../source/cloud/gateway/gateway.ts";
import type { TrafficReport } from "../../../source/cloud/gateway/traffic.ts";
import { ControlPlaneLink } from "../../../source/cloud/gateway-link/control-plane-link.ts";
import {
  JsonLines,
  type ToControlPlane,
  type ToGateway,
} from "../../../source/cloud/gateway-link/messages.ts";
import { RemoteGateway } from "../../../source/cloud/gateway-link/remote-gateway.ts";
import { keysBy, routedApp } from "../../support/cloud-documents.ts";
import { TestReplica } from "../../support/test-gateway.ts";
import { until } from "../../support/until.ts";

let folder: string;
let remote: RemoteGateway;
let replica: TestReplica;
let held: ServerResponse[];
let finished: string[];
let closed: Promise<void>;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "deployctl-link-"));
  held = [];
  finished = [];
  replica = await TestReplica.start("chat-1", (_, response) => void held.push(response));
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  closed = promise;
  const link = new ControlPlaneLink({
    socketPath: path.join(folder, "link.sock"),
    openGateway: ([port = 0]) =>
      new Gateway({
        listeners: [{ host: "127.0.0.1", port, encryption: { kind: "none" } }],
        keys: keysBy({}),
        observe: (record) => link.observe(record),
        log: () => {},
      }),
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
  remote = await openRemote();
});
afterEach(async () => {
  await remote.close({ drainMs: 0 });
  await closed;
  await replica.close();
  rmSync(folder, { recursive: true });
});

async function openRemote(socketPath = path.join(folder, "link.sock")): Promise<RemoteGateway> {
  return await RemoteGateway.open({
    socketPath,
    keys: () => [],
    onFinished: ({ path: route }) => finished.push(route),
    onStopRequested: () => {},
  });
}

const call = async (route: string) =>
  (await fetch(`${remote.addresses[0]?.url}/acme/chat${route}`)).status;
const busy = () => remote.demand("acme", "chat").busy;

it("a request without a replica is demand, wakes the control plane, and is counted", async () => {
  remote.publish([routedApp()]);
  await remote.listen();
  const woken: string[] = [];
  remote.onDemand((organisation, app) => woken.push(`${organisation}/${app}`));
  const reply = call("/cold");
  await expect.poll(() => remote.demand("acme", "chat").queued).toBe(1);
  expect(woken).toContain("acme/chat");
  remote.publish([routedApp({ replicas: [replica.routed()] })]);
  await expect.poll(() => held.length).toBe(1);
  held[0]?.end();
  expect(await reply).toBe(200);
  await expect.poll(() => finished.length).toBe(1);
  expect(finished).toEqual(["/cold"]);
  expect(remote.lastUsedAt("chat-1")).toBeDefined();
});

it("a replica is drained once the gateway knows that it is closed and its request is over", async () => {
  remote.publish([routedApp({ replicas: [replica.routed()] })]);
  await remote.listen();
  const reply = call("/long");
  await expect.poll(() => held.length).toBe(1);
  // The report of this request may not be here yet.
  remote.publish([routedApp({ replicas: [replica.routed({ isOpen: false })] })]);
  let isDrained = false;
  const drained = remote.drained("chat-1", new AbortController().signal).then(() => {
    isDrained = true;
  });
  await until(busy, (count) => count === 1);
  expect(isDrained).toBe(false);
  held[0]?.end();
  expect(await reply).toBe(200);
  await drained;
});

it("figures begin anew with the gateway that follows one that ended, but for the replicas' uses", async () => {
  const socketPath = path.join(folder, "scripted.sock");
  const scripted = await openRemote(socketPath);
  scripted.publish([routedApp({ replicas: [replica.routed()] })]);
  const begin = (version: number, replicas: TrafficReport["replicas"]) => {
    const socket = connect(socketPath);
    const lines = new JsonLines<ToGateway, ToControlPlane>(socket, () => {});
    const report = (known: number) =>
      lines.send({ kind: "traffic", version: known, report: { demands: [], replicas } });
    report(version);
    return { socket, report };
  };
  const since = () => scripted.reportingSince;
  const first = begin(1, [{ replica: "chat-1", inFlight: 1 }]);
  const before = await until(since, (time) => time !== undefined);
  expect(scripted.lastUsedAt("chat-1")).toBeUndefined();

  first.socket.destroy();
  await until(since, (time) => time === undefined);
  // Its requests may go on in other processes.
  expect(scripted.inFlight("chat-1")).toBe(1);
  expect(scripted.lastUsedAt("chat-1")).toBeGreaterThanOrEqual(before ?? 0);

  // It does not listen yet.
  const next = begin(0, []);
  await expect.poll(() => scripted.inFlight("chat-1")).toBe(0);
  expect(since()).toBeUndefined();
  next.report(2);
  expect(await until(since, (time) => time !== undefined)).toBeGreaterThanOrEqual(before ?? 0);
  expect(scripted.lastUsedAt("chat-1")).toBeGreaterThanOrEqual(before ?? 0);
  scripted.disconnect();
});
