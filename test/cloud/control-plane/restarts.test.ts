// Restart of the control plane: running replicas are adopted.
import { afterEach, beforeEach, expect, it } from "vitest";
import { until } from "../../support/until.ts";
import {
  deployment,
  type OpenControlPlane,
  openControlPlane,
} from "../support/open-control-plane.ts";

let open: OpenControlPlane;
beforeEach(async () => {
  open = await openControlPlane();
});
afterEach(async () => {
  await open.close();
});

const chat = { organisation: "local", app: "chat" };
const routed = () => open.traffic.open("chat");

it("running replicas are adopted with a new keep-alive, and none is started", async () => {
  await open.deploy(deployment("one", { scale: { maxConcurrency: 2 } }));
  open.traffic.ask("chat", { busy: 2 });
  const before = await until(routed, ({ length }) => length === 2);
  await open.restart();
  expect(routed().toSorted()).toEqual(before.toSorted());
  expect(open.engine.started).toHaveLength(2);
  expect(open.plane.documents.app(chat).state).toBe("READY");
});

it("idle replicas are kept until their gateway is back, and then for their keep-alive", async () => {
  await open.deploy(deployment("one", { scale: { maxConcurrency: 2, keepAliveMs: 20_000 } }));
  open.traffic.ask("chat", { busy: 2 });
  const before = await until(routed, ({ length }) => length === 2);
  open.traffic.ask("chat", {});
  open.traffic.reportingSince = undefined;
  const begun = open.clock.wallMs();
  await until(open.clock.wallMs, (now) => now > begun + 40_000);
  expect(routed().toSorted()).toEqual(before.toSorted());
  const back = open.clock.wallMs();
  open.traffic.reportingSince = back;
  const [first] = open.plane.documents.replicas(chat);
  expect(first?.expiresAt).toBe(back + 20_000);
  await until(routed, ({ length }) => length === 0);
  expect(open.clock.wallMs()).toBeGreaterThanOrEqual(back + 20_000);
});

it("lost replicas are reported, and replaced if needed", async () => {
  await open.deploy(deployment("one", { scale: { minConcurrency: 1 } }));
  const [gone] = routed();
  open.engine.vanish(gone ?? "");
  await open.restart();
  await until(routed, (names) => names.length === 1 && names[0] !== gone);
  expect(open.plane.documents.replicas(chat)[0]).toMatchObject({
    replica: gone,
    exit: { reason: "lost" },
  });
});

it("a deployment continues with the replica that it had started", async () => {
  await open.deploy(deployment("one"));
  open.engine.fate = () => "wait";
  await open.deploy(deployment("two", { isDetached: true }));
  const fresh = await until(
    () => open.engine.started[1]?.replica,
    (name) => name !== undefined,
  );
  await open.restart();
  expect(open.plane.documents.app(chat).state).toBe("ROLLING");
  open.engine.become(fresh ?? "", "ready");
  await until(routed, (names) => names[0] === fresh);
  expect(open.engine.started).toHaveLength(2);
  expect(open.plane.documents.app(chat).activeRevision).toMatch(/^r0002/);
});

it("a drain continues, and a replica being stopped does not serve again", async () => {
  await open.deploy(deployment("one"));
  const [replica] = routed();
  open.traffic.hold(replica ?? "", 1);
  open.plane.commands.stopReplica(replica ?? "", { replace: false });
  await open.restart();
  // Its requests died with the gateway that carried them.
  await expect.poll(() => open.engine.living).toHaveLength(0);
  expect(open.engine.stopped).toEqual([{ replica, signal: "terminate" }]);
});

it("a replica that was recorded but not started is started once", async () => {
  await open.deploy(deployment("one", { scale: { minConcurrency: 0, keepAliveMs: 0 } }));
  await expect.poll(() => open.engine.living).toHaveLength(0);
  const revision = open.store.revisions.list(chat)[0];
  if (revision === undefined) throw new Error("no revision");
  await open.plane.close();
  const { replica } = open.store.replicas.create(revision, "serving");
  await open.restart();
  await expect
    .poll(() => open.engine.started.filter((request) => request.replica === replica))
    .toHaveLength(1);
});

it("runs end with the control plane that held their connection", async () => {
  const events = await open.plane.runs.run(
    deployment("one"),
    "local",
    new AbortController().signal,
  );
  for await (const { kind } of events) if (kind === "done") break;
  await open.restart();
  await expect.poll(() => open.store.apps.list()).toHaveLength(0);
  expect(open.engine.living).toEqual([]);
});
