// aider, which edits by the text of its answers and calls no tools.
import path from "node:path";
import { type Agent, answerTokens, type Endpoint, keyOf, keyVariable } from "./agent.ts";

const metadata = "models.json";

export const aider: Agent = {
  name: "aider",
  title: "aider",
  install: ["pipx", "install", "aider-chat"],
  route: "/v1/chat/completions",
  callsTools: false,
  promptTokens: 2500,
  tried: "0.86.2",
  oneTask: (task) => ["--no-git", "--yes-always", "--message", task],
  setUp: (endpoint) => ({
    environment: {
      OPENAI_API_KEY: keyOf(endpoint),
      OPENAI_API_BASE: `${endpoint.url}/v1`,
    },
    arguments: [
      ...["--model", `openai/${endpoint.model}`],
      ...["--model-metadata-file", path.join(endpoint.folder, metadata)],
      "--no-show-model-warnings",
    ],
    files: { [metadata]: JSON.stringify({ [`openai/${endpoint.model}`]: limitsOf(endpoint) }) },
  }),
  ownConfiguration: ({ url, model, key }) => ({
    file: "~/.aider.conf.yml",
    text: `model: openai/${model}
openai-api-base: ${url}/v1
${key === undefined ? "openai-api-key: modelctl\n" : `# OPENAI_API_KEY="$${keyVariable}" in the environment\n`}`,
  }),
  repeats:
    "Files that are added or dropped, and what comes after them: they are in front of the conversation.",
};

function limitsOf(endpoint: Endpoint) {
  const answer = answerTokens(endpoint);
  return {
    max_tokens: answer,
    max_input_tokens: endpoint.contextLength,
    max_output_tokens: answer,
    litellm_provider: "openai",
    mode: "chat",
  };
}
