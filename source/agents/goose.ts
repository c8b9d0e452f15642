// goose, pointed at the server by its environment alone.
import { type Agent, type Endpoint, keyOf, keyVariable } from "./agent.ts";

export const goose: Agent = {
  name: "goose",
  title: "goose",
  install: ["brew", "install", "block-goose-cli"],
  route: "/v1/chat/completions",
  promptTokens: 6000,
  oneTask: (task) => ["run", "--text", task],
  setUp: (endpoint) => ({
    environment: { OPENAI_API_KEY: keyOf(endpoint), ...variables(endpoint) },
  }),
  ownConfiguration: (endpoint) => ({
    file: "~/.config/goose/config.yaml",
    text: [
      ...Object.entries(variables(endpoint)).map(([name, value]) => `${name}: ${value}\n`),
      endpoint.key === undefined
        ? `# OPENAI_API_KEY=${keyOf(endpoint)} in the environment\n`
        : `# OPENAI_API_KEY="$${keyVariable}" in the environment\n`,
    ].join(""),
  }),
  repeats: "The hour in its system prompt: when it changes, the prompt is read again from there.",
};

function variables({ url, model, contextLength }: Endpoint): Record<string, string> {
  return {
    GOOSE_PROVIDER: "openai",
    GOOSE_MODEL: model,
    OPENAI_HOST: url,
    GOOSE_CONTEXT_LIMIT: String(contextLength),
  };
}
