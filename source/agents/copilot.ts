// GitHub's Copilot CLI, pointed at the server by its environment alone. It has no file for a provider.
import { type Agent, answerTokens, type Endpoint, keyOf, keyVariable } from "./agent.ts";

export const copilot: Agent = {
  name: "copilot",
  title: "Copilot CLI",
  install: ["npm", "install", "-g", "@github/copilot"],
  route: "/v1/chat/completions",
  promptTokens: 12_000,
  tried: "1.0.102",
  oneTask: (task) => ["-p", task],
  setUp: (endpoint) => ({
    environment: { COPILOT_PROVIDER_API_KEY: keyOf(endpoint), ...variables(endpoint) },
  }),
  ownConfiguration: (endpoint) => ({
    file: "~/.profile",
    text: [
      ...Object.entries(variables(endpoint)).map(([name, value]) => `export ${name}=${value}\n`),
      ...(endpoint.key === undefined
        ? []
        : [`export COPILOT_PROVIDER_API_KEY="$${keyVariable}"\n`]),
    ].join(""),
  }),
  repeats:
    "Each start names a new session folder within its system prompt: the prompt is read again from there. Later turns begin alike.",
};

function variables(endpoint: Endpoint): Record<string, string> {
  const { url, model, contextLength } = endpoint;
  const answer = answerTokens(endpoint);
  return {
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_MODEL: model,
    COPILOT_PROVIDER_MAX_PROMPT_TOKENS: String(contextLength - answer),
    COPILOT_PROVIDER_MAX_OUTPUT_TOKENS: String(answer),
    // Without it, Copilot signs in to GitHub.
    COPILOT_OFFLINE: "true",
  };
}
