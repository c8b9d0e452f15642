// Qwen Code. Its arguments win over the user's settings; the window is a setting only, and goes into the
// file of defaults, over which they win.
import path from "node:path";
import { type Agent, json, keyOf, keyVariable } from "./agent.ts";

const defaults = "defaults.json";

export const qwen: Agent = {
  name: "qwen",
  title: "Qwen Code",
  install: ["npm", "install", "-g", "@qwen-code/qwen-code"],
  route: "/v1/chat/completions",
  promptTokens: 14_000,
  tried: "0.24.4",
  oneTask: (task) => ["-p", task],
  setUp: (endpoint) => ({
    environment: {
      OPENAI_API_KEY: keyOf(endpoint),
      QWEN_CODE_SYSTEM_DEFAULTS_PATH: path.join(endpoint.folder, defaults),
    },
    arguments: [
      ...["--auth-type", "openai"],
      ...["--openai-base-url", `${endpoint.url}/v1`],
      ...["--model", endpoint.model],
    ],
    files: { [defaults]: JSON.stringify({ model: windowOf(endpoint) }) },
  }),
  ownConfiguration: (endpoint) => {
    const { url, model, key } = endpoint;
    return {
      file: "~/.qwen/settings.json",
      text: json({
        security: { auth: { selectedType: "openai" } },
        model: { name: model, ...windowOf(endpoint) },
        modelProviders: {
          openai: [{ id: model, baseUrl: `${url}/v1`, envKey: keyVariable }],
        },
        ...(key === undefined && { env: { [keyVariable]: keyOf(endpoint) } }),
      }),
    };
  },
  repeats:
    "Nothing: its prompts begin alike in every turn and start. After an answer it asks in the background with another prompt, which takes another slot.",
};

function windowOf({ contextLength }: { contextLength: number }) {
  return { generationConfig: { contextWindowSize: contextLength } };
}
