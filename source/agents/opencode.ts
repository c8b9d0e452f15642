// opencode, which takes a configuration by its environment and merges it with the user's.
import { type Agent, answerTokens, type Endpoint, json, keyOf, keyVariable } from "./agent.ts";

export const opencode: Agent = {
  name: "opencode",
  title: "opencode",
  install: ["npm", "install", "-g", "opencode-ai"],
  route: "/v1/chat/completions",
  promptTokens: 8000,
  tried: "1.18.33",
  oneTask: (task) => ["run", task],
  setUp: (endpoint) => ({
    environment: {
      [keyVariable]: keyOf(endpoint),
      OPENCODE_CONFIG_CONTENT: JSON.stringify(configuration(endpoint, `{env:${keyVariable}}`)),
    },
  }),
  ownConfiguration: (endpoint) => ({
    file: "~/.config/opencode/opencode.json",
    text: json(
      configuration(
        endpoint,
        endpoint.key === undefined ? keyOf(endpoint) : `{env:${keyVariable}}`,
      ),
    ),
  }),
  repeats:
    "Nothing: its prompts begin alike in every turn and start. A new session also asks for a title, whose short prompt takes another slot.",
};

function configuration(endpoint: Endpoint, apiKey: string) {
  const { url, model, contextLength } = endpoint;
  return {
    model: `modelctl/${model}`,
    small_model: `modelctl/${model}`,
    provider: {
      modelctl: {
        npm: "@ai-sdk/openai-compatible",
        name: "modelctl",
        options: { baseURL: `${url}/v1`, apiKey },
        models: {
          [model]: {
            name: model,
            tool_call: true,
            limit: { context: contextLength, output: answerTokens(endpoint) },
          },
        },
      },
    },
  };
}
