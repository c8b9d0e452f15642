// A state that cannot be written: reported replicas are correct, and normal operation resumes.
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
/** Makes SQLite refuse writes, as on a full disk. */
const forbidWriting = (isForbidden: boolean) =>
  open.store.database.connection.exec(`PRAGMA query_only = ${isForbidden ? "ON" : "OFF"}`);
const faults = () => open.log.filter((line) => line.includes("Cannot write to the state"));

it("a replica that died meanwhile is reported dead with the reason, and replaced later", async () => {
  await open.deploy(deployment("one", { scale: { minConcurrency: 1 } }));
  const [replica = ""] = routed();
  forbidWriting(true);
  open.engine.end(replica, { sentence: "It was killed by signal 9." });
  const app = await until(
    () => open.plane.documents.app(chat),
    ({ state }) => state === "DEGRADED",
  );
  expect(app).toMatchObject({
    reason: expect.stringContaining("Cannot write to the state"),
    replicas: { wanted: 1, alive: 0, ready: 0 },
  });
  expect(open.plane.stateFault).toBe(app.reason);
  expect(open.plane.documents.replicas(chat)).toMatchObject([
    { replica, state: "TERMINATED", exit: { sentence: "It was killed by signal 9." } },
  ]);
  const failure = await until(
    () => open.traffic.app("chat")?.failure,
    (found) => found !== undefined,
  );
  expect(failure?.errorType).toBe("runner_scheduling_failure");
  expect(failure?.sentence).not.toContain(open.folder);

  // It is logged once, however often it recurs.
  const linesBefore = open.log.length;
  const looks = countLooks();
  await until(looks, (count) => count > 5);
  expect(faults()).toHaveLength(1);
  expect(open.log).toHaveLength(linesBefore);

  forbidWriting(false);
  await until(routed, (names) => names.length === 1 && names[0] !== replica);
  await expect.poll(() => open.plane.stateFault).toBe(undefined);
  expect(open.plane.documents.app(chat).state).toBe("READY");
  expect(open.traffic.app("chat")?.failure).toBeUndefined();
  expect(open.plane.documents.replicas(chat)[0]).toMatchObject({ replica, state: "TERMINATED" });
});

it("a replica that cannot be recorded does not hide others", async () => {
  await open.deploy(deployment("one", { scale: { minConcurrency: 2, maxConcurrency: 2 } }));
  const both = await until(routed, ({ length }) => length === 2);
  forbidWriting(true);
  for (const replica of both) open.engine.end(replica);
  await until(routed, ({ length }) => length === 0);
  const states = open.plane.documents.replicas(chat).map(({ state }) => state);
  expect(states).toEqual(["TERMINATED", "TERMINATED"]);
});

it("is detected although nothing was being written", async () => {
  forbidWriting(true);
  await expect.poll(() => open.plane.stateFault).toBeDefined();
  forbidWriting(false);
  await expect.poll(() => open.plane.stateFault).toBe(undefined);
  expect(faults()).toHaveLength(1);
  expect(open.log.at(-1)).toContain("can be written again");
});

/** Returns a function that counts publications of the routing table since. */
function countLooks(): () => number {
  let count = 0;
  const { traffic } = open;
  const publish = traffic.publish.bind(traffic);
  traffic.publish = (apps) => {
    count += 1;
    publish(apps);
  };
  return () => count;
}

it("stopping the server still ends its replicas", async () => {
  await open.deploy(deployment("one", { scale: { minConcurrency: 2, maxConcurrency: 2 } }));
  await until(routed, ({ length }) => length === 2);
  forbidWriting(true);
  await open.plane.stopReplicas(0);
  expect(open.engine.living).toEqual([]);
  forbidWriting(false);
  // The next control plane knows that they have ended.
  await open.restart();
  await until(routed, ({ length }) => length === 2);
  expect(open.engine.started).toHaveLength(4);
});
