// Messages when the hub refuses, does not answer, or does not answer like a hub.

import { once } from "node:events";
import { createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { ProductError } from "../../../source/base/product-error.ts";
import { retryAfterSeconds } from "../../../source/store/hub/reply-error.ts";
import type { LoopbackHub } from "../../support/loopback-hub.ts";
import type { HubFaults } from "../../support/loopback-hub-requests.ts";
import {
  impatient,
  newFolder,
  openHub,
  openHubWith,
  pull,
  sentences,
  settingsFor,
} from "./pulling.ts";

async function openGuardedHub(): Promise<LoopbackHub> {
  const files = { "a-Q4_K_M.gguf": { generatedBytes: 1000 } };
  return await openHub({
    repositories: {
      "owner/gated": { files, access: "gated", readers: ["hf_reader"] },
      "owner/private": { files, access: "private", readers: ["hf_reader", "hf_other"] },
    },
  });
}

/** The error of a pull from the repository with this environment. */
async function refusal(
  hub: LoopbackHub,
  repo: string,
  environment: NodeJS.ProcessEnv = {},
): Promise<ProductError> {
  const settings = await settingsFor(hub, environment);
  const error: unknown = await pull(hub, newFolder(), { settings, reference: { repo } }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ProductError)) throw new Error(`no refusal but ${error}`);
  return error;
}

describe("a gated repository", () => {
  test("names the page to accept and how to set a token", async () => {
    const hub = await openGuardedHub();
    expect(await refusal(hub, "gated")).toMatchObject({
      code: "STORE_HUB_GATED",
      exitCode: 4,
      sentence: expect.stringMatching(
        `${hub.url}/owner/gated, then set a token: export HF_TOKEN=hf_.*${hub.url}/settings/tokens`,
      ),
    });
  });

  test("names the page and the token's owner if its terms were not accepted", async () => {
    const hub = await openGuardedHub();
    expect(await refusal(hub, "gated", { HF_TOKEN: "hf_other" })).toMatchObject({
      code: "STORE_HUB_GATED",
      hint: `Accept the terms at ${hub.url}/owner/gated with the account of the token from HF_TOKEN.`,
    });
  });

  test("names the token's missing permission in the hub's words", async () => {
    const hub = await openGuardedHub();
    const headers = { "x-error-code": "GatedRepo", "x-error-message": "Enable access to it." };
    hub.setFaults(() => ({ status: 403, headers }));
    expect(await refusal(hub, "gated", { HF_TOKEN: "hf_reader" })).toMatchObject({
      code: "STORE_HUB_GATED",
      hint: expect.stringMatching(/token from HF_TOKEN\. The hub says: Enable access to it\.$/),
    });
  });

  test("accepts a token with access", async () => {
    const hub = await openGuardedHub();
    const settings = await settingsFor(hub, { HF_TOKEN: "hf_reader" });
    const { model } = await pull(hub, newFolder(), { settings, reference: { repo: "gated" } });
    expect(model.files).toHaveLength(1);
  });
});

describe("a private repository", () => {
  test.each([
    ["without a token", {}, "STORE_HUB_REPOSITORY_NOT_FOUND", "set a token"],
    ["with no valid one", { HF_TOKEN: "hf_unknown" }, "STORE_HUB_UNAUTHORISED", "have expired"],
  ])("%s is refused with advice", async (_, environment, code, advice) => {
    const hub = await openGuardedHub();
    const error = await refusal(hub, "private", environment);
    expect(error.code).toBe(code);
    expect(error.sentence).toContain(advice);
  });

  test("accepts its reader", async () => {
    const hub = await openGuardedHub();
    const settings = await settingsFor(hub, { HF_TOKEN: "hf_reader" });
    const { model } = await pull(hub, newFolder(), { settings, reference: { repo: "private" } });
    expect(model.files).toHaveLength(1);
  });

  test("mentions an unreadable token file", async () => {
    const hub = await openGuardedHub();
    const error = await refusal(hub, "private", { HF_TOKEN_PATH: newFolder() });
    expect(error.hint).toContain("cannot be read (EISDIR)");
  });
});

describe("a refusal", () => {
  test.each([
    [403, { "x-error-message": "Enable\taccess to gated repositories." }, ": Enable access to"],
    [403, { "x-error-message": "" }, "(status 403)."],
    [451, {}, "(status 451)."],
    [403, { "x-error-message": "x".repeat(5000) }, `: ${"x".repeat(300)}.`],
  ])("with status %i and %j is reported in the hub's own words", async (status, headers, says) => {
    const hub = await openHubWith(1);
    hub.setFaults(() => ({ status, headers }));
    expect(await refusal(hub, "name")).toMatchObject({
      code: "STORE_HUB_UNAUTHORISED",
      exitCode: 4,
      message: expect.stringContaining(says),
    });
  });
});

describe("not found:", () => {
  test("a repository", async () => {
    const error = await refusal(await openHubWith(1), "nothing", {});
    expect(error).toMatchObject({ code: "STORE_HUB_REPOSITORY_NOT_FOUND", exitCode: 3 });
    expect(error.message).toContain("owner/nothing");
  });

  test("a revision", async () => {
    const hub = await openHubWith(1);
    await expect(pull(hub, newFolder(), { reference: { revision: "v9" } })).rejects.toMatchObject({
      code: "STORE_HUB_REVISION_NOT_FOUND",
      message: 'owner/name has no revision "v9".',
    });
  });

  test("a file that was listed", async () => {
    const hub = await openHubWith(1);
    hub.setFaults(({ path }) =>
      path.includes("/resolve/")
        ? { status: 404, headers: { "x-error-code": "EntryNotFound" } }
        : undefined,
    );
    await expect(pull(hub, newFolder())).rejects.toMatchObject({
      code: "STORE_HUB_FILE_NOT_FOUND",
      message: 'owner/name has no file "a-Q4_K_M.gguf".',
    });
  });
});

describe("too many requests", () => {
  const limited = (headers: Record<string, string>) => ({ status: 429, headers });

  test("are retried after the time the hub names", async () => {
    const hub = await openHubWith(1000);
    hub.setFaults(({ path, earlier }) =>
      path.includes("/revision/") && earlier === 0 ? limited({ "retry-after": "0" }) : undefined,
    );
    const { progress } = await pull(hub, newFolder());
    expect(progress[0]).toMatchObject({
      state: "retrying",
      detail: expect.stringContaining("limits the request rate"),
    });
  });

  test("with a long wait are reported with it", async () => {
    const hub = await openHubWith(1000);
    hub.setFaults(() => limited({ ratelimit: '"api";r=0;t=250' }));
    const error = await refusal(hub, "name");
    expect(error).toMatchObject({ code: "STORE_HUB_RATE_LIMITED", retryAfterSeconds: 250 });
    expect(error.sentence).toMatch(/again in 250 s.*set a token for a higher limit/);
    expect(hub.requests).toHaveLength(1);
  });

  test.each([
    [{ "retry-after": "7" }, 7],
    [{ "retry-after": "nonsense" }, undefined],
    [{ ratelimit: '"resolvers";r=0;t=12' }, 12],
    [{}, undefined],
  ])("%j is read as %s seconds", (headers, seconds) => {
    expect(retryAfterSeconds(headers)).toBe(seconds);
  });
});

describe("a failing hub", () => {
  test("is retried, with a note", async () => {
    const hub = await openHubWith(1000);
    hub.setFaults(({ earlier }) => (earlier === 0 ? { status: 503 } : undefined));
    const { progress } = await pull(hub, newFolder());
    expect(sentences(progress).join()).toMatch(/failed to answer \(status 503\).*try 2 of 3/);
  });

  test("that keeps failing is reported", async () => {
    const hub = await openHubWith(1000);
    hub.setFaults(() => ({ status: 500 }));
    expect(await refusal(hub, "name")).toMatchObject({ code: "STORE_HUB_FAILING", exitCode: 8 });
    expect(hub.requests).toHaveLength(3);
  });
});

describe("an unreachable hub", () => {
  async function refusalAt(url: string, environment: NodeJS.ProcessEnv = {}): Promise<unknown> {
    const settings = await settingsFor({ url }, environment);
    const hub = await openHubWith(1);
    return await pull(hub, newFolder(), { settings, connection: impatient }).catch(
      (error: unknown) => error,
    );
  }

  test("whose name cannot be resolved means offline, at once", async () => {
    expect(await refusalAt("https://hub.invalid")).toMatchObject({
      code: "STORE_HUB_OFFLINE",
      exitCode: 8,
      message: expect.stringContaining("hub.invalid"),
    });
  });

  test("whose port is closed", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    server.close();
    await once(server, "close");
    expect(await refusalAt(`http://127.0.0.1:${port}`)).toMatchObject({
      code: "STORE_HUB_UNREACHABLE",
      message: `The connection to 127.0.0.1:${port} failed: connection refused.`,
    });
  });

  test("that accepts connections and stays silent", async () => {
    const server = createServer((socket) => socket.on("error", () => {})).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    expect(await refusalAt(`http://127.0.0.1:${port}`)).toMatchObject({
      code: "STORE_HUB_UNREACHABLE",
      message: expect.stringContaining("no data for too long"),
    });
  });

  test("with HF_HUB_OFFLINE is never asked", async () => {
    expect(await refusalAt("https://hub.invalid", { HF_HUB_OFFLINE: "1" })).toMatchObject({
      code: "STORE_HUB_OFFLINE",
      message: expect.stringContaining("HF_HUB_OFFLINE"),
    });
  });
});

describe("an unexpected answer", () => {
  const listing =
    (body: string, headers: Record<string, string> = {}): HubFaults =>
    ({ path }) =>
      path.includes("/tree/") ? { status: 200, headers, body } : undefined;
  const answers: Record<string, [faults: HubFaults, says?: RegExp]> = {
    "a web page": [() => ({ status: 200, body: "<html>Sign in to the hotel</html>" }), /not JSON/],
    "another JSON": [() => ({ status: 200, body: '{"hello":1}' }), /commit of a revision/],
    "an odd status": [() => ({ status: 418 }), /status 418/],
    "a listing with no list": [listing('{"error":1}')],
    "a listing with a size below zero": [listing('[{"type":"file","path":"a.gguf","size":-1}]')],
    "a listing with a path out of the folder": [
      listing('[{"type":"file","path":"../../a.gguf","size":1}]'),
    ],
    "a listing with a control character in a path": [
      listing('[{"type":"file","path":"a\\u001b[2J.gguf","size":1}]'),
    ],
    "a listing with a path that is not a text": [listing('[{"type":"file","path":1,"size":1}]')],
    "an endless listing": [listing("[]", { link: '</next?cursor=1>; rel="next"' }), /is endless/],
    "a circular redirect": [
      ({ path }) => ({ status: 307, headers: { location: path } }),
      /too many redirects/,
    ],
  };

  test.each(Object.entries(answers))("%s", async (_, [faults, says = /./]) => {
    expect(await refusal(await openHubWith(1000, { faults }), "name")).toMatchObject({
      code: "STORE_HUB_REPLY_INVALID",
      message: expect.stringMatching(says),
    });
  });
});
