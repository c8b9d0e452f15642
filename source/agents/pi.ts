// pi. An extension of ours adds the server as a provider, so that the user's own models.json stays as it is.
import path from "node:path";
import { type Agent, answerTokens, type Endpoint, json, keyOf, keyVariable } from "./agent.ts";

const extension = "modelctl.js";
const modelVariable = "MODELCTL_PROVIDER";

export const pi: Agent = {
  name: "pi",
  title: "pi",
  install: ["npm", "install", "-g", "@mariozechner/pi-coding-agent"],
  route: "/v1/chat/completions",
  promptTokens: 2000,
  tried: "0.73.1",
  oneTask: (task) => ["-p", task],
  setUp: (endpoint) => ({
    environment: {
      [keyVariable]: keyOf(endpoint),
      [modelVariable]: JSON.stringify(providerOf(endpoint, keyVariable)),
    },
    arguments: [
      ...["--extension", path.join(endpoint.folder, extension)],
      ...["--provider", "modelctl", "--model", endpoint.model],
    ],
    files: {
      [extension]: `// Written by modelctl launch.
export default (pi) => pi.registerProvider("modelctl", JSON.parse(process.env.${modelVariable}));
`,
    },
  }),
  ownConfiguration: (endpoint) => ({
    file: "~/.pi/agent/models.json",
    text: json({
      providers: {
        modelctl: providerOf(endpoint, endpoint.key === undefined ? keyOf(endpoint) : keyVariable),
      },
    }),
  }),
  repeats: "Nothing: its prompts begin alike in every turn and start.",
};

/** @param apiKey a key, or the name of the variable with it */
function providerOf(endpoint: Endpoint, apiKey: string) {
  const { url, model, contextLength } = endpoint;
  return {
    name: "modelctl",
    baseUrl: `${url}/v1`,
    api: "openai-completions",
    apiKey,
    models: [
      {
        id: model,
        name: model,
        reasoning: false,
        input: ["text"],
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
        contextWindow: contextLength,
        maxTokens: answerTokens(endpoint),
      },
    ],
  };
}
