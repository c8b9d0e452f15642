// Configuration of a revision from a script's keywords and flags.
import { describe, expect, test } from "vitest";
import { defaultLimits, defaultScale } from "../../../source/cloud/app-config.ts";
import { type ConfigFlags, configFrom } from "../../../source/cloud/inspection/config-from.ts";
import {
  environmentSnapshot,
  looksSecret,
} from "../../../source/cloud/inspection/environment-snapshot.ts";
import type { Inspection } from "../../../source/cloud/inspection/inspection.ts";

function inspection(config: Record<string, unknown>, change: Partial<Inspection> = {}): Inspection {
  return {
    schema: 1,
    target: "serve",
    kind: "function",
    dialect: "fal",
    line: 12,
    config,
    dynamic: [],
    env_read: [],
    executables: [],
    command: [],
    stubbed: [],
    files: ["deploy.py"],
    warnings: [],
    ...change,
  };
}

const of = (config: Record<string, unknown>, flags: ConfigFlags = {}) =>
  configFrom(inspection(config), flags);

test("a script without options gets the defaults", () => {
  expect(configFrom(inspection({}, { dialect: "none", executables: ["srv"] }))).toEqual({
    kind: "function",
    exposedPort: 8000,
    healthPath: "/health",
    auth: "private",
    scale: defaultScale,
    limits: defaultLimits,
    hardware: { machineType: undefined, gpuCount: 0 },
    requirements: [],
    environment: {},
    secretNames: [],
    executables: ["srv"],
    coldStart: "wait",
    noWakePaths: ["/health", "/metrics"],
    portRewrite: "auto",
    upstreamAuthorizationSecret: undefined,
  });
});

test("fal's options are accepted, in seconds and counts", () => {
  const config = of({
    kind: "container",
    exposed_port: 9000,
    machine_type: "GPU-H100",
    num_gpus: 2,
    keep_alive: 1.5,
    scaling_delay: 2,
    min_concurrency: 1,
    max_concurrency: 4,
    concurrency_buffer: 1,
    concurrency_buffer_perc: 25,
    max_multiplexing: 8,
    request_timeout: 0,
    startup_timeout: 400,
    termination_grace_period_seconds: 7,
    requirements: [["torch"], ["torch", "vllm==1"]],
    secrets: ["HF_TOKEN"],
  });
  expect(config).toMatchObject({
    kind: "container",
    exposedPort: 9000,
    hardware: { machineType: "GPU-H100", gpuCount: 2 },
    scale: {
      minConcurrency: 1,
      maxConcurrency: 4,
      concurrencyBuffer: 1,
      concurrencyBufferPerc: 25,
      maxMultiplexing: 8,
      scalingDelayMs: 2000,
      keepAliveMs: 1500,
    },
    limits: { requestTimeoutMs: 0, startupTimeoutMs: 400_000, terminationGraceMs: 7000 },
    requirements: ["torch", "vllm==1"],
    secretNames: ["HF_TOKEN"],
  });
});

test("deployctl's own options are accepted", () => {
  const config = configFrom(
    inspection(
      {
        port: 7000,
        gpu: "H100:2",
        health_path: "/up",
        health_status: 204,
        auth: "shared",
        target_utilization: 0.5,
        drain_timeout: 3,
        termination_grace: 4,
        max_starting: 2,
        env: { A: "b", N: 3 },
        cold_start: "fail",
        sse_keepalive: 15,
        models_cache: true,
        early_stream: true,
        no_wake_paths: ["/up"],
        port_rewrite: "argv",
        upstream_authorization: "UPSTREAM",
      },
      { dialect: "deployctl" },
    ),
  );
  expect(config).toMatchObject({
    kind: "function",
    exposedPort: 7000,
    hardware: { machineType: "GPU-H100", gpuCount: 2 },
    healthPath: "/up",
    healthStatus: 204,
    auth: "shared",
    scale: { targetUtilization: 0.5, maxStarting: 2 },
    limits: { drainTimeoutMs: 3000, terminationGraceMs: 4000 },
    environment: { A: "b", N: "3" },
    coldStart: "fail",
    noWakePaths: ["/up"],
    sseKeepAliveMs: 15_000,
    modelsCache: true,
    earlyStream: true,
    portRewrite: "argv",
    upstreamAuthorizationSecret: "UPSTREAM",
  });
});

test("a feature switched off equals one not mentioned, and a flag wins", () => {
  const plain = of({});
  const off = { models_cache: false, early_stream: false };
  expect(JSON.stringify(of(off))).toBe(JSON.stringify(plain));
  const on = { models_cache: true, early_stream: true };
  const flags = { modelsCache: false, earlyStream: false };
  expect(JSON.stringify(of(on, flags))).toBe(JSON.stringify(plain));
  expect(of({}, { modelsCache: true })).toMatchObject({ modelsCache: true });
  expect(() => of({ early_stream: "yes" })).toThrow(/True or False/);
});

test("a flag overrides the script", () => {
  const config = of(
    { exposed_port: 9000, keep_alive: 10, startup_timeout: 5, app_auth: "public", secrets: ["A"] },
    {
      exposedPort: 1,
      auth: "shared",
      healthPath: "/x",
      scale: { keepAliveMs: 1 },
      limits: { startupTimeoutMs: 2 },
      coldStart: "fail",
      noWakePaths: [],
      portRewrite: "none",
      secretNames: ["B"],
      requirements: ["c"],
    },
  );
  expect(config).toMatchObject({
    exposedPort: 1,
    auth: "shared",
    healthPath: "/x",
    scale: { keepAliveMs: 1 },
    limits: { startupTimeoutMs: 2 },
    coldStart: "fail",
    noWakePaths: [],
    portRewrite: "none",
    secretNames: ["A", "B"],
    requirements: ["c"],
  });
});

describe("hardware", () => {
  const asked = { machine_type: "GPU-H100", num_gpus: 4 };
  test.each<[Record<string, unknown>, ConfigFlags, string | undefined, number]>([
    [asked, {}, "GPU-H100", 4],
    [asked, { machineType: "any" }, "any", 0],
    [asked, { machineType: "ANY", gpuCount: 1 }, "ANY", 1],
    [asked, { machineType: "GPU-A100" }, "GPU-A100", 4],
    [asked, { gpuCount: 1 }, "GPU-H100", 1],
    [{ machine_types: ["GPU-H200"] }, {}, "GPU-H200", 0],
    [{ gpu: "L4" }, {}, "GPU-L4", 1],
    [{ gpu: "RTX 4090:2" }, {}, "GPU-RTX 4090", 2],
    [{ gpu: "any:2" }, {}, "GPU", 2],
    [{ gpu: "GPU-H100" }, {}, "GPU-H100", 1],
  ])("of %j with %j", (config, flags, machineType, gpuCount) => {
    expect(of(config, flags).hardware).toEqual({ machineType, gpuCount });
  });
});

test("a list of machine types or GPUs is an order of preference", () => {
  const types = ["GPU-B200", "GPU-H100", "XS"];
  expect(of({ machine_type: types, num_gpus: 2 }).hardware).toEqual({
    machineType: "GPU-B200",
    gpuCount: 2,
    alternatives: [
      { machineType: "GPU-H100", gpuCount: 2 },
      { machineType: "XS", gpuCount: 2 },
    ],
  });
  expect(of({ gpu: ["H100!", "A100-80GB:4"] }).hardware).toEqual({
    machineType: "GPU-H100",
    gpuCount: 1,
    alternatives: [{ machineType: "GPU-A100-80GB", gpuCount: 4 }],
  });
  expect(of({ machine_type: types }, { machineType: "GPU-T4" }).hardware).toEqual({
    machineType: "GPU-T4",
    gpuCount: 0,
  });
});

describe("the number of replicas", () => {
  test.each([
    [{}, 0, 1],
    [{ min_concurrency: 3 }, 3, 3],
    [{ concurrency_buffer: 2 }, 0, 2],
    [{ min_concurrency: 1, max_concurrency: 5 }, 1, 5],
  ])("of %j", (config, least, most) => {
    expect(of(config).scale).toMatchObject({ minConcurrency: least, maxConcurrency: most });
  });

  test("rejects a minimum above the maximum", () => {
    expect(() => of({ min_concurrency: 3, max_concurrency: 2 })).toThrow(
      /min_concurrency of serve \(line 12\) is 3, above .* 2/,
    );
  });
});

test.each([
  ["deployctl", ["vllm", "serve", "m"], 64],
  ["none", ["/opt/bin/llama-server", "-m", "m"], 64],
  ["none", ["python3", "-m", "sglang.launch_server"], 64],
  ["none", ["python3", "server.py", "-m", "vllm"], 64],
  ["none", ["python3", "-m", "http.server"], 1],
  ["fal", ["vllm", "serve", "m"], 1],
] as const)("%s with %j sends %i requests to a replica", (dialect, command, expected) => {
  const { scale } = configFrom(inspection({}, { dialect, command: [...command] }));
  expect(scale.maxMultiplexing).toBe(expected);
});

test("a served function and an app listen on 8080", () => {
  expect(of({ serve: true }).exposedPort).toBe(8080);
  expect(configFrom(inspection({}, { kind: "app" }))).toMatchObject({
    kind: "app",
    exposedPort: 8080,
  });
});

test("packages of an image become requirements on request", () => {
  const image = { env: { A: "image", B: "image" }, pip: ["torch", "x"], ignored: [] };
  const found = inspection({ requirements: ["x"] }, { image });
  expect(configFrom(found).requirements).toEqual(["x"]);
  expect(configFrom(found, { imageMode: "pip" }).requirements).toEqual(["x", "torch"]);
});

test("variables come from image, script, present values and flags, in this order, without secrets", () => {
  const found = inspection(
    { env: { B: "script", C: "script", D: "script", HF_TOKEN: "********" } },
    {
      dialect: "deployctl",
      image: {
        env: { A: "image", B: "image", API_KEY: "image" },
        pip: [],
        ignored: [],
      },
      env_read: [
        { name: "C", value: "now" },
        { name: "D", value: "now" },
        { name: "E" },
        { name: "HF_TOKEN", secret: true, set: true },
      ],
    },
  );
  expect(configFrom(found, { environment: { D: "flag" } }).environment).toEqual({
    A: "image",
    B: "script",
    C: "now",
    D: "flag",
  });
});

describe("unsupported values are reported with keyword, line and flag", () => {
  test.each<[Record<string, unknown>, RegExp, string]>([
    [
      { exposed_port: "8000" },
      /exposed_port of serve \(line 12\) is "8000"; expected a whole/,
      "--port",
    ],
    [{ exposed_port: 0 }, /from 1 to 65535/, "--port"],
    [{ port: 70000 }, /is 70000/, "--port"],
    [{ num_gpus: -1 }, /0 or more/, "--gpus"],
    [{ keep_alive: "soon" }, /a number, 0 or more/, "--keep-alive"],
    [{ max_concurrency: 0 }, /1 or more/, "--max-concurrency"],
    [{ max_concurrency: 1.5 }, /a whole number/, "--max-concurrency"],
    [{ auth: "open" }, /one of private, shared, public/, "--auth"],
    [{ requirements: "torch" }, /a list of strings/, "--requirement"],
    [{ requirements: [["a", 1]] }, /a list of strings/, "--requirement"],
    [{ env: ["A=b"] }, /a dictionary of strings/, "Fix the value"],
    [{ env: { MY_SECRET: "x" } }, /contains MY_SECRET, which looks like a secret/, "secrets set"],
    [{ gpu: "H100:many" }, /expected a name such as H100/, "Fix the value"],
    [{ gpu: "H100:0" }, /expected a name such as H100/, "Fix the value"],
    [{ health_path: "up" }, /does not start with a slash/, "Fix the value"],
    [{ machine_type: 5 }, /machine_type .* is 5/, "--machine-type"],
    [{ serve: "yes" }, /True or False/, "Fix the value"],
    [{ target_utilization: 2 }, /from 0.05 to 1/, "Fix the value"],
  ])("%j", (config, message, hint) => {
    let thrown: unknown;
    try {
      of(config);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({
      code: "CLOUD_CONFIG_INVALID",
      exitCode: 2,
      message: expect.stringMatching(message),
      hint: expect.stringContaining(hint),
    });
  });

  test("an option known only at run time needs its flag, or is an error", () => {
    const found = inspection({}, { dynamic: ["exposed_port", "metadata"] });
    expect(configFrom(found, { exposedPort: 5 }).exposedPort).toBe(5);
    expect(() => configFrom(found)).toThrow(
      /exposed_port of serve \(line 12\) cannot be determined/,
    );
  });

  test("a keyword of Modal has the name that it has there", () => {
    const found = inspection({ max_containers: 0 }, { dialect: "modal" });
    expect(() => configFrom(found)).toThrow(
      /max_containers of serve .* is 0; expected .* 1 or more/,
    );
  });
});

test("a snapshot contains what the script reads, except secrets", () => {
  const env_read = ["MODEL", "HF_TOKEN", "UNSET"].map((name) => ({ name }));
  const environment = { MODEL: "m", HF_TOKEN: "t", OTHER: "o" };
  expect(environmentSnapshot({ env_read }, environment)).toEqual({
    environment: { MODEL: "m" },
    secrets: { HF_TOKEN: "t" },
  });
});

test.each(["HF_TOKEN", "OPENAI_API_KEY", "db_password", "MySecret", "AWS_CREDENTIALS"])(
  "%s looks like a secret",
  (name) => expect(looksSecret(name)).toBe(true),
);
test.each(["MODEL_NAME", "PORT", "MAX_LEN"])("%s does not", (name) => {
  expect(looksSecret(name)).toBe(false);
});
