// Replicas as real processes of python3, from their start to their end; engine-suite.test.ts has what
// holds for every engine.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { AppConfig } from "../../../../source/cloud/app-config.ts";
import type { ReplicaExit } from "../../../../source/cloud/engines/engine.ts";
import type { HealthSettings } from "../../../../source/cloud/engines/health-watch.ts";
import {
  readNonce,
  readProcesses,
} from "../../../../source/cloud/engines/process/process-table.ts";
import { isLiving, readProcess } from "../../../../source/cloud/process-stat.ts";
import {
  defaultConfig,
  endEngine,
  linesOf,
  makePlan,
  makeStateFolder,
  type OpenEngine,
  openEngine,
  serveScript,
  untilPhase,
} from "../../../support/process-engine.ts";
import { until } from "../../../support/until.ts";

let stateFolder: string;
let open: OpenEngine;

beforeEach(async () => {
  stateFolder = makeStateFolder();
  open = openEngine(stateFolder);
  await open.engine.adopt([]);
});
afterEach(async () => {
  await endEngine(stateFolder, open);
});

const kill = { signal: "kill", graceMs: 0 } as const;

async function start(
  replica: string,
  change: Partial<AppConfig> = {},
  script: string = serveScript,
): Promise<void> {
  const plan = makePlan(stateFolder, script, change);
  await open.engine.startReplica({ replica, plan, secrets: {} });
}

/** Variables of the fake server, such as `CRASH_CODE`. */
function fake(variables: Record<string, string>): Partial<AppConfig> {
  const named = Object.entries(variables).map(([name, value]) => [`FAKE_${name}`, value]);
  return { environment: Object.fromEntries(named) };
}

async function exitOf(replica: string): Promise<ReplicaExit> {
  const { exit } = await untilPhase(open.engine, replica, "exited");
  if (exit === undefined) throw new Error("it has exited without an exit");
  return exit;
}

async function logOf(replica: string): Promise<string[]> {
  const query = { organisation: "local", app: "demo", replica, follow: false };
  return (await linesOf(open.engine.logs(query))).map(({ text }) => text);
}

describe("a replica", () => {
  it("serves its script's port 8000 on its own port, next to another one", async () => {
    // However often a replica is requested, it is started once.
    const change = fake({ LOAD_SECONDS: "1", MODEL_LOG: "1" });
    await Promise.all([start("one", change), start("one"), start("one"), start("two")]);
    const one = await untilPhase(open.engine, "one", "ready");
    const two = await untilPhase(open.engine, "two", "ready");
    await start("one");
    const leaders = (await readProcesses()).filter(
      ({ id, session }) => id === session && readNonce(id) === readNonce(one.processId ?? 0),
    );
    expect(leaders.map(({ id }) => id)).toEqual([one.processId]);
    expect(one.endpoint).toMatch(/^http:\/\/127\.0\.0\.1:2\d{4}$/);
    expect(two.endpoint).not.toBe(one.endpoint);
    for (const { endpoint, warnings } of [one, two]) {
      const models = await fetch(`${endpoint}/v1/models`);
      expect(await models.json()).toMatchObject({ data: [{ id: "fake-model" }] });
      expect(warnings).toEqual([]);
    }
    const ports = open.reservations.list().map(({ replica, kind }) => `${replica} ${kind}`);
    expect(ports.sort()).toEqual(["one port", "two port"]);
    // Every moment of its start belongs to one phase.
    const { startPhasesMs = {}, startedAt, readyAt = 0 } = one;
    expect(Object.keys(startPhasesMs)).toEqual(
      expect.arrayContaining(["prepare", "launch", "import", "setup", "load", "listen"]),
    );
    const { prepare = 0, ...after } = startPhasesMs;
    expect(prepare).toBeGreaterThanOrEqual(0);
    const sum = Object.values(after).reduce((total, ms) => total + ms, 0);
    expect(sum).toBe(readyAt - startedAt);
  });

  it("gets its variables and secrets, and no secrets from the shell that started its server", async () => {
    const secrets = [
      "AWS_SECRET_ACCESS_KEY",
      "AWS_ACCESS_KEY_ID",
      "OPENAI_API_KEY",
      "HF_TOKEN",
      "GITHUB_TOKEN",
      "DATABASE_URL",
      "DEPLOYCTL_ADMIN_KEY",
      "DEPLOYCTL_KEY",
      "FAL_KEY",
      "NODE_OPTIONS",
      "MODELCTL_KEY",
      "SSH_AUTH_SOCK",
      "MY_COMPANYS_OWN",
    ];
    const passed = {
      TZ: "Europe/Berlin",
      LC_ALL: "C.UTF-8",
      CUDA_DEVICE_ORDER: "PCI_BUS_ID",
      https_proxy: "http://proxy.example:3128",
      SSL_CERT_FILE: "/etc/ssl/cert.pem",
      MODELCTL_GPU: "cpu",
      MODELCTL_LOOKUP_TOKENS: "7",
      OLLAMA_MODELS: "/models",
    };
    const shell = {
      ...Object.fromEntries(secrets.map((name) => [name, "secret-of-the-shell"])),
      ...passed,
      PATH: process.env.PATH,
      HOME: stateFolder,
    };
    const own = makeStateFolder();
    const started = openEngine(own, { environment: shell });
    onTestFinished(async () => await endEngine(own, started));
    const plan = makePlan(own, serveScript, { environment: { MODEL_NAME: "tiny" } });
    await started.engine.startReplica({ replica: "one", plan, secrets: { WANDB_API_KEY: "own" } });
    const { processId = 0 } = await untilPhase(started.engine, "one", "ready");
    const members = (await readProcesses()).filter(({ session }) => session === processId);
    expect(members.length).toBeGreaterThan(1);
    const hubFolder = path.join(own, "volumes", "hf");
    for (const { id } of members) {
      const text = readFileSync(`/proc/${id}/environ`, "utf8");
      expect(text).not.toContain("secret-of-the-shell");
      const seen = text.split("\0");
      const own = { MODEL_NAME: "tiny", WANDB_API_KEY: "own", DEPLOYCTL_REPLICA: "one" };
      const expected = { ...passed, ...own, HOME: stateFolder, HF_HOME: hubFolder };
      expect(seen).toEqual(
        expect.arrayContaining(Object.entries(expected).map(([name, value]) => `${name}=${value}`)),
      );
    }
  });

  it("reports that its script is still being imported", async () => {
    await start("one", {}, "import time\ntime.sleep(600)\ndef serve(): pass\n");
    await expect
      .poll(async () => (await open.engine.observe())[0]?.progress)
      .toBe("importing deploy.py");
  });

  it("is ready without a health path when it lists its models, the only other path tried", async () => {
    await start("one", fake({ NO_HEALTH: "1" }));
    expect((await untilPhase(open.engine, "one", "ready")).warnings).toEqual([]);
  });

  it("is assumed ready with a warning when it opens its port without speaking HTTP", async () => {
    await start("one", fake({ NO_HTTP: "1" }));
    const { warnings } = await untilPhase(open.engine, "one", "ready");
    expect(warnings).toEqual(["no_http_answer"]);
  });

  it("keeps a port that cannot be changed, and is then the only one", async () => {
    const [port, other] = [await freePort(), await freePort()];
    const script = serveScript.replaceAll("8000", String(port));
    const change = { exposedPort: port, portRewrite: "none" } as const;
    await start("one", change, script);
    const { endpoint, warnings } = await untilPhase(open.engine, "one", "ready");
    expect(endpoint).toBe(`http://127.0.0.1:${port}`);
    expect(warnings).toContain("port_not_remapped");
    expect(await open.engine.capacity(makePlan(stateFolder, script, change))).toMatchObject({
      fits: false,
      canEverFit: true,
    });
    const another = { ...makePlan(stateFolder), app: `other-${other}` };
    expect(await open.engine.capacity(another)).toMatchObject({ fits: true });
  });
});

describe("ending a replica", () => {
  it("ends its process group and an escaped child, after a signal", async () => {
    await start("one", fake({ STRAY_CHILD: "1" }));
    const { processId = 0 } = await untilPhase(open.engine, "one", "ready");
    const nonce = readNonce(processId);
    const before = await withNonce(nonce);
    expect(before.length).toBe(3); // the runner, the server, the child that left
    await open.engine.stopReplica("one", { signal: "terminate", graceMs: 10_000 });
    expect(await withNonce(nonce)).toEqual([]);
    expect(await exitOf("one")).toMatchObject({
      reason: "stopped",
      sentence: "It was stopped on request.",
    });
    await open.engine.forget("one");
    expect(open.reservations.list()).toEqual([]);
    expect(await open.engine.observe()).toEqual([]);
    const log = await logOf("one");
    expect(log.filter((line) => line.endsWith("stopping on request"))).toHaveLength(1);
    expect(log.join("\n")).toContain("received a signal to stop");
  });

  it("kills after the grace period", async () => {
    await start("one", fake({ IGNORE_TERM: "1" }));
    const { processId = 0 } = await untilPhase(open.engine, "one", "ready");
    const nonce = readNonce(processId);
    await open.engine.stopReplica("one", { signal: "terminate", graceMs: 300 });
    expect(await withNonce(nonce)).toEqual([]);
    expect(await exitOf("one")).toMatchObject({ reason: "stopped" });
  });

  it("works before its process exists", async () => {
    const environment = Promise.withResolvers<{
      python: string;
      variables: Record<string, string>;
    }>();
    await open.close();
    open = openEngine(stateFolder, { prepareEnvironment: () => environment.promise });
    await start("one");
    const stopping = open.engine.stopReplica("one", kill);
    environment.resolve({ python: "python3", variables: {} });
    await stopping;
    expect(await exitOf("one")).toMatchObject({ reason: "stopped" });
    expect((await open.engine.observe())[0]?.processId).toBeUndefined();
  });

  it("ends the server when the runner is killed", async () => {
    await start("one");
    const { processId = 0, endpoint } = await untilPhase(open.engine, "one", "ready");
    const nonce = readNonce(processId);
    const { processId: server } = (await (await fetch(`${endpoint}/stats`)).json()) as {
      processId: number;
    };
    process.kill(processId, "SIGKILL");
    expect(await exitOf("one")).toMatchObject({ signal: "SIGKILL", reason: "killed" });
    expect(isLiving(readProcess(server))).toBe(false);
    expect(await withNonce(nonce)).toEqual([]);
  });

  it("has a reason and a sentence", async () => {
    const calling = "import subprocess\ndef serve(): subprocess.run(['vllm-not-here', 'serve'])\n";
    const cases: Record<string, string> = {
      "no-function": "def other(): pass\n",
      "no-program": calling,
      raises: "def serve(): raise ValueError('no luck')\n",
      returns: "def serve(): pass\n",
    };
    for (const [name, script] of Object.entries(cases)) await start(name, {}, script);
    const found: Record<string, [string, string]> = {};
    for (const name of Object.keys(cases)) {
      const { reason, sentence } = await exitOf(name);
      found[name] = [reason, sentence];
    }
    expect(found).toEqual({
      "no-function": ["target_missing", expect.stringContaining("serve")],
      "no-program": ["missing_executable", expect.stringContaining("vllm-not-here")],
      raises: ["exception", expect.stringContaining("no luck")],
      returns: ["returned", expect.stringContaining("The function returned")],
    });
  });

  it("happens when it is not ready in time, and names the port that it listens on instead", async () => {
    await open.close();
    let laterMs = 0;
    const wallMs = () => Date.now() + laterMs;
    open = openEngine(stateFolder, { clock: { now: () => performance.now(), wallMs } });
    const port = await freePort();
    await start("one", {}, serveScript.replace('"8000"', `"${port}"`));
    await expect.poll(async () => (await logOf("one")).join()).toContain(`listens on ${port}`);
    expect((await open.engine.observe())[0]?.phase).toBe("setup");
    // Short, as the test does not need the whole time limit.
    laterMs = 10_000;
    await until(
      async () => (await logOf("one")).join("\n"),
      (text) =>
        /not ready after 1\d s \(limit 30 s\): it is not listening on port 8000, only on \d+$/m.test(
          text,
        ),
    );
    laterMs = defaultConfig.limits.startupTimeoutMs;
    expect(await exitOf("one")).toMatchObject({
      reason: "startup_timeout",
      sentence: `It was not ready within 30 s: it is not listening on port 8000, only on ${port}.`,
    });
  });

  it("happens when another process has its port", async () => {
    const limits = { ...defaultConfig.limits, startupTimeoutMs: 10_000 };
    const squatter = createServer();
    try {
      const plan = makePlan(stateFolder, serveScript, { limits, ...fake({ BOOT_SECONDS: "5" }) });
      await open.engine.startReplica({ replica: "one", plan, secrets: {} });
      const port = Number(open.reservations.list()[0]?.value);
      await new Promise<void>((resolve) => squatter.listen(port, "127.0.0.1", resolve));
      const { reason, sentence } = await exitOf("one");
      expect(reason).toBe("port_conflict");
      expect(sentence).toContain(`Its port ${port} is already in use by `);
      expect(sentence).toContain(`(${process.pid})`);
    } finally {
      squatter.close();
    }
  });

  it("names the program that has another port of the script", async () => {
    const squatter = createServer();
    try {
      await new Promise<void>((resolve) => squatter.listen(0, "127.0.0.1", resolve));
      const { port } = squatter.address() as AddressInfo;
      const script = `import socket\n\n\ndef serve():\n    socket.create_server(("127.0.0.1", ${port}))\n`;
      await start("one", {}, script);
      const { reason, sentence } = await exitOf("one");
      expect(reason).toBe("port_conflict");
      expect(sentence).toContain(`deploy.py:5: Port ${port} is already in use by `);
      expect(sentence).toContain(`(${process.pid}). Stop that program, or use another port`);
    } finally {
      squatter.close();
    }
  });

  it("has its own reason when the interpreter is missing", async () => {
    await open.close();
    open = openEngine(stateFolder, {
      prepareEnvironment: async () => ({ python: "/nowhere/python3", variables: {} }),
    });
    await start("one");
    const { reason, sentence } = await exitOf("one");
    expect(reason).toBe("spawn_failed");
    expect(sentence).toContain("/nowhere/python3");
  });
});

describe("health checks", () => {
  const quick = { intervalMs: 50, timeoutMs: 200, failureLimit: 3, busySilenceLimit: 1000 };
  let isBusy: boolean;

  async function startChecked(health: HealthSettings): Promise<{ sick: string; stuck: string }> {
    await open.close();
    open = openEngine(stateFolder, { health, isBusy: () => isBusy });
    const [sick, stuck] = [path.join(stateFolder, "sick"), path.join(stateFolder, "stuck")];
    await start("one", fake({ SICK_WHILE: sick, STUCK_WHILE: stuck }));
    await untilPhase(open.engine, "one", "ready");
    return { sick, stuck };
  }

  it("detect an unhealthy replica and its recovery, but tolerate a busy one that does not answer", async () => {
    isBusy = true;
    const { sick, stuck } = await startChecked(quick);
    writeFileSync(sick, "");
    await untilPhase(open.engine, "one", "unhealthy");
    rmSync(sick);
    await untilPhase(open.engine, "one", "ready");
    expect((await logOf("one")).filter((line) => line.includes("health"))).toHaveLength(2);
    writeFileSync(stuck, "");
    const { endpoint } = (await open.engine.observe())[0] ?? {};
    const checks = async () => {
      const response = await fetch(`${endpoint}/stats`);
      const { health } = (await response.json()) as { health: number };
      return health;
    };
    const before = await checks();
    await until(checks, (count) => count > before + quick.failureLimit);
    expect((await open.engine.observe())[0]?.phase).toBe("ready");
    isBusy = false;
    await untilPhase(open.engine, "one", "unhealthy");
  });

  it("give up eventually", async () => {
    isBusy = true;
    const { stuck } = await startChecked({ ...quick, busySilenceLimit: 4 });
    writeFileSync(stuck, "");
    await untilPhase(open.engine, "one", "unhealthy");
  });
});

describe("building a revision", () => {
  it("is logged for the revision, with the error that ended it", async () => {
    await open.close();
    open = openEngine(stateFolder, {
      prepareEnvironment: async (_, log) => {
        log("installing torch");
        throw new Error("no space left");
      },
    });
    const told: string[] = [];
    const plan = makePlan(stateFolder);
    const making = open.engine.prepare(plan, (text) => told.push(text), AbortSignal.timeout(9000));
    await expect(making).rejects.toThrow("no space left");
    expect(told).toEqual(["installing torch"]);
    expect(await logOf("build")).toEqual(["installing torch", "no space left"]);
    open.engine.record(plan, "scaled to 2");
    expect(await logOf("control")).toEqual(["scaled to 2"]);
  });
});

async function withNonce(nonce: string | undefined): Promise<number[]> {
  if (nonce === undefined) throw new Error("a replica has no nonce");
  return (await readProcesses()).map(({ id }) => id).filter((id) => readNonce(id) === nonce);
}

/** Returns a free port. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
