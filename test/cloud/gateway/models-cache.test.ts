// Cached model lists of sleeping apps, and what must not be cached.
import type { RequestListener } from "node:http";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { maxCachedBytes } from "../../../source/cloud/gateway/models-cache.ts";
import type { RoutedApp } from "../../../source/cloud/gateway/traffic.ts";
import { cloudKey, keysBy, routedApp } from "../../support/cloud-documents.ts";
import { type RawRequest, sendRaw } from "../../support/http-raw.ts";
import { TestGateway } from "../../support/test-gateway.ts";

const json = { "content-type": "application/json; charset=utf-8" };
const list = JSON.stringify({ object: "list", data: [{ id: "tiny", object: "model" }] });
const nothing = { busy: 0, queued: 0, oldestQueuedMs: 0 };

let gateway: TestGateway;
let asked: number;
let answer: RequestListener;

beforeEach(async () => {
  gateway = await TestGateway.start({
    keys: keysBy({
      own: cloudKey(),
      other: cloudKey({ id: "bbbbccccdddd", organisation: "beta" }),
    }),
  });
  asked = 0;
  answer = (_, response) => {
    response.writeHead(200, { ...json, "content-length": list.length, "x-replica": "its own" });
    response.end(list);
  };
});
afterEach(async () => {
  await gateway.close();
});

const models = (request: RawRequest = {}, path = "/v1/models") =>
  sendRaw(`${gateway.url}/acme/chat${path}`, request);
const demand = () => gateway.gateway.table.demand("acme", "chat");

const cachingApp = (changes: Partial<RoutedApp> = {}) =>
  routedApp({ modelsCache: true, ...changes });

/** Publishes the app with one replica, then lets it sleep again. */
async function wakeAndSleep(
  requests: readonly RawRequest[] = [{}],
  changes: Partial<RoutedApp> = {},
): Promise<void> {
  const replica = await gateway.addReplica((request, response) => {
    asked += 1;
    answer(request, response);
  });
  const routed = replica.routed({ revision: changes.revision ?? "r0001-00000000" });
  gateway.gateway.table.publish([cachingApp({ ...changes, replicas: [routed] })]);
  for (const request of requests) await models(request);
  gateway.gateway.table.publish([cachingApp(changes)]);
}

/** Request that fails at once if it is not answered from the cache. */
const impatient = { headers: { "x-dctl-start-timeout": "0" } };

async function expectNotCached(request: RawRequest = impatient): Promise<void> {
  const reply = await models(request);
  expect([reply.status, reply.headers["x-dctl-cache"]]).toEqual([504, undefined]);
}

describe("an app with a models cache", () => {
  test("answers from the cache while it sleeps, without waking", async () => {
    await wakeAndSleep();
    let told = 0;
    const stop = gateway.gateway.table.onDemand(() => {
      told += 1;
    });
    const reply = await models();
    expect([reply.status, reply.text]).toEqual([200, list]);
    expect(reply.headers).toMatchObject({
      "content-type": json["content-type"],
      "x-dctl-cache": "cold",
      "x-dctl-revision": "r0001-00000000",
      "x-dctl-request-id": expect.stringMatching(/^req_/),
      age: expect.stringMatching(/^\d+$/),
    });
    // Headers of the original reply are not repeated.
    expect(reply.headers).not.toHaveProperty("x-replica");
    expect(reply.headers).not.toHaveProperty("x-dctl-replica");
    const head = await models({ method: "HEAD" });
    expect([head.status, head.text]).toEqual([200, ""]);
    expect(head.headers).toMatchObject({
      "content-length": `${list.length}`,
      "x-dctl-cache": "cold",
    });
    expect([asked, told, demand()]).toEqual([1, 0, nothing]);
    expect(gateway.records.slice(1)).toMatchObject([
      { status: 200, replica: undefined, sentBytes: list.length, isColdStart: false },
      { status: 200, replica: undefined, sentBytes: 0, path: "/v1/models" },
    ]);
    stop();
  });

  test("asks its replica if there is one, and caches the last reply", async () => {
    await wakeAndSleep([{}, {}]);
    expect(asked).toBe(2);
    expect(gateway.records.map(({ replica }) => replica)).toEqual(["replica-1", "replica-1"]);
    const newer = '{"data":[]}';
    answer = (_, response) => response.writeHead(200, { ...json, "content-length": 11 }).end(newer);
    await wakeAndSleep();
    expect((await models()).text).toBe(newer);
  });

  test("answers only the list of models from the cache", async () => {
    await wakeAndSleep();
    const { headers } = impatient;
    expect((await models(impatient, "/v1/models?limit=1")).status).toBe(504);
    expect((await models(impatient, "/v1/models/")).status).toBe(504);
    expect((await models(impatient, "/v1/models/tiny")).status).toBe(504);
    expect((await models({ method: "POST", body: "{}", headers })).status).toBe(504);
    // A caller that bypasses the cache.
    await expectNotCached({ headers: { ...headers, "x-dctl-cold-start": "wait" } });
  });

  test("uses the cache even if the path never wakes it or requests do not wait", async () => {
    const changes = { noWakePaths: ["/v1/models"], coldStart: "fail" } as const;
    gateway.gateway.table.publish([cachingApp(changes)]);
    expect((await models()).headers["x-dctl-error-type"]).toBe("cold");
    await wakeAndSleep([{}], changes);
    expect((await models()).headers["x-dctl-cache"]).toBe("cold");
  });

  test("clears the cache with a new revision, even if an old replica replies later", async () => {
    await wakeAndSleep();
    gateway.gateway.table.publish([cachingApp({ revision: "r0002-00000000" })]);
    await expectNotCached();
    gateway.gateway.table.publish([cachingApp()]);
    await expectNotCached();
    // A replica of the old revision still serves while the new one is already active.
    const replica = await gateway.addReplica(answer);
    const revision = "r0002-00000000";
    gateway.gateway.table.publish([cachingApp({ revision, replicas: [replica.routed()] })]);
    expect((await models()).text).toBe(list);
    gateway.gateway.table.publish([cachingApp({ revision })]);
    await expectNotCached();
  });

  test("clears the cache when it is deleted, unpublished, or no longer has one", async () => {
    for (const between of [
      [cachingApp({ state: "deleted" })],
      [],
      [cachingApp({ modelsCache: undefined })],
    ]) {
      await wakeAndSleep();
      expect((await models()).status).toBe(200);
      gateway.gateway.table.publish(between);
      gateway.gateway.table.publish([cachingApp()]);
      await expectNotCached();
    }
  });

  test("reports that it is paused or cannot start instead of using the cache", async () => {
    await wakeAndSleep();
    const failure = { errorType: "startup_failed", sentence: "vllm is not there." } as const;
    gateway.gateway.table.publish([cachingApp({ failure })]);
    expect((await models()).headers["x-dctl-error-type"]).toBe("startup_failed");
    gateway.gateway.table.publish([cachingApp({ state: "paused" })]);
    expect((await models()).headers["x-dctl-error-type"]).toBe("app_paused");
    gateway.gateway.table.publish([cachingApp()]);
    expect((await models()).headers["x-dctl-cache"]).toBe("cold");
  });

  test("does not use the cache without a key or for another organisation", async () => {
    const own = { headers: { authorization: "Key own" } };
    const other = { headers: { authorization: "Key other", "x-dctl-start-timeout": "0" } };
    await wakeAndSleep([own], { auth: "private" });
    expect((await models()).status).toBe(401);
    expect((await models(other)).status).toBe(404);
    expect((await models(own)).headers["x-dctl-cache"]).toBe("cold");
    // In a shared app each organisation has its own list.
    answer = (request, response) => {
      const text = JSON.stringify({ key: request.headers["x-dctl-key-id"] });
      response.writeHead(200, { ...json, "content-length": text.length }).end(text);
    };
    await wakeAndSleep([own], { auth: "shared", revision: "r0002-00000000" });
    await expectNotCached(other);
    await wakeAndSleep([other], { auth: "shared", revision: "r0002-00000000" });
    expect((await models(own)).text).toContain("aaaabbbbcccc");
    expect((await models(other)).text).toContain("bbbbccccdddd");
  });
});

describe("a reply that is not cached", () => {
  const large = Buffer.alloc(maxCachedBytes + 1, " ");
  test.each<[string, RequestListener]>([
    ["is an error", (_, response) => response.writeHead(500, json).end(list)],
    ["is no JSON", (_, response) => response.writeHead(200, { "content-type": "text/html" }).end()],
    ["is too large", (_, response) => response.writeHead(200, json).end(large)],
    [
      "sets a cookie",
      (_, response) => response.writeHead(200, { ...json, "set-cookie": "a=b" }).end(list),
    ],
    [
      "is of one caller",
      (_, response) => response.writeHead(200, { ...json, "cache-control": "private" }).end(list),
    ],
    ["depends on all", (_, response) => response.writeHead(200, { ...json, vary: "*" }).end(list)],
    [
      "breaks off",
      (_, response) => {
        response.writeHead(200, { ...json, "content-length": list.length });
        response.write(list.slice(1), () => response.destroy());
      },
    ],
    [
      "has no end that could be told from a break",
      ({ socket }) =>
        void socket.end(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n${list}`),
    ],
  ])("%s", async (_, say) => {
    answer = say;
    const replica = await gateway.addReplica((request, response) => answer(request, response));
    gateway.gateway.table.publish([cachingApp({ replicas: [replica.routed()] })]);
    const reply = await fetch(`${gateway.url}/acme/chat/v1/models`);
    await reply.arrayBuffer().catch(() => undefined);
    gateway.gateway.table.publish([cachingApp()]);
    await expectNotCached();
  });

  test("leaves the previous one in the cache", async () => {
    await wakeAndSleep();
    answer = (_, response) => response.writeHead(503).end();
    await wakeAndSleep();
    expect((await models()).text).toBe(list);
  });
});

test("a request that differs in a Vary header waits for a replica", async () => {
  answer = (request, response) => {
    const { origin = "nobody" } = request.headers;
    response.writeHead(200, { ...json, vary: "Origin", "access-control-allow-origin": origin });
    response.end(list);
  };
  const from = (origin: string) => ({ headers: { origin, "x-dctl-start-timeout": "0" } });
  await wakeAndSleep([from("https://a.example")]);
  const same = await models(from("https://a.example"));
  expect([same.status, same.headers["access-control-allow-origin"]]).toEqual([
    200,
    "https://a.example",
  ]);
  await expectNotCached(from("https://b.example"));
  await expectNotCached();
});

test("lists of all organisations share a limit, and the latest stay", async () => {
  const names = ["aa", "bb", "cc"];
  const tokens = names.map((name) => [name, cloudKey({ id: name, organisation: name })]);
  const own = await TestGateway.start({ keys: keysBy(Object.fromEntries(tokens)) });
  try {
    const body = Buffer.alloc(maxCachedBytes * 0.4, "1");
    const app = cachingApp({ auth: "shared" });
    const onRequest: RequestListener = (_, response) => response.writeHead(200, json).end(body);
    const replica = await own.addReplica(onRequest);
    own.gateway.table.publish([{ ...app, replicas: [replica.routed()] }]);
    const ask = async (name: string) => {
      const headers = { authorization: `Key ${name}`, "x-dctl-start-timeout": "0" };
      return (await sendRaw(`${own.url}/acme/chat/v1/models`, { headers })).status;
    };
    for (const name of names) expect(await ask(name)).toBe(200);
    own.gateway.table.publish([app]);
    expect([await ask("aa"), await ask("bb"), await ask("cc")]).toEqual([504, 200, 200]);
  } finally {
    await own.close();
  }
});

test("an app without a cache wakes", async () => {
  const replica = await gateway.addReplica(answer);
  gateway.gateway.table.publish([routedApp({ replicas: [replica.routed()] })]);
  await models();
  gateway.gateway.table.publish([routedApp()]);
  await expectNotCached();
});
