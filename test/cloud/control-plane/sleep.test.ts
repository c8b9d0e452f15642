// Replicas that sleep when idle, wake with the next request, and stop later; with a server that has vLLM's
// routes.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ProductError } from "../../../source/base/product-error.ts";
import { until } from "../../support/until.ts";
import {
  deployment,
  type OpenControlPlane,
  openControlPlane,
} from "../support/open-control-plane.ts";

const chat = { organisation: "local", app: "chat" };
/** Times of the control plane's fast clock. */
const scale = { sleepAfterMs: 2000, stopAfterMs: 10 ** 9, keepAliveMs: 5000 };

let open: OpenControlPlane;
let server: Server;
let calls: string[];
let isSleeping: boolean;
/** Status of vLLM's routes by their paths; 404 without the development routes. */
let statuses: Record<string, number>;

beforeEach(async () => {
  open = await openControlPlane();
  calls = [];
  isSleeping = false;
  statuses = { "/is_sleeping": 200, "/sleep?level=1": 200, "/wake_up": 200 };
  server = createServer(({ url = "" }, response) => {
    calls.push(url);
    const status = statuses[url] ?? 404;
    if (status === 200 && url !== "/is_sleeping") isSleeping = url !== "/wake_up";
    response.statusCode = status;
    response.end(url === "/is_sleeping" ? JSON.stringify({ is_sleeping: isSleeping }) : "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.engine.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  await open.close();
  server.closeAllConnections();
  server.close();
});

const app = () => open.plane.documents.app(chat);
const replicas = () => open.plane.documents.livingReplicas(chat);
const events = (kind: string) =>
  open.store.events.list(chat).filter((event) => event.kind === kind);
const untilAsleep = async () => {
  await until(app, ({ state }) => state === "ASLEEP");
  await until(
    () => events("asleep"),
    ({ length }) => length > 0,
  );
};

describe("an idle replica", () => {
  it("sleeps without requests, and wakes with the next one instead of starting another", async () => {
    await open.deploy(deployment("one", { scale }));
    const [replica = ""] = open.traffic.open("chat");
    await untilAsleep();
    expect(calls).toContain("/sleep?level=1");
    expect(open.traffic.open("chat")).toEqual([]);
    expect(open.traffic.app("chat")?.reservesSleep).toBe(true);
    expect(replicas()).toMatchObject([{ replica, state: "ASLEEP" }]);
    expect(replicas()[0]?.expiresAt).toBeGreaterThan(open.clock.wallMs() + 10 ** 8);
    open.traffic.ask("chat", { queued: 1 });
    await until(
      () => open.traffic.open("chat"),
      ({ length }) => length === 1,
    );
    expect(isSleeping).toBe(false);
    expect(open.engine.started).toHaveLength(1);
    const [woken] = replicas();
    expect(woken).toMatchObject({ replica, coldStartPhasesMs: { woke: woken?.coldStartMs } });
    expect(events("woke")[0]?.sentence).toMatch(/^Replica \w+ woke after [\d.]+ s\.$/);
  });

  it("stops once it has slept for long enough", async () => {
    // Far enough behind the sleep that a busy machine does not pass over it.
    await open.deploy(deployment("one", { scale: { ...scale, stopAfterMs: 30_000 } }));
    await until(app, ({ state }) => state === "COLD");
    expect(calls).toContain("/sleep?level=1");
    expect(open.engine.stopped).toMatchObject([{ signal: "terminate" }]);
  });

  it("sleeps on under the next control plane, and wakes there", async () => {
    await open.deploy(deployment("one", { scale }));
    await untilAsleep();
    await open.restart();
    expect(app().state).toBe("ASLEEP");
    expect(open.traffic.open("chat")).toEqual([]);
    open.traffic.ask("chat", { queued: 1 });
    await until(
      () => open.traffic.open("chat"),
      ({ length }) => length === 1,
    );
    expect(open.engine.started).toHaveLength(1);
  });

  it("gives way to a new revision while it sleeps", async () => {
    await open.deploy(deployment("one", { scale }));
    const [replica] = open.traffic.open("chat");
    await untilAsleep();
    await open.deploy(deployment("two", { scale }));
    await until(
      () => open.engine.stopped,
      (stopped) => stopped.some((each) => each.replica === replica),
    );
  });
});

describe("a server", () => {
  it("that does not wake is stopped, and another one started", async () => {
    await open.deploy(deployment("one", { scale }));
    const [replica] = open.traffic.open("chat");
    await untilAsleep();
    statuses["/wake_up"] = 500;
    open.traffic.ask("chat", { queued: 1 });
    const [fresh] = await until(
      () => open.traffic.open("chat"),
      ({ length }) => length === 1,
    );
    expect(fresh).not.toBe(replica);
    expect(open.engine.stopped).toContainEqual({ replica, signal: "kill" });
    expect(events("sleep_failed")[0]?.sentence).toBe(
      `Replica ${replica} did not wake: POST /wake_up returned status 500. It is stopped, and another one started.`,
    );
  });

  it("that does not fall asleep is stopped", async () => {
    statuses["/sleep?level=1"] = 500;
    await open.deploy(deployment("one", { scale }));
    await until(app, ({ state }) => state === "COLD");
    expect(events("sleep_failed")[0]?.sentence).toContain("did not fall asleep");
  });

  it("without development routes says so once, and stops after keep_alive", async () => {
    statuses = {};
    await open.deploy(deployment("one", { scale }));
    await until(app, ({ state }) => state === "COLD");
    expect(events("sleepless")).toHaveLength(1);
    expect(events("sleepless")[0]?.sentence).toMatch(/404.*VLLM_SERVER_DEV_MODE=1.*keep_alive/);
    expect(calls).not.toContain("/sleep?level=1");
  });
});

it("stop_after must come after sleep_after", async () => {
  await open.deploy(deployment("one", { scale }));
  for (const change of [{ stopAfterMs: 2000 }, { stopAfterMs: 10, sleepAfterMs: 50 }]) {
    expect(() => open.plane.commands.scale(chat, change)).toThrow(ProductError);
  }
});
