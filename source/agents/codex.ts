// OpenAI's Codex. Its model catalogue gets an entry, or Codex warns about a model that it does not know
// and assumes a window of 272,000 tokens.
import path from "node:path";
import { type Agent, type Endpoint, keyOf, keyVariable } from "./agent.ts";

const catalogue = "models.json";

/** Replaces the 4,000 tokens that Codex sends for a model without an entry. */
const instructions = `You are Codex, a coding agent that works in the user's project through a terminal.
Read the relevant files before you change them. Do the task with the tools, keep changes small, and check them.
End with a short report of what you did.`;

export const codex: Agent = {
  name: "codex",
  title: "Codex",
  install: ["npm", "install", "-g", "@openai/codex"],
  route: "/v1/responses",
  tried: "0.169.0",
  promptTokens: 5000,
  oneTask: (task) => ["exec", "--skip-git-repo-check", task],
  setUp: (endpoint) => ({
    environment: { [keyVariable]: keyOf(endpoint) },
    arguments: [
      ...settings(endpoint).flatMap(([name, value]) => ["-c", `${name}=${JSON.stringify(value)}`]),
      "-c",
      `model_catalog_json=${JSON.stringify(path.join(endpoint.folder, catalogue))}`,
      "-m",
      endpoint.model,
    ],
    files: { [catalogue]: JSON.stringify({ models: [entryOf(endpoint)] }) },
  }),
  ownConfiguration: (endpoint) => ({
    file: "~/.codex/config.toml",
    text: `model = ${JSON.stringify(endpoint.model)}
model_provider = "modelctl"
model_context_window = ${endpoint.contextLength}
web_search = "disabled"

[model_providers.modelctl]
name = "modelctl"
base_url = ${JSON.stringify(`${endpoint.url}/v1`)}
wire_api = "responses"
${endpoint.key === undefined ? "" : `env_key = "${keyVariable}"\n`}`,
  }),
  repeats: "Nothing: its prompts begin alike in every turn and start.",
};

function settings({ url }: Endpoint): [name: string, value: string][] {
  const provider = "model_providers.modelctl";
  return [
    ["model_provider", "modelctl"],
    [`${provider}.name`, "modelctl"],
    [`${provider}.base_url`, `${url}/v1`],
    [`${provider}.wire_api`, "responses"],
    [`${provider}.env_key`, keyVariable],
    // Only OpenAI can search the web for it.
    ["web_search", "disabled"],
  ];
}

function entryOf({ model, contextLength }: Endpoint) {
  return {
    slug: model,
    display_name: model,
    context_window: contextLength,
    shell_type: "default",
    visibility: "list",
    supported_in_api: true,
    priority: 0,
    base_instructions: instructions,
    supported_reasoning_levels: [],
    support_verbosity: false,
    supports_parallel_tool_calls: true,
    truncation_policy: { mode: "tokens", limit: 10_000 },
    experimental_supported_tools: [],
  };
}
