// Shared helpers of tests of the OpenAI-compatible API: a client, the tiny model's tool, events.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import OpenAI from "openai";
import type { ModelDefinition } from "../../source/store/model-definition.ts";
import { openStore } from "./model-store.ts";
import type { TestServer } from "./test-server.ts";

/** One that sends what fails only once. */
export function openaiClient(server: TestServer): OpenAI {
  return new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "anything", maxRetries: 0 });
}

export const user = (content: string) => ({ role: "user" as const, content });

export const weatherTool = {
  type: "function" as const,
  function: {
    name: "get_weather",
    description: "Get the weather in a city",
    parameters: {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
    },
  },
};

/** The error object that every failure has. */
export interface OpenaiError {
  error: { message: string; type: string; param: string | null; code: string };
}

/** The error of a request; an answer instead fails the test. */
export async function failure(
  request: PromiseLike<unknown>,
): Promise<InstanceType<typeof OpenAI.APIError>> {
  const error = await Promise.resolve(request).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof OpenAI.APIError) return error;
  throw new Error(`no API error, but ${String(error)}`);
}

/** The data of a stream's events, the last of them being the text `[DONE]` where it ends well. */
export function dataOf(text: string): unknown[] {
  // On a slow machine a stream may be silent for long enough to carry comments.
  const events = text.split("\n\n").filter((event) => event !== ": keep-alive");
  if (events.pop() !== "") throw new Error("the last event is cut off");
  return events.map((event) => {
    if (!/^data: [^\n]+$/.test(event)) throw new Error(`not one line of data: ${event}`);
    const data = event.slice("data: ".length);
    return data === "[DONE]" ? data : JSON.parse(data);
  });
}

export interface ModelFolder {
  /** For the setting `models`. */
  path: string;
  remove: () => void;
}

/** Makes a store with models made from the tiny one, by default in a temporary folder. */
export async function storeOf(
  models: Record<string, Partial<ModelDefinition>>,
  folder: string = mkdtempSync(path.join(tmpdir(), "modelctl-openai-")),
): Promise<ModelFolder> {
  const { create } = openStore(folder);
  for (const [name, definition] of Object.entries(models)) {
    await create(name, { from: ["tiny"], ...definition });
  }
  return {
    path: path.join(folder, "models"),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A template that tells the tiny model's own form, without tools and thinking. */
export const plainTemplate =
  "{{ range .Messages }}<|im_start|>{{ .Role }}\n{{ .Content }}<|im_end|>\n{{ end }}" +
  "<|im_start|>assistant\n";

/**
 * A template whose calls begin with `[TOOL_CALLS]`: the tiny model, which learnt `<tool_call>`, writes
 * calls without the marks of its template.
 */
export const foreignCallsTemplate =
  "{{ if .Tools }}<|im_start|>system\n# Tools\nTo use a tool, reply with " +
  '<tool_call>{"name": "tool name", "arguments": {}}</tool_call>\n<tools>\n' +
  "{{ range .Tools }}{{ json . }}\n{{ end }}</tools><|im_end|>\n{{ end }}" +
  "{{ range .Messages }}<|im_start|>{{ .Role }}\n{{ .Content }}" +
  '{{ range .ToolCalls }}[TOOL_CALLS]{"name": "{{ .Function.Name }}", ' +
  '"arguments": {{ json .Function.Arguments }}}{{ end }}<|im_end|>\n{{ end }}' +
  "<|im_start|>assistant\n";

/**
 * Makes a thinking model of the tiny one: a pirate's answers begin with "Arr,", which is the tag
 * with which thinking begins here, and a word of the answer is the one with which it ends. Who does
 * not think is no pirate, and who thinks little is a cat.
 */
export const thinkingTemplate =
  "{{ if .Think }}<|im_start|>system\n" +
  "You are a {{ if eq .ThinkLevel `low` }}cat{{ else }}pirate{{ end }}.<|im_end|>\n{{ end }}" +
  "{{ range .Messages }}<|im_start|>{{ .Role }}\n" +
  "{{ if .Thinking }}Arr,{{ .Thinking }}France{{ end }}{{ .Content }}<|im_end|>\n{{ end }}" +
  "<|im_start|>assistant\n";
