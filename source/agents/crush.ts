// Charm's Crush. It reads its global configuration from a folder of ours; a project's own file is read too.
import { type Agent, answerTokens, type Endpoint, json, keyOf, keyVariable } from "./agent.ts";

const configurationFile = "crush.json";

export const crush: Agent = {
  name: "crush",
  title: "Crush",
  install: ["npm", "install", "-g", "@charmland/crush"],
  route: "/v1/chat/completions",
  promptTokens: 14_000,
  oneTask: (task) => ["run", task],
  setUp: (endpoint) => ({
    environment: { [keyVariable]: keyOf(endpoint), CRUSH_GLOBAL_CONFIG: endpoint.folder },
    files: { [configurationFile]: JSON.stringify(configuration(endpoint, `$${keyVariable}`)) },
  }),
  ownConfiguration: (endpoint) => ({
    file: "~/.config/crush/crush.json",
    text: json(
      configuration(endpoint, endpoint.key === undefined ? keyOf(endpoint) : `$${keyVariable}`),
    ),
  }),
  repeats: "Not measured.",
};

function configuration(endpoint: Endpoint, apiKey: string) {
  const { url, model, contextLength } = endpoint;
  const answer = answerTokens(endpoint);
  const choice = { model, provider: "modelctl", max_tokens: answer };
  return {
    $schema: "https://charm.land/crush.json",
    providers: {
      modelctl: {
        name: "modelctl",
        type: "openai-compat",
        base_url: `${url}/v1`,
        api_key: apiKey,
        models: [
          { id: model, name: model, context_window: contextLength, default_max_tokens: answer },
        ],
      },
    },
    models: { large: choice, small: choice },
  };
}
