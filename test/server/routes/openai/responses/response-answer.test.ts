// Events of a response, without a model.
import { expect, test } from "vitest";
import { ProductError } from "../../../../../source/base/product-error.ts";
import { engineErrors } from "../../../../../source/engine/errors.ts";
import type { CanonicalEvent } from "../../../../../source/engine/request.ts";
import { OfferedTools } from "../../../../../source/server/routes/openai/responses/offered-tools.ts";
import { ResponseAnswer } from "../../../../../source/server/routes/openai/responses/response-answer.ts";

test("a response that fails at once has all the events that readers build a response from", () => {
  const answer = new ResponseAnswer(
    { model: "tiny", input: "Hello!", stream: true },
    new OfferedTools(),
  );
  const events = answer.fail(new ProductError(engineErrors.loadFailed, { message: "No room." }));
  expect(events).toMatchObject([
    { type: "response.created", sequence_number: 0, response: { status: "in_progress" } },
    { type: "response.in_progress", sequence_number: 1 },
    { type: "error", sequence_number: 2, message: "No room." },
    { type: "response.failed", sequence_number: 3, response: { status: "failed", output: [] } },
  ]);
});

const statistics = {
  ...{ promptTokens: 20, cachedTokens: 5, completionTokens: 9 },
  ...{ queueMs: 0, promptMs: 1, completionMs: 1 },
};

/** What a client gets when the model calls the only tool. */
function called(tool: object, name: string, args: object) {
  const tools = new OfferedTools();
  tools.addAll([tool], "tools");
  const answer = new ResponseAnswer({ model: "tiny" }, tools);
  const text = JSON.stringify(args);
  const events: CanonicalEvent[] = [
    { type: "started", promptTokens: 20, cachedTokens: 5, slot: 0 },
    { type: "tool-call", index: 0, id: "call_1", name, tokens: 3 },
    { type: "tool-arguments", index: 0, text: text.slice(0, 5), tokens: 5 },
    { type: "tool-arguments", index: 0, text: text.slice(5), tokens: 9 },
    { type: "tool-call-end", index: 0, arguments: { ...args } },
    { type: "done", reason: "stop", statistics },
  ];
  const told = events.flatMap((event) => answer.take(event));
  return { told, output: answer.toJson().output };
}

const patch = { type: "create_file", path: "a.txt", diff: "+a" };

test.each([
  [
    { type: "local_shell" },
    { command: ["ls", "-l"], timeout_ms: 100 },
    {
      type: "local_shell_call",
      action: { type: "exec", command: ["ls", "-l"], env: {}, timeout_ms: 100 },
    },
  ],
  [
    { type: "shell", environment: { type: "local" } },
    { commands: ["ls"] },
    {
      type: "shell_call",
      action: { commands: ["ls"], timeout_ms: null, max_output_length: null },
      environment: { type: "local" },
    },
  ],
  [{ type: "apply_patch" }, patch, { type: "apply_patch_call", operation: patch }],
  [
    { type: "tool_search", execution: "client" },
    { query: "weather" },
    { type: "tool_search_call", execution: "client", arguments: { query: "weather" } },
  ],
])("a call of %j comes back as its own kind of item", (tool, args, item) => {
  const { told, output } = called(tool, tool.type, args);
  const whole = { ...item, call_id: "call_1", status: "completed" };
  expect(output).toEqual([{ ...whole, id: expect.any(String) }]);
  const done = told.find(({ type }) => type === "response.output_item.done");
  expect(done).toMatchObject({ output_index: 0, item: whole });
});

test("the input of a custom tool is one piece of text", () => {
  const { told, output } = called({ type: "custom", name: "write" }, "write", { input: "a\nb" });
  expect(output).toMatchObject([{ type: "custom_tool_call", name: "write", input: "a\nb" }]);
  expect(told).toMatchObject([
    { type: "response.created" },
    { type: "response.in_progress" },
    { type: "response.output_item.added", item: { status: "in_progress", input: "" } },
    { type: "response.custom_tool_call_input.delta", delta: "a\nb", output_index: 0 },
    { type: "response.custom_tool_call_input.done", input: "a\nb" },
    { type: "response.output_item.done", item: { status: "completed", input: "a\nb" } },
    { type: "response.completed" },
  ]);
});

test("the model reads the grammar of a custom tool", () => {
  const tools = new OfferedTools();
  const format = { type: "grammar", syntax: "lark", definition: "start: NUMBER" };
  tools.addAll([{ type: "custom", name: "count", description: "Counts.", format }], "tools");
  expect(tools.definitions[0]?.description).toBe(
    "Counts.\n\nThe input must follow this grammar:\nstart: NUMBER",
  );
});

test("a shell in a container of OpenAI is left out", () => {
  const tools = new OfferedTools();
  tools.addAll([{ type: "shell", environment: { type: "container_auto" } }], "tools");
  expect([tools.leftOut, tools.definitions]).toEqual([["shell"], []]);
});
