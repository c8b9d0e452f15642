// How each coding agent is pointed at a server: command, environment, files, its own configuration.
import path from "node:path";
import { parse as parseToml } from "smol-toml";
import { describe, expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import type { Agent, Endpoint } from "../../source/agents/agent.ts";
import { agents, findAgent } from "../../source/agents/agents.ts";

const secret = "mk_secret";
const withKey: Endpoint = {
  url: "http://127.0.0.1:11434",
  model: "qwen",
  contextLength: 32_768,
  key: secret,
  folder: "/data/agents/x",
};
const withoutKey: Endpoint = { ...withKey, key: undefined };

const all = agents.map((agent): [string, Agent] => [agent.name, agent]);

function setUpOf(name: string, endpoint = withoutKey) {
  const { arguments: words = [], environment, files = {} } = findAgent(name).setUp(endpoint);
  const parsed = (file: string): unknown => JSON.parse(files[file] ?? "");
  return { words, environment, files, parsed };
}

describe.each(all)("%s", (_name, agent) => {
  test("gets address, model and key; the key by environment only", () => {
    const { environment, arguments: words = [], files = {} } = agent.setUp(withKey);
    expect(Object.values(environment)).toContain(secret);
    const shown = JSON.stringify([words, files]);
    expect(shown).not.toContain(secret);
    const everything = JSON.stringify([environment, words, files]);
    expect(everything).toContain(withKey.url);
    expect(everything).toContain("qwen");
    expect(everything).not.toContain("//v1");
  });

  test("gets a key that is not empty from a server without keys, too", () => {
    const { environment } = agent.setUp(withoutKey);
    expect(Object.values(environment)).toContain("modelctl");
  });

  test("writes files in the folder of its own only", () => {
    for (const name of Object.keys(agent.setUp(withKey).files ?? {})) {
      expect(path.basename(name)).toBe(name);
    }
  });

  test("has a configuration of its own that names the key's variable, never the key", () => {
    const { file, text } = agent.ownConfiguration(withKey);
    expect(file).toMatch(/^~\//);
    expect(text).not.toContain(secret);
    expect(text).toContain("MODELCTL_KEY");
    expect(text).toContain(withKey.url);
    expect(text).toContain("qwen");
    expect(text).toMatch(/\n$/);
    for (const endpoint of [withKey, withoutKey]) {
      const own = agent.ownConfiguration(endpoint).text;
      if (file.endsWith(".json")) expect(JSON.parse(own)).toBeTypeOf("object");
      if (file.endsWith(".toml")) expect(parseToml(own)).toBeTypeOf("object");
      if (/\.ya?ml$/.test(file)) expect(parseYaml(own)).toBeTypeOf("object");
    }
  });

  test("takes a single task as it is", () => {
    expect(agent.oneTask("--say hi")).toContain("--say hi");
  });
});

test("codex gets a provider and a catalogue with the window", () => {
  const { words, environment, parsed } = setUpOf("codex");
  expect(words.join(" ")).toBe(
    '-c model_provider="modelctl" -c model_providers.modelctl.name="modelctl" ' +
      '-c model_providers.modelctl.base_url="http://127.0.0.1:11434/v1" ' +
      '-c model_providers.modelctl.wire_api="responses" ' +
      '-c model_providers.modelctl.env_key="MODELCTL_KEY" -c web_search="disabled" ' +
      '-c model_catalog_json="/data/agents/x/models.json" -m qwen',
  );
  expect(environment).toEqual({ MODELCTL_KEY: "modelctl" });
  expect(parsed("models.json")).toMatchObject({
    models: [{ slug: "qwen", context_window: 32_768 }],
  });
});

test("claude gets all sizes of model, an empty key of its own, and no changing texts", () => {
  const { words, environment, files } = setUpOf("claude");
  expect([words, files]).toEqual([[], {}]);
  expect(environment).toMatchObject({
    ANTHROPIC_BASE_URL: "http://127.0.0.1:11434",
    ANTHROPIC_API_KEY: "",
    ANTHROPIC_MODEL: "qwen",
    ANTHROPIC_DEFAULT_OPUS_MODEL: "qwen",
    ANTHROPIC_DEFAULT_SONNET_MODEL: "qwen",
    ANTHROPIC_DEFAULT_HAIKU_MODEL: "qwen",
    CLAUDE_CODE_SUBAGENT_MODEL: "qwen",
    CLAUDE_CODE_MAX_OUTPUT_TOKENS: "8192",
    CLAUDE_CODE_ATTRIBUTION_HEADER: "0",
    CLAUDE_CODE_TOTAL_TOKENS_REMINDER: "off",
  });
  // Claude Code refuses a smaller one.
  expect(environment).not.toHaveProperty("CLAUDE_CODE_AUTO_COMPACT_WINDOW");
  expect(setUpOf("claude", { ...withKey, contextLength: 131_072 }).environment).toMatchObject({
    CLAUDE_CODE_AUTO_COMPACT_WINDOW: "131072",
  });
});

test("opencode gets a provider by its environment", () => {
  const { words, environment } = setUpOf("opencode");
  expect(words).toEqual([]);
  expect(JSON.parse(environment.OPENCODE_CONFIG_CONTENT ?? "")).toMatchObject({
    model: "modelctl/qwen",
    provider: {
      modelctl: {
        options: { baseURL: "http://127.0.0.1:11434/v1", apiKey: "{env:MODELCTL_KEY}" },
        models: { qwen: { tool_call: true, limit: { context: 32_768, output: 8192 } } },
      },
    },
  });
});

test("qwen gets address and model by arguments and the window as a default", () => {
  const { words, environment, parsed } = setUpOf("qwen");
  expect(words.join(" ")).toBe(
    "--auth-type openai --openai-base-url http://127.0.0.1:11434/v1 --model qwen",
  );
  expect(environment.QWEN_CODE_SYSTEM_DEFAULTS_PATH).toBe("/data/agents/x/defaults.json");
  expect(parsed("defaults.json")).toEqual({
    model: { generationConfig: { contextWindowSize: 32_768 } },
  });
});

test("pi gets an extension that reads its provider from the environment", () => {
  const { words, environment, files } = setUpOf("pi");
  expect(words.join(" ")).toBe(
    "--extension /data/agents/x/modelctl.js --provider modelctl --model qwen",
  );
  expect(files["modelctl.js"]).toContain("process.env.MODELCTL_PROVIDER");
  expect(JSON.parse(environment.MODELCTL_PROVIDER ?? "")).toMatchObject({
    baseUrl: "http://127.0.0.1:11434/v1",
    apiKey: "MODELCTL_KEY",
    models: [{ id: "qwen", contextWindow: 32_768, maxTokens: 8192 }],
  });
});

test("copilot, crush, goose and aider get the window, too", () => {
  expect(setUpOf("copilot").environment).toMatchObject({
    COPILOT_PROVIDER_MAX_PROMPT_TOKENS: "24576",
    COPILOT_PROVIDER_MAX_OUTPUT_TOKENS: "8192",
    COPILOT_OFFLINE: "true",
  });
  expect(setUpOf("goose").environment.GOOSE_CONTEXT_LIMIT).toBe("32768");
  expect(setUpOf("crush").environment.CRUSH_GLOBAL_CONFIG).toBe("/data/agents/x");
  expect(setUpOf("crush").parsed("crush.json")).toMatchObject({
    providers: { modelctl: { models: [{ context_window: 32_768 }] } },
  });
  expect(setUpOf("aider").parsed("models.json")).toMatchObject({
    "openai/qwen": { max_input_tokens: 32_768 },
  });
});

test("an answer may take a quarter of a small window", () => {
  const { environment } = setUpOf("claude", { ...withoutKey, contextLength: 16_384 });
  expect(environment.CLAUDE_CODE_MAX_OUTPUT_TOKENS).toBe("4096");
});

describe("a name", () => {
  test("is found in any case", () => {
    expect(findAgent("Codex").title).toBe("Codex");
  });

  test("that is unknown is answered with the nearest", () => {
    expect(() => findAgent("cluade")).toThrow("Unknown agent 'cluade'.");
    expect(() => findAgent("cluade")).toThrow(
      expect.objectContaining({ code: "AGENT_UNKNOWN", hint: "Did you mean claude?" }),
    );
    expect(() => findAgent("zzzzzz")).toThrow(
      expect.objectContaining({ hint: expect.stringContaining("codex, claude") }),
    );
  });

  test("of an agent that cannot use the server is answered with the reason", () => {
    expect(() => findAgent("gemini")).toThrow("it speaks Google's API only");
  });
});
