// Sources of a setting: flag, environment, file, default, in this order.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadSettings, type SettingName } from "../../source/configuration/load-settings.ts";
import { type Settings, settingDefinitions } from "../../source/configuration/settings.ts";

let folder: string;
let file: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "modelctl-settings-"));
  file = path.join(folder, "config.toml");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fromFile(text: string) {
  writeFileSync(file, text);
  return loadSettings({ file });
}

const fromEnvironment = (environment: NodeJS.ProcessEnv) => loadSettings({ environment });

describe("the order of precedence", () => {
  test("is flag, own variable, Ollama's variable, file, default", () => {
    writeFileSync(file, "num_parallel = 5\n");
    const flags = { num_parallel: "2" };
    const environment = { MODELCTL_NUM_PARALLEL: "3", OLLAMA_NUM_PARALLEL: "6" };
    const only = { OLLAMA_NUM_PARALLEL: "6" };
    const seen = [
      loadSettings({ flags, environment, file }),
      loadSettings({ environment, file }),
      loadSettings({ environment: only, file }),
      loadSettings({ file }),
      loadSettings({}),
    ].map(({ values, origins }) => [values.num_parallel, origins.num_parallel]);
    expect(seen).toEqual([
      [2, "--num-parallel"],
      [3, "MODELCTL_NUM_PARALLEL"],
      [6, "OLLAMA_NUM_PARALLEL"],
      [5, file],
      [4, "default"],
    ]);
  });

  test("names an origin for every setting", () => {
    const { values, origins } = loadSettings({});
    expect(Object.keys(values).toSorted()).toEqual(Object.keys(settingDefinitions).toSorted());
    expect(Object.values(origins).every((origin) => origin === "default")).toBe(true);
  });
});

describe("the environment", () => {
  test("Ollama's two debug variables are one setting", () => {
    for (const OLLAMA_DEBUG of ["1", "2"]) {
      expect(fromEnvironment({ OLLAMA_DEBUG }).values.debug).toBe(true);
    }
  });

  test("blanks and quotes around a value are removed, and an empty one is ignored", () => {
    expect(fromEnvironment({ MODELCTL_NUM_PARALLEL: ' "7" ' }).values.num_parallel).toBe(7);
    expect(fromEnvironment({ MODELCTL_NUM_PARALLEL: "  " }).origins.num_parallel).toBe("default");
    expect(
      fromEnvironment({ MODELCTL_NUM_PARALLEL: "", OLLAMA_NUM_PARALLEL: "8" }).values.num_parallel,
    ).toBe(8);
  });

  test("Ollama's variables apply when ours are unset, except its address and models", () => {
    const { values } = fromEnvironment({
      OLLAMA_HOST: "0.0.0.0:1",
      OLLAMA_MODELS: "/elsewhere",
      OLLAMA_KEEP_ALIVE: "1h",
      OLLAMA_CONTEXT_LENGTH: "8192",
      OLLAMA_MAX_LOADED_MODELS: "0",
      OLLAMA_MAX_QUEUE: "9",
      OLLAMA_LOAD_TIMEOUT: "30s",
      OLLAMA_FLASH_ATTENTION: "1",
      OLLAMA_KV_CACHE_TYPE: "q8_0",
      OLLAMA_ORIGINS: "https://a.example, https://b.example",
      OLLAMA_NOHISTORY: "true",
      OLLAMA_DEBUG: "1",
    });
    expect(values).toMatchObject({
      host: undefined,
      model_folders: [],
      keep_alive: 3_600_000,
      context_length: 8192,
      max_loaded_models: 3,
      max_queue: 9,
      load_timeout: 30_000,
      flash_attention: true,
      kv_cache_type: "q8_0",
      origins: ["https://a.example", "https://b.example"],
      nohistory: true,
      debug: true,
    });
  });

  test("all settings have a variable", () => {
    const cases: { [Name in SettingName]: [text: string, value: Settings[Name]] } = {
      host: ["127.0.0.1:1", { host: "127.0.0.1", port: 1, scheme: "http", path: "" }],
      tls: ["self-signed", "self-signed"],
      tls_cert: ["/a/cert.pem", "/a/cert.pem"],
      tls_key: ["/a/key.pem", "/a/key.pem"],
      keep_alive: ["-1", Number.POSITIVE_INFINITY],
      context_length: ["2048", 2048],
      num_parallel: ["2", 2],
      num_thread: ["3", 3],
      max_loaded_models: ["1", 1],
      max_queue: ["5", 5],
      load_timeout: ["1m", 60_000],
      loose_calls: ["false", false],
      template_timeout: ["2s", 2000],
      gpu: ["cpu", "cpu"],
      flash_attention: ["off", false],
      kv_cache_type: ["q4_0", "q4_0"],
      kv_unified: ["true", true],
      split_mode: ["row", "row"],
      tensor_split: ["3,1", "3,1"],
      prefill_chunk: ["128", 128],
      find_models: ["false", false],
      default_model: [" mine ", "mine"],
      models: ["/srv/models", "/srv/models"],
      hub_prefixes: ["hub.example, hub:", ["hub.example", "hub:"]],
      hub_endpoint: ["https://hub.example", "https://hub.example"],
      llama_quantize: ["/opt/llama-quantize", "/opt/llama-quantize"],
      mixed_batches: ["yes", true],
      lookup_tokens: ["4", 4],
      prefix_sharing: ["no", false],
      conversation_cache: ["2GiB", 2 ** 31],
      prompt_cache: ["0", 0],
      prompt_cache_age: ["24h", 86_400_000],
      stable_prompts: ["off", false],
      model_folders: [`/a${path.delimiter}/b`, [path.resolve("/a"), path.resolve("/b")]],
      origins: ["*", ["*"]],
      allowed_hosts: ["a.example, b.example", ["a.example", "b.example"]],
      require_key: ["true", true],
      insecure_no_key: ["yes", true],
      key_requests_per_minute: ["60", 60],
      max_body_size: ["1MiB", 1_048_576],
      max_image_size: ["2MB", 2_000_000],
      allow_remote_images: ["yes", true],
      log_format: ["json", "json"],
      log_prompts: ["1", true],
      shutdown_timeout: ["5s", 5000],
      tool_start_timeout: ["5s", 5000],
      tool_call_timeout: ["5s", 5000],
      max_tool_calls: ["3", 3],
      max_tool_result: ["1KB", 1000],
      allow_reading_tools: ["on", true],
      nohistory: ["on", true],
      theme: ["mono", "mono"],
      debug: ["t", true],
    };
    const environment = Object.fromEntries(
      Object.entries(cases).map(([name, [text]]) => [`MODELCTL_${name.toUpperCase()}`, text]),
    );
    const values = Object.entries(cases).map(([name, [, value]]) => [name, value]);
    expect(loadSettings({ environment }).values).toEqual(Object.fromEntries(values));
  });

  test.each([
    ["MODELCTL_NUM_PARALLEL", "0", "a whole number from 1 to 256"],
    ["MODELCTL_NUM_PARALLEL", "many", "a whole number from 1 to 256"],
    ["MODELCTL_NUM_PARALLEL", "1.5", "a whole number"],
    ["MODELCTL_CONTEXT_LENGTH", "-1", "a whole number from 0"],
    ["MODELCTL_KEEP_ALIVE", "soon", "a duration"],
    ["MODELCTL_GPU", "tpu", "one of auto, cpu, cuda, metal, rocm, vulkan"],
    ["MODELCTL_DEBUG", "maybe", "true or false"],
    ["MODELCTL_HOST", "a:b:c", "an address"],
    ["MODELCTL_MAX_BODY_SIZE", "large", "a size such as 20MiB"],
    ["MODELCTL_REQUIRE_KEY", "maybe", "true or false"],
    ["MODELCTL_LOG_FORMAT", "xml", "one of pretty, json"],
    ["MODELCTL_KV_CACHE_TYPE", "f32", "one of f16, q8_0, q4_0"],
    ["MODELCTL_HUB_PREFIXES", "hf.co, a b", "hosts such as hf.co"],
    ["MODELCTL_HUB_PREFIXES", "hf:", "hosts such as hf.co"],
  ])("%s=%s is refused with the expected form", (name, text, expected) => {
    expect(() => fromEnvironment({ [name]: text })).toThrow(
      expect.objectContaining({
        code: "CONFIGURATION_SETTING_INVALID",
        exitCode: 2,
        message: expect.stringMatching(`^${name} is "${text}", but it must be ${expected}`),
      }),
    );
  });

  test("an error in the file names the file", () => {
    writeFileSync(file, 'keep_alive = "forever"\n');
    expect(() => loadSettings({ file })).toThrow(`keep_alive in ${file} is "forever", but it must`);
  });

  test("an unsupported Ollama variable is reported and ignored", () => {
    const { values, origins, warnings } = fromEnvironment({ OLLAMA_KV_CACHE_TYPE: "f32" });
    expect([values.kv_cache_type, origins.kv_cache_type]).toEqual(["f16", "default"]);
    expect(warnings).toEqual([expect.stringContaining('OLLAMA_KV_CACHE_TYPE is "f32"')]);
  });
});

describe("the file", () => {
  test("may be missing or empty", () => {
    expect(loadSettings({ file: path.join(folder, "none.toml") }).values.num_parallel).toBe(4);
    expect(fromFile("").values.num_parallel).toBe(4);
  });

  test("has numbers, booleans, texts and lists", () => {
    const { values } = fromFile(
      [
        'host = "0.0.0.0:8080"',
        'keep_alive = "10m"',
        "num_parallel = 8",
        "debug = true",
        'model_folders = ["/models", "/more models"]',
        'origins = ["https://a.example", "app://*"]',
        'hub_prefixes = ["hub.example", "hub:"]',
      ].join("\n"),
    );
    expect(values).toMatchObject({
      host: { host: "0.0.0.0", port: 8080 },
      keep_alive: 600_000,
      num_parallel: 8,
      debug: true,
      model_folders: [path.resolve("/models"), path.resolve("/more models")],
      origins: ["https://a.example", "app://*"],
      hub_prefixes: ["hub.example", "hub:"],
    });
  });

  test("has paths relative to the home folder, or to the file's folder", () => {
    const { values } = fromFile(
      'models = "~/models"\nmodel_folders = ["~", "more", "/else"]\nllama_quantize = "./quantize"',
    );
    expect(values).toMatchObject({
      models: path.join(homedir(), "models"),
      model_folders: [homedir(), path.join(folder, "more"), path.resolve("/else")],
      llama_quantize: path.join(folder, "quantize"),
    });
  });

  test.each([
    ["num_paralel = 8", "'num_paralel'", "Did you mean num_parallel?"],
    ["colour = 8", "'colour'", "Known settings: host, "],
  ])("with an unknown setting is refused: %s", (text, named, hint) => {
    expect(() => fromFile(text)).toThrow(
      expect.objectContaining({
        code: "CONFIGURATION_FILE_INVALID",
        message: expect.stringContaining(named),
        hint: expect.stringContaining(hint),
      }),
    );
  });

  test.each(["[gpu]", "num_parallel = { a = 1 }", 'origins = [["a"]]'])(
    "with a table in place of a value is refused: %s",
    (text) => {
      expect(() => fromFile(text)).toThrow(
        expect.objectContaining({
          code: "CONFIGURATION_FILE_INVALID",
          message: expect.stringContaining("has a table or a list of lists"),
        }),
      );
    },
  );

  test("that is not TOML is refused in one line, with the position", () => {
    expect(() => fromFile("num_parallel = 8\ngpu = = 8\n[")).toThrow(
      expect.objectContaining({
        code: "CONFIGURATION_FILE_INVALID",
        exitCode: 2,
        message: expect.stringMatching(
          /^The configuration file .*config\.toml cannot be read: line 2, column \d+: .*$/,
        ),
      }),
    );
  });
});
