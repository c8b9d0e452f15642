// A server that all test files of a worker share, with the tiny model and others made from it.
import { mkdtempSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { tinyFile } from "./command-line.ts";
import { foreignCallsTemplate, plainTemplate, storeOf, thinkingTemplate } from "./openai-client.ts";
import { TestServer } from "./test-server.ts";

const models = {
  thinker: { template: thinkingTemplate },
  toolless: { template: plainTemplate },
  pirate: { system: "You are a pirate." },
  seeded: { parameters: { seed: 7 } },
  brief: { parameters: { num_predict: 2, stop: ["France"] } },
  // Template for filling in, which asks the model to repeat the text around the gap.
  inserting: {
    template:
      "<|im_start|>user\nRepeat after me: {{ .Prompt }} {{ .Suffix }}<|im_end|>\n<|im_start|>assistant\n",
  },
  // Writes calls without the marks of its template.
  foreign: { template: foreignCallsTemplate },
  "somebody/poet": {},
  copy: {},
};

/** Names of its models, as lists have them. */
export const sharedModels = ["tiny", ...Object.keys(models)].map((name) => `${name}:latest`).sort();

let server: Promise<TestServer> | undefined;
let smallServer: Promise<TestServer> | undefined;

/**
 * Starts it for the first file that asks; it ends with the worker. Tests must not change its models and
 * settings, nor expect that its log of requests is empty or that a model is not loaded yet.
 */
export async function sharedServer(): Promise<TestServer> {
  server ??= start();
  const started = await server;
  await unloadSmallWindows(started);
  return started;
}

/** Starts one with a context window of 256 tokens, and without other models, under the same terms. */
export async function sharedSmallServer(): Promise<TestServer> {
  smallServer ??= TestServer.start({ context_length: 256 });
  return await smallServer;
}

/** A request of another file may have loaded a model with its own context window. */
async function unloadSmallWindows(server: TestServer): Promise<void> {
  for (const { name, context_length } of await server.loaded()) {
    if (context_length === 4096) continue;
    await server.post("/api/generate", { model: name, keep_alive: 0 });
  }
}

async function start(): Promise<TestServer> {
  // Removed with the home of all tests.
  const folder = mkdtempSync(path.join(homedir(), "shared-server-"));
  const store = await storeOf(models, folder);
  return await TestServer.start({ models: store.path, model_folders: [path.dirname(tinyFile)] });
}
