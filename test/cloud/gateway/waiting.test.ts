// Queued requests: their order, limits and timeouts, and retries.
import type { RequestListener, ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { defaultLimits, defaultScale } from "../../../source/cloud/app-config.ts";
import { routedApp } from "../../support/cloud-documents.ts";
import { sendBytes, sendRaw } from "../../support/http-raw.ts";
import { TestGateway, type TestReplica } from "../../support/test-gateway.ts";
import { until } from "../../support/until.ts";

const one = { ...defaultScale, maxMultiplexing: 1 };

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await TestGateway.start();
});
afterEach(async () => {
  await gateway.close();
});

/** Holds replies until the test sends them. */
function holding(): { held: ServerResponse[]; onRequest: RequestListener } {
  const held: ServerResponse[] = [];
  return { held, onRequest: (_, response) => void held.push(response) };
}

const demand = () => gateway.gateway.table.demand("acme", "chat");
const send = (path = "", request = {}) => sendRaw(`${gateway.url}/acme/chat${path}`, request);

async function untilDemand(busy: number, queued: number): Promise<void> {
  await until(demand, (now) => now.busy === busy && now.queued === queued);
}

describe("an app without a replica", () => {
  test("queues requests with their bodies and sends them to the first replica in order", async () => {
    gateway.gateway.table.publish([routedApp({ scale: one })]);
    const bodies: string[] = [];
    const replica = await gateway.addReplica(async (request, response) => {
      bodies.push(String(Buffer.concat(await request.toArray())));
      response.end();
    });
    const replies = [];
    for (const body of ["first", "second", "third"]) {
      replies.push(send("/v1", { method: "POST", body }));
      await untilDemand(0, replies.length);
    }
    expect(demand().oldestQueuedMs).toBeGreaterThan(0);
    gateway.gateway.table.publish([routedApp({ scale: one, replicas: [replica.routed()] })]);
    const headers = (await Promise.all(replies)).map((reply) => reply.headers);
    expect(bodies).toEqual(["first", "second", "third"]);
    expect(headers.map((header) => header["x-dctl-cold-start"])).toEqual(["1", "1", "1"]);
    expect(Number(headers[2]?.["x-dctl-queue-ms"])).toBeGreaterThan(0);
    await untilDemand(0, 0);
  });

  test("reports demand at once, and disconnects during the wait", async () => {
    gateway.gateway.table.publish([routedApp()]);
    const seen: number[] = [];
    const stop = gateway.gateway.table.onDemand((organisation, app) => {
      seen.push(gateway.gateway.table.demand(organisation, app).queued);
    });
    const leaving = new AbortController();
    const reply = fetch(`${gateway.url}/acme/chat`, { signal: leaving.signal });
    await untilDemand(0, 1);
    leaving.abort();
    await expect(reply).rejects.toThrow();
    await untilDemand(0, 0);
    expect(seen).toEqual([1, 0]);
    expect(await gateway.record()).toMatchObject({
      status: 499,
      errorType: "client_disconnected",
      isColdStart: true,
    });
    stop();
  });

  test("lets a request wait as long as its caller says", async () => {
    gateway.gateway.table.publish([routedApp()]);
    for (const name of ["x-dctl-start-timeout", "x-fal-request-timeout"]) {
      const reply = await send("", { headers: { [name]: "0.05" } });
      expect(reply.status).toBe(504);
      expect(reply.headers).toMatchObject({
        "x-dctl-error-type": "startup_timeout",
        "x-dctl-timeout-type": "user",
      });
    }
    const nonsense = await send("", { headers: { "x-dctl-start-timeout": "soon" } });
    expect(nonsense.headers["x-dctl-error-type"]).toBe("bad_request");
  });

  test("lets a request wait as long as its app says", async () => {
    const limits = { ...defaultLimits, requestStartTimeoutMs: 50 };
    gateway.gateway.table.publish([routedApp({ limits })]);
    const reply = await send();
    expect([reply.status, reply.headers["x-dctl-timeout-type"]]).toEqual([504, "app"]);
  });

  test("fails at once on request, but still asks for a replica", async () => {
    gateway.gateway.table.publish([routedApp({ coldStart: "fail" })]);
    const refused = await send();
    expect(refused.status).toBe(503);
    expect(refused.headers).toMatchObject({ "x-dctl-error-type": "starting", "retry-after": "5" });
    expect(demand()).toMatchObject({ busy: 0, queued: 1 });
    const patient = send("", { headers: { "x-dctl-cold-start": "wait" } });
    const replica = await gateway.addReplica((_, response) => response.end("here"));
    gateway.gateway.table.publish([routedApp({ coldStart: "fail", replicas: [replica.routed()] })]);
    expect((await patient).text).toBe("here");
    await untilDemand(0, 0);
    const odd = await send("", { headers: { "x-dctl-cold-start": "perhaps" } });
    expect(odd.status).toBe(400);
  });

  test("is neither woken nor kept awake by health checks", async () => {
    gateway.gateway.table.publish([routedApp()]);
    const cold = await send("/health?x=1");
    expect([cold.status, cold.headers["x-dctl-error-type"]]).toEqual([503, "cold"]);
    expect(demand()).toEqual({ busy: 0, queued: 0, oldestQueuedMs: 0 });
    const replica = await gateway.addReplica((_, response) => response.end("well"));
    gateway.gateway.table.publish([routedApp({ replicas: [replica.routed()] })]);
    expect((await send("/health")).text).toBe("well");
    expect(gateway.gateway.table.lastUsedAt("replica-1")).toBeUndefined();
    expect((await send("/health", { method: "POST", body: "x" })).text).toBe("well");
    expect(gateway.gateway.table.lastUsedAt("replica-1")).toBeGreaterThan(Date.now() - 60_000);
  });

  test("fails queued requests with the reason if its revision cannot start", async () => {
    gateway.gateway.table.publish([routedApp()]);
    const waiting = [send(), send()];
    await untilDemand(0, 2);
    const failure = { errorType: "startup_failed", sentence: "vllm is not there." } as const;
    gateway.gateway.table.publish([routedApp({ failure })]);
    for (const reply of [...(await Promise.all(waiting)), await send()]) {
      expect(reply.status).toBe(503);
      expect(reply.headers).toMatchObject({
        "x-dctl-error-type": "startup_failed",
        "retry-after": "30",
      });
      expect(JSON.parse(reply.text).detail).toBe("vllm is not there.");
    }
  });

  test.each([
    ["is paused", { state: "paused" } as const, 503, "app_paused"],
    ["is deleted", { state: "deleted" } as const, 410, "app_deleted"],
  ])("that %s refuses queued requests", async (_, change, status, type) => {
    gateway.gateway.table.publish([routedApp()]);
    const waiting = send();
    await untilDemand(0, 1);
    gateway.gateway.table.publish([routedApp(change)]);
    const reply = await waiting;
    expect([reply.status, reply.headers["x-dctl-error-type"]]).toEqual([status, type]);
  });

  test("reports nothing if it is published again unchanged", async () => {
    const apps = [routedApp({ state: "paused" }), routedApp({ app: "other" })];
    gateway.gateway.table.publish(apps);
    let told = 0;
    const stop = gateway.gateway.table.onDemand(() => {
      told += 1;
    });
    for (let round = 0; round < 5; round += 1) gateway.gateway.table.publish(apps);
    expect(told).toBe(0);
    stop();
  });

  test("refuses queued requests when it is unpublished", async () => {
    gateway.gateway.table.publish([routedApp()]);
    const waiting = send();
    await untilDemand(0, 1);
    gateway.gateway.table.publish([]);
    expect((await waiting).headers["x-dctl-error-type"]).toBe("app_not_found");
  });
});

describe("an app whose replicas are busy", () => {
  test("respects each replica's limit, and queued requests take free places", async () => {
    const { held, onRequest } = holding();
    await gateway.serve(onRequest, { scale: { ...one, maxMultiplexing: 2 } });
    const replies = [send(), send(), send()];
    await untilDemand(2, 1);
    expect(gateway.gateway.table.inFlight("replica-1")).toBe(2);
    held[0]?.end("a");
    await expect.poll(() => held.length).toBe(3);
    held[1]?.end("b");
    held[2]?.end("c");
    expect((await Promise.all(replies)).map(({ text }) => text).sort()).toEqual(["a", "b", "c"]);
  });

  test("refuses requests above the queue limit, with Retry-After", async () => {
    let first: ServerResponse | undefined;
    const onRequest: RequestListener = (_, response) => {
      if (first !== undefined) response.end();
      else first = response;
    };
    await gateway.serve(onRequest, { scale: one });
    const replies = Array.from({ length: 101 }, () => send());
    await untilDemand(1, 100);
    const refused = await send();
    expect(refused.status).toBe(429);
    expect(refused.headers["x-dctl-error-type"]).toBe("queue_full");
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    first?.end();
    expect((await Promise.all(replies)).every(({ status }) => status === 200)).toBe(true);
  });

  test("reports after the wait that it was busy, not asleep", async () => {
    const { onRequest } = holding();
    await gateway.serve(onRequest, { scale: one });
    const first = send().catch(() => undefined);
    await untilDemand(1, 0);
    const reply = await send("", { headers: { "x-dctl-start-timeout": "0.05" } });
    expect([reply.status, reply.headers["x-dctl-error-type"]]).toEqual([504, "queue_timeout"]);
    await gateway.gateway.close({ drainMs: 0 });
    await first;
  });
});

test("queued bodies of all apps share a limit", async () => {
  const own = await TestGateway.start({ limits: { waitingBytes: 100_000, bodyBytes: 80_000 } });
  try {
    own.gateway.table.publish([routedApp(), routedApp({ app: "other" })]);
    const body = Buffer.alloc(60_000);
    const first = sendRaw(`${own.url}/acme/chat`, { method: "POST", body });
    await expect.poll(() => own.gateway.table.demand("acme", "chat").queued).toBe(1);
    const second = await sendRaw(`${own.url}/acme/other`, { method: "POST", body });
    expect([second.status, second.headers["x-dctl-error-type"]]).toEqual([503, "overloaded"]);
    const large = { method: "POST", body: Buffer.alloc(90_000) };
    const third = await sendRaw(`${own.url}/acme/other`, large);
    expect([third.status, third.headers["x-dctl-error-type"]]).toEqual([413, "body_too_large"]);
    own.gateway.table.publish([]);
    expect((await first).status).toBe(404);
    // The whole budget is free again.
    own.gateway.table.publish([routedApp({ coldStart: "wait" })]);
    const again = sendRaw(`${own.url}/acme/chat`, { method: "POST", body });
    await expect.poll(() => own.gateway.table.demand("acme", "chat").queued).toBe(1);
    own.gateway.table.publish([]);
    await again;
    own.gateway.table.publish([routedApp()]);
    const chunked = { ...large, headers: { "transfer-encoding": "chunked" } };
    expect((await sendRaw(`${own.url}/acme/chat`, chunked)).status).toBe(413);
  } finally {
    await own.close();
  }
});

test("a stalled body is refused, and no replica waits for it", async () => {
  const own = await TestGateway.start({ limits: { uploadRate: { bytes: 100, windowMs: 50 } } });
  try {
    let asked = 0;
    await own.serve((_, response) => {
      asked += 1;
      response.end();
    });
    const reply = await sendBytes(
      own.url,
      "POST /acme/chat HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf",
    );
    expect(reply).toMatch(/^HTTP\/1\.1 408 /);
    expect(reply).toContain('"error_type":"request_stalled"');
    expect(asked).toBe(0);
    expect(own.gateway.table.inFlight("replica-1")).toBe(0);
  } finally {
    await own.close();
  }
});

describe("replicas", () => {
  async function several(count: number, onRequest: RequestListener): Promise<TestReplica[]> {
    const names = Array.from({ length: count }, (_, index) => `replica-${index + 1}`);
    return await Promise.all(names.map((name) => gateway.addReplica(onRequest, name)));
  }

  test("share requests evenly; on a tie the one used last gets the next", async () => {
    const { held, onRequest } = holding();
    const replicas = await several(3, onRequest);
    const routed = replicas.map((replica) => replica.routed());
    gateway.gateway.table.publish([routedApp({ replicas: routed })]);
    const replies = [];
    for (let count = 1; count <= 6; count += 1) {
      replies.push(send());
      await untilDemand(count, 0);
    }
    expect(routed.map(({ replica }) => gateway.gateway.table.inFlight(replica))).toEqual([2, 2, 2]);
    await expect.poll(() => held.length).toBe(6);
    for (const response of held) response.end();
    await Promise.all(replies);
    held.length = 0;
    const used = new Set<unknown>();
    for (let round = 0; round < 5; round += 1) {
      const reply = send();
      await expect.poll(() => held.length).toBe(round + 1);
      held[round]?.end();
      used.add((await reply).headers["x-dctl-replica"]);
    }
    expect(used.size).toBe(1);
  });

  test("with affinity get the same text, unless one is much busier", async () => {
    const { held, onRequest } = holding();
    const replicas = await several(3, onRequest);
    const routed = replicas.map((replica) => replica.routed());
    gateway.gateway.table.publish([routedApp({ replicas: routed })]);
    const replies = Array.from({ length: 9 }, () =>
      send("", { headers: { "x-dctl-affinity": "conversation 7" } }),
    );
    await untilDemand(9, 0);
    const counts = routed.map(({ replica }) => gateway.gateway.table.inFlight(replica));
    // Nine on three replicas: none has more than a quarter above the average.
    expect(Math.max(...counts)).toBe(4);
    await expect.poll(() => held.length).toBe(9);
    for (const response of held) response.end();
    const first = (await Promise.all(replies)).map((reply) => reply.headers["x-dctl-replica"])[0];
    held.length = 0;
    for (let round = 0; round < 4; round += 1) {
      const reply = send("", { headers: { "x-dctl-affinity": "conversation 7" } });
      await expect.poll(() => held.length).toBe(round + 1);
      held[round]?.end();
      expect((await reply).headers["x-dctl-replica"]).toBe(first);
    }
  });

  test("that drain get no new requests and are reported once empty", async () => {
    const { held, onRequest } = holding();
    const [old, fresh] = await several(2, onRequest);
    if (old === undefined || fresh === undefined) throw new Error("two were asked for");
    gateway.gateway.table.publish([routedApp({ replicas: [old.routed()] })]);
    const running = send();
    await untilDemand(1, 0);
    const replicas = [old.routed({ isOpen: false }), fresh.routed()];
    gateway.gateway.table.publish([routedApp({ replicas })]);
    const { signal } = new AbortController();
    let isDrained = false;
    const drained = gateway.gateway.table.drained("replica-1", signal).then(() => {
      isDrained = true;
    });
    const next = send();
    await expect.poll(() => held.length).toBe(2);
    held[1]?.end("new");
    expect((await next).headers["x-dctl-replica"]).toBe("replica-2");
    expect(isDrained).toBe(false);
    // A removed replica still counts its requests.
    gateway.gateway.table.publish([routedApp({ replicas: [fresh.routed()] })]);
    expect(gateway.gateway.table.inFlight("replica-1")).toBe(1);
    held[0]?.end("old");
    expect((await running).text).toBe("old");
    await drained;
    expect(gateway.gateway.table.inFlight("replica-1")).toBe(0);
    await gateway.gateway.table.drained("never-heard-of", signal);
  });

  test("can drain with an abortable wait", async () => {
    const { onRequest } = holding();
    await gateway.serve(onRequest);
    const running = send().catch(() => undefined);
    await untilDemand(1, 0);
    const giveUp = new AbortController();
    const drained = gateway.gateway.table.drained("replica-1", giveUp.signal);
    giveUp.abort(new Error("enough"));
    await expect(drained).rejects.toThrow("enough");
    await gateway.gateway.close({ drainMs: 0 });
    await running;
  });

  test("get one, two, four requests after they become ready", async () => {
    const { held, onRequest } = holding();
    const replica = await gateway.addReplica(onRequest);
    gateway.gateway.table.publish([routedApp()]);
    const replies = Array.from({ length: 20 }, () => send());
    await untilDemand(0, 20);
    gateway.gateway.table.publish([
      routedApp({ replicas: [replica.routed({ readyAt: Date.now() + 20 })] }),
    ]);
    expect(demand().busy).toBe(1);
    await untilDemand(20, 0);
    await expect.poll(() => held.length).toBe(20);
    for (const response of held) response.end();
    await Promise.all(replies);
  });
});

describe("a replica that fails before its reply", () => {
  /** Closes the connection of the first `count` requests, or of all. */
  function failing(count: number): { seen: string[]; onRequest: RequestListener } {
    const seen: string[] = [];
    return {
      seen,
      onRequest: async (request, response) => {
        seen.push(String(Buffer.concat(await request.toArray())));
        if (seen.length <= count) request.socket.destroy();
        else response.end("recovered");
      },
    };
  }

  test("is replaced by another, which gets the whole request", async () => {
    const bad = failing(1);
    const first = await gateway.addReplica(bad.onRequest, "bad");
    const second = await gateway.addReplica(async (request, response) => {
      response.end(`got ${Buffer.concat(await request.toArray())}`);
    }, "good");
    const replicas = [first.routed(), second.routed()];
    gateway.gateway.table.publish([routedApp({ replicas })]);
    const reply = await send("", { method: "POST", body: "once" });
    expect([reply.status, reply.text]).toEqual([200, "got once"]);
    expect(bad.seen).toEqual(["once"]);
    expect(reply.headers["x-dctl-replica"]).toBe("good");
  });

  test("is retried if it is the only one, three attempts in total", async () => {
    const once = failing(1);
    const url = await gateway.serve(once.onRequest);
    expect((await sendRaw(url, { method: "POST", body: "x" })).text).toBe("recovered");
    const always = failing(100);
    const replica = await gateway.addReplica(always.onRequest, "always");
    gateway.gateway.table.publish([routedApp({ replicas: [replica.routed()] })]);
    const reply = await send("", { method: "POST", body: "x" });
    expect([reply.status, reply.headers["x-dctl-error-type"]]).toEqual([
      503,
      "runner_disconnected",
    ]);
    expect(always.seen.length).toBe(3);
  });

  test("returns its request to the front of the queue, even a full one", async () => {
    const { held, onRequest } = holding();
    const order: string[] = [];
    const dying = await gateway.addReplica(onRequest, "dying");
    const fresh = await gateway.addReplica((request, response) => {
      order.push(`${request.url}`);
      response.end();
    }, "fresh");
    gateway.gateway.table.publish([routedApp({ scale: one, replicas: [dying.routed()] })]);
    const first = send("/first");
    await untilDemand(1, 0);
    const others = Array.from({ length: 100 }, () => send("/later"));
    await untilDemand(1, 100);
    gateway.gateway.table.publish([
      routedApp({ scale: one, replicas: [dying.routed({ isOpen: false })] }),
    ]);
    held[0]?.destroy();
    await untilDemand(0, 101);
    gateway.gateway.table.publish([routedApp({ scale: one, replicas: [fresh.routed()] })]);
    const replies = await Promise.all([first, ...others]);
    expect(replies.filter(({ status }) => status !== 200)).toEqual([]);
    expect([order[0], order.length]).toEqual(["/first", 101]);
  });

  test.each([
    ["its caller forbids it", { headers: { "x-dctl-no-retry": "1" }, body: "x" }],
    ["its body is large", { body: Buffer.alloc(2 * 2 ** 20) }],
  ])("is not retried when %s", async (_, request) => {
    const always = failing(100);
    const url = await gateway.serve(always.onRequest);
    const reply = await sendRaw(url, { method: "POST", ...request });
    expect([reply.status, reply.headers["x-dctl-error-type"]]).toEqual([
      503,
      "runner_disconnected",
    ]);
    expect(always.seen.length).toBe(1);
  });

  test("is avoided for a moment after it refused a connection", async () => {
    const gone = await gateway.addReplica((_, response) => response.end(), "gone");
    await gone.close();
    const there = await gateway.addReplica((_, response) => response.end("there"), "there");
    gateway.gateway.table.publish([routedApp({ replicas: [gone.routed()] })]);
    const reply = await send("", { headers: { "x-dctl-no-retry": "1" } });
    expect(reply.headers["x-dctl-error-type"]).toBe("runner_connection_refused");
    // The next request waits for the next replica.
    const waiting = send();
    await until(demand, ({ queued }) => queued === 1);
    gateway.gateway.table.publish([routedApp({ replicas: [gone.routed(), there.routed()] })]);
    expect((await waiting).text).toBe("there");
  });

  test("sends invalid HTTP", async () => {
    const url = await gateway.serve((request) => {
      request.socket.end("SSH-2.0-OpenSSH_9.2\r\n");
    });
    const reply = await sendRaw(url, {});
    expect([reply.status, reply.headers["x-dctl-error-type"]]).toEqual([
      502,
      "runner_invalid_response",
    ]);
  });

  test.each([
    ["a status beyond all", "HTTP/1.1 2000 Odd\r\nContent-Length: 0\r\n\r\n", 502],
    ["a head beyond all", `HTTP/1.1 200 OK\r\nX: ${"x".repeat(70_000)}\r\n\r\n`, 502],
    [
      "a status text of other letters",
      "HTTP/1.1 200 Gr\u00fc\u00dfe \u2713\r\nContent-Length: 2\r\n\r\nok",
      200,
    ],
  ])("sends %s", async (_, bytes, status) => {
    const url = await gateway.serve((request) => void request.socket.end(bytes));
    expect((await sendRaw(url, {})).status).toBe(status);
  });

  test("exceeds the request timeout", async () => {
    const { held, onRequest } = holding();
    const limits = { ...defaultLimits, requestTimeoutMs: 50 };
    const url = await gateway.serve(onRequest, { limits });
    const reply = await sendRaw(url, {});
    expect([reply.status, reply.headers["x-dctl-error-type"]]).toEqual([504, "request_timeout"]);
    await expect.poll(() => held[0]?.destroyed).toBe(true);
    expect(gateway.gateway.table.inFlight("replica-1")).toBe(0);
  });
});
