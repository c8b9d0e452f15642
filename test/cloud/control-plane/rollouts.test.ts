// Rollouts: a new revision is verified before it takes over, and a failed one changes nothing.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ProductError } from "../../../source/base/product-error.ts";
import type { DeployEvent } from "../../../source/cloud/admin/documents.ts";
import { engineWarningCodes } from "../../../source/cloud/engines/engine-warnings.ts";
import { cloudErrors } from "../../../source/cloud/errors.ts";
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
const one = deployment("one");
const two = deployment("two");
const last = (events: DeployEvent[]) => events.at(-1);
const active = () => open.plane.documents.app(chat).activeRevision;
const states = () =>
  open.plane.documents.revisions(chat).map(({ revision, state }) => [revision.slice(0, 5), state]);

describe("a first deployment", () => {
  it("is built, started, verified and activated, and its replica gets requests", async () => {
    const events = await open.deploy(one);
    const phases = events.flatMap((event) => (event.kind === "phase" ? [event.phase] : []));
    expect(phases).toEqual(["build", "start", "activate"]);
    expect(last(events)).toMatchObject({
      kind: "done",
      result: {
        app: "local/chat",
        status: "active",
        url: "http://127.0.0.1:8480/local/chat",
        auth: "private",
        previous: undefined,
        revision: expect.stringMatching(/^r0001-[0-9a-f]{8}$/),
      },
    });
    expect(open.traffic.open("chat")).toEqual([open.engine.started[0]?.replica]);
    expect(open.plane.documents.app(chat).state).toBe("READY");
  });

  it("is invisible to callers until it is verified", async () => {
    open.engine.fate = () => "wait";
    const deploying = open.deploy(one);
    const [replica] = await until(
      () => open.engine.living,
      ({ length }) => length === 1,
    );
    expect(open.traffic.app("chat")).toBeUndefined();
    expect(open.plane.documents.app(chat).state).toBe("STARTING");
    open.engine.become(replica ?? "", "ready");
    expect(last(await deploying)?.kind).toBe("done");
    expect(open.traffic.open("chat")).toEqual([replica]);
  });

  it("that fails leaves an app with the reason", async () => {
    open.engine.fate = () => ({ exit: { reason: "import_error", sentence: "No module torch." } });
    const events = await open.deploy(one);
    expect(last(events)).toMatchObject({
      kind: "failed",
      code: cloudErrors.startFailed.code,
      exitCode: 6,
      reason: "import_error",
      sentence: expect.stringMatching(
        /No module torch\. Run `deployctl logs local\/chat --rev r0001-\w+` for its log\.$/,
      ),
    });
    expect(open.plane.documents.app(chat)).toMatchObject({
      state: "FAILED",
      activeRevision: undefined,
      reason: expect.stringContaining("No module torch."),
    });
  });
});

describe("a new revision", () => {
  it("takes over when it is ready; the old replica drains", async () => {
    await open.deploy(one);
    const [old] = open.engine.living;
    open.traffic.hold(old ?? "", 1);
    const events = await open.deploy(two);
    expect(last(events)).toMatchObject({
      result: { status: "active", previous: expect.stringMatching(/^r0001/) },
    });
    const [, fresh] = open.engine.started;
    expect(open.traffic.open("chat")).toEqual([fresh?.replica]);
    // The old replica finishes its requests.
    expect(open.engine.living).toContain(old);
    expect(open.engine.stopped).toEqual([]);
    open.traffic.hold(old ?? "", 0);
    await expect.poll(() => open.engine.living).toHaveLength(1);
    expect(open.engine.stopped).toEqual([{ replica: old, signal: "terminate" }]);
    expect(states()).toEqual([
      ["r0002", "ACTIVE"],
      ["r0001", "SUPERSEDED"],
    ]);
  });

  it("takes over with as many ready replicas as the old one has", async () => {
    const scale = { minConcurrency: 3, maxConcurrency: 5 };
    await open.deploy(deployment("one", { scale }));
    const old = await until(
      () => open.traffic.open("chat"),
      ({ length }) => length === 3,
    );
    open.engine.fate = () => "wait";
    const deploying = open.deploy(deployment("two", { scale: { maxConcurrency: 5 } }));
    const fresh = () => open.engine.started.slice(3).map(({ replica }) => replica);
    for (const count of [1, 3]) {
      await until(fresh, ({ length }) => length === count);
      expect(open.traffic.open("chat").toSorted()).toEqual(old.toSorted());
      if (count === 1) open.engine.become(fresh()[0] ?? "", "ready");
    }
    open.engine.become(fresh()[1] ?? "", "ready");
    // One of them fails, which does not delay the verified revision.
    open.engine.end(fresh()[2] ?? "");
    expect(last(await deploying)).toMatchObject({ result: { status: "active" } });
    expect(open.traffic.open("chat").toSorted()).toEqual(fresh().slice(0, 2).toSorted());
  });

  it("that exits at once is tried three times, and the old one stays", async () => {
    await open.deploy(one);
    const first = active();
    const [old] = open.traffic.open("chat");
    open.engine.fate = () => ({ exit: { sentence: "It exited with code 3.", tail: ["boom"] } });
    const events = await open.deploy(two);
    expect(last(events)).toMatchObject({ kind: "failed", exitCode: 6, tail: ["boom"] });
    expect(open.engine.started).toHaveLength(4);
    expect(open.traffic.open("chat")).toEqual([old]);
    expect(active()).toBe(first);
    expect(states()).toEqual([
      ["r0002", "FAILED"],
      ["r0001", "ACTIVE"],
    ]);
    const kinds = open.store.events.list({}).map(({ kind }) => kind);
    expect(kinds).toContain("rolled_back");
  });

  it.each([
    ["import_error", cloudErrors.startFailed.code, 6],
    ["returned", cloudErrors.startFailed.code, 6],
    ["startup_timeout", cloudErrors.startTimeout.code, 7],
  ])("that exits with %s is not retried", async (reason, code, exitCode) => {
    open.engine.fate = () => ({ exit: { reason } });
    expect(last(await open.deploy(one))).toMatchObject({ kind: "failed", code, exitCode, reason });
    expect(open.engine.started).toHaveLength(1);
  });

  it("whose environment cannot be built fails with that error", async () => {
    await open.deploy(one);
    open.engine.prepareFault = new ProductError(
      { code: "CLOUD_X", status: 422, exitCode: 6, description: "" },
      { message: "pip found no torch." },
    );
    expect(last(await open.deploy(two))).toMatchObject({
      kind: "failed",
      code: "CLOUD_X",
      exitCode: 6,
    });
    expect(open.engine.started).toHaveLength(1);
    expect(open.traffic.open("chat")).toHaveLength(1);
  });

  it("that needs a missing secret is refused before anything starts", async () => {
    const request = deployment("one");
    request.config = { ...request.config, secretNames: ["HF_TOKEN"] };
    expect(last(await open.deploy(request))).toMatchObject({
      code: cloudErrors.secretUnknown.code,
    });
    expect(open.engine.started).toEqual([]);
    open.store.secrets.setSecret(
      { organisation: "local", environment: "main" },
      "HF_TOKEN",
      "hf_x",
    );
    expect(last(await open.deploy(request))?.kind).toBe("done");
    expect(open.engine.started[0]?.secrets).toEqual({ HF_TOKEN: "hf_x" });
  });
});

it("starts no replica for long answers of the old one", async () => {
  const scale = { maxMultiplexing: 1, maxConcurrency: 4, keepAliveMs: 0 };
  await open.deploy(deployment("one", { scale }));
  open.traffic.ask("chat", { busy: 2 });
  const old = await until(
    () => open.traffic.open("chat"),
    ({ length }) => length === 2,
  );
  for (const replica of old) open.traffic.hold(replica, 1);
  await open.deploy(deployment("two", { scale }));
  await expect.poll(() => open.traffic.open("chat")).toHaveLength(0);
  expect(open.engine.living.toSorted()).toEqual(old.toSorted());
  // New requests do scale the new revision up.
  open.traffic.ask("chat", { busy: 2, queued: 1 });
  await expect.poll(() => open.traffic.open("chat")).toHaveLength(1);
  expect(open.engine.living).toHaveLength(3);
});

it.each(engineWarningCodes)("explains the warning %s", async (code) => {
  open.engine.warnings = [code];
  const events = await open.deploy(deployment("one"));
  const told = events.find((event) => event.kind === "warning");
  expect(told).toMatchObject({ code, sentence: expect.stringMatching(/^The|^This/) });
  expect(JSON.stringify(last(events))).toContain(told?.sentence);
  expect(told?.sentence).not.toContain(code);
});

describe("the smoke test", () => {
  it.each([
    [200, "done"],
    [500, "failed"],
  ])("answered with %i: the deployment is %s", async (status, kind) => {
    // Its replica has a path at a proxy.
    const server = createServer(({ url }, response) => {
      response.writeHead(url === "/one/v1/models" ? status : 404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    open.engine.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/one`;
    try {
      const events = await open.deploy(deployment("one", { smoke: "GET /v1/models" }));
      expect(last(events)?.kind).toBe(kind);
      const isActive = open.traffic.open("chat").length === 1;
      expect(isActive).toBe(kind === "done");
      if (kind === "failed") {
        expect(last(events)).toMatchObject({ code: cloudErrors.verificationFailed.code });
        await expect.poll(() => open.engine.living).toHaveLength(0);
      }
    } finally {
      server.close();
    }
  });

  const models = '{"data":[{"id":"maker/one"}]}';
  it.each([
    ["models that chat", 200, models, 200, "openai"],
    ["models, but is too busy to chat", 200, models, 503, "openai"],
    ["models that cannot chat", 200, models, 400, "http"],
    ["models without a route for chats", 200, models, 404, "http"],
    ["no models", 200, '{"data":[]}', 200, "http"],
    ["a page", 200, "<html>", 200, "http"],
    ["an error", 404, models, 200, "http"],
  ])("of a server that lists %s finds its API", async (_, status, body, chatStatus, kind) => {
    const authorizations = new Set<unknown>();
    const server = createServer(({ headers, url }, response) => {
      authorizations.add(headers.authorization);
      if (url === "/v1/models") response.writeHead(status).end(body);
      else response.writeHead(url === "/v1/chat/completions" ? chatStatus : 500).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    open.engine.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const request = deployment("one");
      request.config = { ...request.config, upstreamAuthorizationSecret: "UPSTREAM" };
      open.store.secrets.setSecret(
        { organisation: "local", environment: "main" },
        "UPSTREAM",
        "Bearer own",
      );
      // Before it answers, the script decides.
      request.inspection = { ...request.inspection, command: ["vllm", "serve", "guess"] };
      const api = kind === "openai" ? { kind, model: "maker/one" } : { kind };
      expect(last(await open.deploy(request))).toMatchObject({ kind: "done", result: { api } });
      expect(open.plane.documents.app({ organisation: "local", app: "chat" })).toMatchObject({
        api,
      });
      expect([...authorizations]).toEqual(["Bearer own"]);
    } finally {
      server.close();
    }
  });

  it("fails if the replica exits after it", async () => {
    await open.deploy(one);
    const first = active();
    const server = createServer(async ({ url }, response) => {
      if (url !== "/smoke") return response.writeHead(404).end();
      const replica = open.engine.started[1]?.replica ?? "";
      open.engine.end(replica, { sentence: "Out of memory." });
      await expect.poll(() => open.store.replicas.find(replica)?.stage).toBe("ended");
      response.writeHead(200).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    open.engine.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      expect(last(await open.deploy({ ...two, smoke: "GET /smoke" }))).toMatchObject({
        kind: "failed",
        sentence: expect.stringContaining("Out of memory."),
      });
      expect(active()).toBe(first);
      expect(open.traffic.open("chat")).toHaveLength(1);
    } finally {
      server.close();
    }
  });

  it("with an invalid request is refused at once", async () => {
    for (const smoke of ["GET models", "GET //elsewhere/", "DELETE /", "GET /a b"]) {
      await expect(open.deploy(deployment("one", { smoke }))).rejects.toThrow(ProductError);
    }
  });
});

describe("a machine with room for one replica", () => {
  beforeEach(() => {
    open.engine.slots = 1;
  });

  it("stops the old replica first and says so; callers wait", async () => {
    await open.deploy(one);
    const [old] = open.engine.living;
    open.traffic.hold(old ?? "", 1);
    const deploying = open.deploy(two);
    await expect.poll(() => open.traffic.open("chat")).toHaveLength(0);
    expect(open.traffic.app("chat")).toMatchObject({ state: "active", failure: undefined });
    expect(open.engine.started).toHaveLength(1);
    open.traffic.hold(old ?? "", 0);
    const events = await deploying;
    expect(events).toContainEqual(expect.objectContaining({ kind: "warning", code: "recreated" }));
    expect(last(events)?.kind).toBe("done");
    expect(open.traffic.open("chat")).toEqual([open.engine.started[1]?.replica]);
  });

  it("restarts the old revision when the new one fails", async () => {
    await open.deploy(one);
    const first = active();
    open.engine.fate = ({ plan }) =>
      plan.revision === first ? "ready" : { exit: { reason: "import_error" } };
    expect(last(await open.deploy(two))?.kind).toBe("failed");
    await expect.poll(() => open.traffic.open("chat")).toHaveLength(1);
    expect(active()).toBe(first);
    expect(open.engine.started.at(-1)?.plan.revision).toBe(first);
  });
});

it("an app too large for the machine fails with exit code 9 and the reason", async () => {
  open.engine.slots = 0;
  open.engine.shortage = { reason: "asked H100, host has no GPU", canEverFit: false };
  const events = await open.deploy(one);
  expect(last(events)).toMatchObject({
    kind: "failed",
    code: cloudErrors.noCapacity.code,
    exitCode: 9,
    reason: "unschedulable",
    sentence: expect.stringContaining("asked H100, host has no GPU"),
  });
  expect(open.engine.started).toEqual([]);
  expect(events.filter(({ kind }) => kind === "phase")).toEqual([]);
  expect(open.plane.documents.app(chat)).toMatchObject({
    state: "UNSCHEDULABLE",
    reason: expect.stringContaining("asked H100, host has no GPU"),
  });
});

describe("deploying the same again", () => {
  it("is no change unless forced", async () => {
    await open.deploy(one);
    expect(await open.deploy(one)).toMatchObject([
      { kind: "done", result: { status: "no_change" } },
    ]);
    expect(open.engine.started).toHaveLength(1);
    await open.deploy({ ...one, isForced: true });
    expect(open.plane.documents.revisions(chat)).toHaveLength(2);
  });

  it("is a change if a secret or setting differs", async () => {
    await open.deploy({ ...one, secrets: { API_KEY: "a" } });
    expect(last(await open.deploy({ ...one, secrets: { API_KEY: "a" } }))).toMatchObject({
      result: { status: "no_change" },
    });
    for (const changed of [
      { ...one, secrets: { API_KEY: "b" } },
      deployment("one", { scale: { keepAliveMs: 1 }, kept: ["API_KEY"] }),
    ]) {
      expect(last(await open.deploy(changed))).toMatchObject({ result: { status: "active" } });
    }
  });

  it("keeps secrets whose values only the server has, and loses none in silence", async () => {
    await open.deploy({ ...one, secrets: { API_KEY: "a", OTHER_KEY: "o" } });
    const next = deployment("two");
    await expect(open.deploy({ ...next, kept: ["API_KEY"] })).rejects.toMatchObject({
      code: cloudErrors.conflict.code,
      message: "The app has variables that this deployment does not mention: OTHER_KEY.",
    });
    const events = await open.deploy({ ...next, kept: ["API_KEY"], unset: ["OTHER_KEY"] });
    expect(last(events)).toMatchObject({
      result: { variables: { kept: ["API_KEY"], removed: ["OTHER_KEY"] } },
    });
    expect(open.engine.started.at(-1)?.secrets).toEqual({ API_KEY: "a" });
    const again = await open.deploy({ ...deployment("three"), secrets: { API_KEY: "b" } });
    expect(last(again)).toMatchObject({
      result: { variables: { kept: [], changed: ["API_KEY"] } },
    });
  });

  it("is a change if a stored secret or a variable of the app has another value", async () => {
    const named = { ...one, config: { ...one.config, secretNames: ["HF_TOKEN"] } };
    const status = async () => last(await open.deploy(named));
    open.store.secrets.setSecret(
      { organisation: "local", environment: "main" },
      "HF_TOKEN",
      "hf_x",
    );
    expect(await status()).toMatchObject({ result: { status: "active" } });
    expect(await status()).toMatchObject({ result: { status: "no_change" } });
    open.store.secrets.setSecret(
      { organisation: "local", environment: "main" },
      "HF_TOKEN",
      "hf_y",
    );
    expect(await status()).toMatchObject({ result: { status: "active" } });
    open.store.secrets.setVariables(chat, { LEVEL: "debug" });
    expect(await status()).toMatchObject({ result: { status: "active" } });
    expect(await status()).toMatchObject({ result: { status: "no_change" } });
  });

  it("while it is being deployed follows that deployment", async () => {
    open.engine.fate = () => "wait";
    const both = [open.deploy(one), open.deploy(one)];
    const [replica] = await until(
      () => open.engine.living,
      ({ length }) => length === 1,
    );
    open.engine.become(replica ?? "", "ready");
    for (const events of await Promise.all(both)) {
      expect(last(events)).toMatchObject({ result: { status: "active" } });
    }
    expect(open.plane.documents.revisions(chat)).toHaveLength(1);
  });
});

describe("deploying another during a deployment", () => {
  it("is a conflict, or replaces it when forced", async () => {
    open.engine.fate = () => "wait";
    const first = open.deploy(one);
    await expect.poll(() => open.engine.living).toHaveLength(1);
    await expect(open.deploy(two)).rejects.toMatchObject({ code: cloudErrors.conflict.code });
    open.engine.fate = () => "ready";
    const second = await open.deploy({ ...two, isForced: true });
    expect(last(await first)).toMatchObject({
      kind: "failed",
      code: cloudErrors.deployAborted.code,
    });
    expect(last(second)?.kind).toBe("done");
    expect(states()).toEqual([
      ["r0002", "ACTIVE"],
      ["r0001", "ABORTED"],
    ]);
  });

  it("is a conflict too if it is active, as it is about to be replaced", async () => {
    await open.deploy(one);
    open.engine.fate = () => "wait";
    const deploying = open.deploy(two);
    await expect.poll(() => open.engine.living).toHaveLength(2);
    await expect(open.deploy(one)).rejects.toMatchObject({ code: cloudErrors.conflict.code });
    open.engine.become(open.engine.started[1]?.replica ?? "", "ready");
    expect(last(await deploying)?.kind).toBe("done");
  });
});

it("a detached deployment returns after the build and is still verified", async () => {
  await open.deploy(one);
  open.engine.fate = () => "wait";
  const events = await open.deploy({ ...two, isDetached: true });
  expect(last(events)).toMatchObject({ kind: "done", result: { status: "rolling_out" } });
  expect(open.plane.documents.app(chat).state).toBe("ROLLING");
  const fresh = await until(
    () => open.engine.started[1]?.replica,
    (replica) => replica !== undefined,
  );
  open.engine.become(fresh ?? "", "ready");
  await until(active, (revision) => revision?.startsWith("r0002") ?? false);
});

it("activating the active revision changes nothing", async () => {
  await open.deploy(one);
  const events: DeployEvent[] = [];
  for await (const event of open.plane.deployments.activate(chat, { revision: "1" }))
    events.push(event);
  expect(events).toMatchObject([{ kind: "done", result: { status: "no_change" } }]);
  expect(open.engine.started).toHaveLength(1);
});

describe("rolling back", () => {
  const rollback = async (revision: string) => {
    const events: DeployEvent[] = [];
    for await (const event of open.plane.deployments.activate(chat, { revision }))
      events.push(event);
    return last(events);
  };

  it("activates the previous revision after the same verification", async () => {
    await open.deploy(one);
    await open.deploy(two);
    await open.deploy(deployment("three"));
    expect(await rollback("previous")).toMatchObject({
      result: { revision: expect.stringMatching(/^r0002/) },
    });
    expect(await rollback("previous")).toMatchObject({
      result: { revision: expect.stringMatching(/^r0001/) },
    });
    await expect(rollback("previous")).rejects.toMatchObject({
      code: cloudErrors.revisionUnknown.code,
    });
    expect(await rollback("r3")).toMatchObject({
      result: { revision: expect.stringMatching(/^r0003/) },
    });
  });

  it("to a revision that no longer starts keeps the active one", async () => {
    await open.deploy(one);
    await open.deploy(two);
    open.engine.fate = () => ({ exit: { reason: "import_error" } });
    expect(await rollback("1")).toMatchObject({ kind: "failed" });
    expect(states()).toEqual([
      ["r0002", "ACTIVE"],
      ["r0001", "SUPERSEDED"],
    ]);
    expect(open.traffic.open("chat")).toHaveLength(1);
  });
});

it("a rollout replaces the replicas of the same revision", async () => {
  await open.deploy(one);
  const [old] = open.engine.living;
  open.store.secrets.setVariables(chat, { LEVEL: "debug" });
  for await (const event of open.plane.deployments.replaceReplicas(chat))
    expect(event.kind).not.toBe("failed");
  await until(
    () => open.engine.living,
    (living) => living.length === 1 && living[0] !== old,
  );
  expect(open.engine.started[1]?.plan.config.environment).toMatchObject({ LEVEL: "debug" });
  expect(states()).toEqual([["r0001", "ACTIVE"]]);
});

it("keeps ten revisions and pinned ones; the files of others are deleted", async () => {
  await open.deploy(one);
  open.plane.commands.pinRevision(chat, "1", true);
  for (let count = 2; count <= 13; count += 1) await open.deploy(deployment(`number ${count}`));
  await expect.poll(() => open.engine.living).toHaveLength(1);
  await open.deploy(deployment("the last"));
  const retired = open.plane.documents.revisions(chat).filter(({ state }) => state === "RETIRED");
  expect(retired.map(({ revision }) => revision.slice(0, 5))).toEqual(["r0004", "r0003", "r0002"]);
  expect(() => open.plane.deployments.activate(chat, { revision: "2" })).toThrow(ProductError);
  for (const { state, bundle } of open.store.revisions.list(chat)) {
    expect(open.store.bundles.has(bundle)).toBe(state !== "RETIRED");
  }
});

it("invalid names and files start nothing", async () => {
  const leaving = {
    ...one,
    bundle: {
      script: "../app.py",
      files: [{ path: "../app.py", contentBase64: "", isExecutable: false }],
    },
  };
  for (const request of [{ ...one, name: "Chat" }, { ...one, name: "a--b" }, leaving]) {
    await expect(open.deploy(request)).rejects.toThrow(ProductError);
  }
  expect(open.plane.documents.apps()).toEqual([]);
});
