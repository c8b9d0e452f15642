// Access control: the Authorization header, paths, scopes, rate limits, and the form of errors.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { cloudKey, keysBy, routedApp } from "../../support/cloud-documents.ts";
import { sendBytes, sendRaw } from "../../support/http-raw.ts";
import { TestGateway, type TestReplica } from "../../support/test-gateway.ts";

const tokens = {
  own: cloudKey({ id: "ownkeyownkey" }),
  foreign: cloudKey({ id: "foreignforei", organisation: "other" }),
  admin: cloudKey({ id: "adminadminad", scope: "admin" }),
  reader: cloudKey({ id: "readerreader", scope: "api:read" }),
  narrow: cloudKey({ id: "narrownarrow", apps: ["elsewhere"] }),
  fitting: cloudKey({ id: "fittingfitti", apps: ["secret", "elsewhere"] }),
  slow: cloudKey({ id: "slowslowslow", requestsPerMinute: 2 }),
};

let gateway: TestGateway;
let replica: TestReplica;
beforeEach(async () => {
  gateway = await TestGateway.start({ keys: keysBy(tokens) });
  replica = await gateway.addReplica((request, response) => {
    response.end(`${request.headers["x-dctl-key-id"]}`);
  });
  const replicas = [replica.routed()];
  const apps = (["private", "shared", "public"] as const).map((auth) => {
    return routedApp({ app: auth === "private" ? "secret" : auth, auth, replicas });
  });
  gateway.gateway.table.publish([
    ...apps,
    routedApp({ app: "gone", auth: "public", state: "deleted" }),
    routedApp({ app: "gone-secret", auth: "private", state: "deleted" }),
    routedApp({ app: "resting", auth: "public", state: "paused" }),
  ]);
});
afterEach(async () => {
  await gateway.close();
});

/** @param authorization undefined to send no such header */
async function call(path: string, authorization?: string, method = "GET") {
  const headers = authorization === undefined ? {} : { authorization };
  const reply = await sendRaw(gateway.url + path, { method, headers });
  const { "x-dctl-error-type": type, "www-authenticate": challenge } = reply.headers;
  return { status: reply.status, type, challenge, text: reply.text, headers: reply.headers };
}

describe("an app that sleeps", () => {
  beforeEach(() => {
    const replicas = [replica.routed()];
    gateway.gateway.table.publish([
      routedApp({ app: "sleepy", auth: "public", reservesSleep: true, replicas }),
      routedApp({ app: "other", auth: "public", replicas }),
    ]);
  });

  test.each([
    ...["/sleep", "/sleep?level=2", "/sleep/", "/%73leep", "/wake_up", "/v1/../wake_up"],
    ..."/v1/%2e%2e/sleep/?level=1".split(" "),
  ])("keeps %s for the control plane", async (path) => {
    for (const method of ["POST", "GET"]) {
      const refused = await call(`/acme/sleepy${path}`, undefined, method);
      expect(refused).toMatchObject({ status: 403, type: "path_reserved" });
    }
    expect((await call(`/acme/other${path}`)).status).toBe(200);
  });

  test.each(["/sleeper", "/v1/sleep", "/is_sleeping", "/%", "//"])("passes on %s", async (path) => {
    expect((await call(`/acme/sleepy${path}`)).status).toBe(200);
  });
});

describe("a private app", () => {
  test.each([
    ["no header", undefined, 401, "auth_missing"],
    ["Bearer", "Bearer own", 401, "auth_scheme"],
    ["Basic", "Basic b3du", 401, "auth_scheme"],
    ["a scheme in lower case", "key own", 401, "auth_scheme"],
    ["a token alone", "own", 401, "auth_scheme"],
    ["a scheme alone", "Key", 401, "auth_scheme"],
    ["two spaces", "Key  own", 401, "auth_invalid"],
    ["an unknown token", "Key unknown", 401, "auth_invalid"],
  ])("refuses %s", async (_, authorization, status, type) => {
    const reply = await call("/acme/secret/v1", authorization);
    expect(reply).toMatchObject({ status, type, challenge: 'Key realm="acme/secret"' });
    const body = JSON.parse(reply.text);
    expect(body).toEqual({
      detail: expect.stringMatching(/\.$/),
      error_type: type,
      error: { message: body.detail, type, code: type, param: null },
      request_id: reply.headers["x-dctl-request-id"],
    });
    expect(reply.headers["content-type"]).toBe("application/json");
  });

  test("explains the header if its scheme is wrong", async () => {
    const { detail } = JSON.parse((await call("/acme/secret", "Bearer own")).text);
    expect(detail).toContain("uses the scheme Bearer. Send it as 'Authorization: Key <token>'.");
    expect(detail).toContain('default_headers={"Authorization": "Key <token>"} in Python');
    expect(detail).toContain('defaultHeaders: { Authorization: "Key <token>" } in JavaScript');
    expect((await call("/acme/secret", "Basic own")).text).not.toContain("OpenAI");
  });

  test.each([
    ["own", "own", "ownkeyownkey"],
    ["an admin's", "admin", "adminadminad"],
    ["one for this app among others", "fitting", "fittingfitti"],
  ])("lets in %s key, and tells the replica its id", async (_, token, id) => {
    const reply = await call("/acme/secret/v1", `Key ${token}`, "POST");
    expect([reply.status, reply.text]).toEqual([200, id]);
  });

  test("does not exist for a key of another organisation", async () => {
    const reply = await call("/acme/secret", "Key foreign");
    expect(reply).toMatchObject({ status: 404, type: "app_not_found", challenge: undefined });
  });

  test("is forbidden for a key without the app or scope", async () => {
    expect(await call("/acme/secret", "Key narrow")).toMatchObject({
      status: 403,
      type: "auth_forbidden",
    });
    expect((await call("/acme/secret", "Key reader", "POST")).status).toBe(403);
    expect((await call("/acme/secret", "Key reader", "GET")).status).toBe(200);
  });

  test("rejects two Authorization headers, even with the same key", async () => {
    const reply = await sendBytes(
      gateway.url,
      "GET /acme/secret HTTP/1.1\r\nHost: a\r\nAuthorization: Key own\r\nAuthorization: Key own\r\nConnection: close\r\n\r\n",
    );
    expect(reply).toMatch(/^HTTP\/1\.1 400 /);
    expect(reply).toContain('"error_type":"bad_request"');
  });

  test("looks like a missing app to callers without a key", async () => {
    const there = await call("/acme/secret", "Key wrong");
    const nowhere = await call("/acme/nowhere", "Key wrong");
    const deleted = await call("/acme/gone-secret", "Key wrong");
    expect(nowhere.status).toBe(401);
    expect(nowhere.challenge).toBe('Key realm="acme/nowhere"');
    const told = (text: string) => JSON.parse(text).detail;
    expect([told(nowhere.text), told(deleted.text)]).toEqual([told(there.text), told(there.text)]);
    expect((await call("/acme/nowhere", "Key own")).type).toBe("app_not_found");
  });
});

test("a shared app accepts any key of the server, but requires one", async () => {
  expect((await call("/acme/shared", "Key foreign")).text).toBe("foreignforei");
  expect((await call("/acme/shared", "Key own")).text).toBe("ownkeyownkey");
  expect((await call("/acme/shared")).type).toBe("auth_missing");
  expect((await call("/acme/shared", "Key narrow")).status).toBe(403);
});

test("a public app accepts everyone, with any header", async () => {
  for (const authorization of [undefined, "Bearer x", "Key wrong", "Key own"]) {
    expect((await call("/acme/public", authorization)).text).toBe("undefined");
  }
});

test("deleted and paused apps have errors of their own", async () => {
  expect(await call("/acme/gone/v1")).toMatchObject({ status: 410, type: "app_deleted" });
  expect(await call("/acme/gone-secret/v1", "Key own")).toMatchObject({ status: 410 });
  expect(await call("/acme/resting/v1")).toMatchObject({ status: 503, type: "app_paused" });
});

test.each([
  "/",
  "/acme",
  "/acme/",
  "/v1/models",
  "/health/x",
  "/admin/x",
  "//acme/public",
  "/acme//public",
  "/acme/../public",
  "/acme/%2e%2e/x",
  "/acme%2Fpublic/x",
  "/acme/public%2Fv1",
  "/ACME/public",
  "/acme/pub--li--c",
  "/acme/-public",
  "/acme/public%00",
  "/_/v1/status",
  "*",
])("%s is not the path of an app", async (target) => {
  const reply = await sendBytes(
    gateway.url,
    `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
  );
  expect(reply).toMatch(/^HTTP\/1\.1 404 /);
  expect(reply).toContain('"error_type":"not_found"');
});

test("a long URL and large headers get errors in the same form", async () => {
  const long = await call(`/acme/public/${"x".repeat(17 * 1024)}`);
  expect(long).toMatchObject({ status: 414, type: "uri_too_long" });
  const large = await sendBytes(
    gateway.url,
    `GET /acme/public HTTP/1.1\r\nHost: a\r\nX-Large: ${"x".repeat(33 * 1024)}\r\n\r\n`,
  );
  expect(large).toMatch(/^HTTP\/1\.1 431 /);
  expect(large).toContain('"error_type":"headers_too_large"');
});

test("invalid HTTP and unsupported expectations are rejected", async () => {
  expect(await sendBytes(gateway.url, "hello\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 /);
  const odd = await sendBytes(
    gateway.url,
    "GET /acme/public HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\nConnection: close\r\n\r\n",
  );
  expect(odd).toMatch(/^HTTP\/1\.1 417 /);
});

test("a key is limited to its requests per minute", async () => {
  const replies = [];
  for (let round = 0; round < 3; round += 1) replies.push(await call("/acme/secret", "Key slow"));
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 429]);
  expect(replies[2]?.type).toBe("rate_limited");
  expect(Number(replies[2]?.headers["retry-after"])).toBeGreaterThan(0);
  expect((await call("/acme/secret", "Key own")).status).toBe(200);
});

test("an address with many wrong keys must wait, but a valid key still works", async () => {
  const statuses: number[] = [];
  for (let round = 0; round < 22; round += 1) {
    statuses.push((await call("/acme/secret", `Key wrong-${round}`)).status);
  }
  expect(statuses).toEqual([...Array<number>(20).fill(401), 429, 429]);
  expect((await call("/acme/secret", "Key own")).status).toBe(200);
  expect(gateway.log).toEqual(["request from 127.0.0.1 without a valid key"]);
});

test("health checks report only liveness and readiness", async () => {
  expect(await call("/_/healthz")).toMatchObject({ status: 200, text: "ok\n" });
  expect(await call("/_/readyz")).toMatchObject({ status: 200, text: "ready\n" });
  const extended = await TestGateway.start({
    keys: keysBy(tokens),
    internalRoute: (request, response, key) => {
      if (request.url !== "/_/v1/who") return false;
      response.end(key?.scope ?? "nobody");
      return true;
    },
  });
  try {
    const headers = { authorization: "Key admin" };
    expect((await sendRaw(`${extended.url}/_/v1/who`, { headers })).text).toBe("admin");
    expect((await sendRaw(`${extended.url}/_/v1/who`, {})).text).toBe("nobody");
    expect((await sendRaw(`${extended.url}/_/v1/else`, { headers })).status).toBe(404);
  } finally {
    await extended.close();
  }
});

test("a refused request with a short body keeps its connection, one with a long body closes it", async () => {
  const post = (bytes: number) =>
    `POST /acme/secret HTTP/1.1\r\nHost: a\r\nContent-Length: ${bytes}\r\n\r\n${"x".repeat(bytes)}`;
  const last = "GET /acme/public HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  const short = await sendBytes(gateway.url, post(1000) + last);
  expect(short.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 401", "HTTP/1.1 200"]);
  const long = await sendBytes(gateway.url, post(300_000) + last);
  expect(long.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 401"]);
  expect(long).toContain("auth_missing");
});

test("an internal error is logged and costs only one request", async () => {
  const broken = await TestGateway.start({
    keys: {
      verify: (token) => {
        if (token === "own") return tokens.own;
        throw new Error("the store is gone");
      },
    },
  });
  try {
    broken.gateway.table.publish([routedApp({ auth: "private", replicas: [replica.routed()] })]);
    const send = (token: string) =>
      sendRaw(`${broken.url}/acme/chat`, { headers: { authorization: `Key ${token}` } });
    const reply = await send("other");
    expect([reply.status, reply.headers["x-dctl-error-type"]]).toEqual([500, "unexpected"]);
    expect(reply.text).not.toContain("store");
    expect(broken.log.join()).toContain("the store is gone");
    expect((await send("own")).status).toBe(200);
  } finally {
    await broken.close();
  }
});

test("refused requests are recorded, without the name of an unknown app", async () => {
  await call("/acme/secret/v1?token=1", "Key narrow");
  await call("/made/up", "Key own");
  expect(gateway.records).toMatchObject([
    {
      organisation: "acme",
      app: "secret",
      keyId: "narrownarrow",
      path: "/v1",
      status: 403,
      errorType: "auth_forbidden",
    },
    { organisation: undefined, app: undefined, path: "/made/up", status: 404 },
  ]);
});
