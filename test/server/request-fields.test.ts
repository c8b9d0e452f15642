// Decisions about requests of OpenAI's and Anthropic's clients: complete, and as the server takes them.
import { beforeAll, describe, expect, test } from "vitest";
import { type Decision, type RequestPart, requestParts } from "../../docs/request-fields.ts";
import { sharedServer } from "../support/shared-server.ts";
import type { TestServer } from "../support/test-server.ts";
import { ClientTypes } from "./client-types.ts";

let server: TestServer;
beforeAll(async () => {
  server = await sharedServer();
});

type Body = Record<string, unknown>;

const messages = [{ role: "user", content: "Hello!" }];
const chat = { model: "tiny", messages, max_tokens: 2 };
const response = { model: "tiny", input: "Hello!", max_output_tokens: 2 };
const inContent = (block: unknown): Body => ({
  messages: [{ role: "user", content: [{ type: "text", text: "Hello!" }, block] }],
});

/** A request for each part: its route, and its body with a field or an object of a kind. */
const requests: Record<string, { route: string; body: Body; add: (name: string) => Body }> = {
  "chat completions": { route: "/v1/chat/completions", body: chat, add: field },
  "tools of chat completions": { route: "/v1/chat/completions", body: chat, add: openAiTool },
  "content of chat completions": {
    route: "/v1/chat/completions",
    body: chat,
    add: (type) => inContent({ type, text: "Hello!", [type]: {} }),
  },
  completions: {
    route: "/v1/completions",
    body: { model: "tiny", prompt: "a", max_tokens: 2 },
    add: field,
  },
  embeddings: { route: "/v1/embeddings", body: { model: "tiny", input: "a" }, add: field },
  responses: { route: "/v1/responses", body: response, add: field },
  "tools of responses": {
    route: "/v1/responses",
    body: response,
    add: (type) => ({ tools: [{ type, name: "it", parameters: { type: "object" }, tools: [] }] }),
  },
  "items of responses": {
    route: "/v1/responses",
    body: response,
    add: (type) => ({ input: [...messages, { type, id: "i", call_id: "c" }] }),
  },
  "content of responses": {
    route: "/v1/responses",
    body: response,
    add: (type) => ({ input: [{ role: "user", content: [{ type, text: "Hello!" }] }] }),
  },
  messages: { route: "/v1/messages", body: chat, add: field },
  "token counts of messages": {
    route: "/v1/messages/count_tokens",
    body: { model: "tiny", messages },
    add: field,
  },
  "tools of messages": {
    route: "/v1/messages",
    body: chat,
    add: (type) => ({ tools: [{ type, name: "it", input_schema: { type: "object" } }] }),
  },
  "content of messages": { route: "/v1/messages", body: chat, add: anthropicBlock },
};

const values: Body = {
  access_programs: { programs: [] },
  background: true,
  conversation: "conv_1",
  image: { detail: "low" },
  max_tool_calls: 3,
  previous_response_id: "resp_1",
  prompt: { id: "pmpt_1" },
  stream_options: { include_obfuscation: false },
  audio: { voice: "alloy", format: "wav" },
  best_of: 3,
  betas: ["a-2026"],
  billing_policy: {},
  cache_control: { type: "ephemeral" },
  compaction: { type: "auto" },
  container: "container_1",
  context_management: { edits: [] },
  diagnostics: { previous_message_id: "m" },
  fallback_credit_token: "t",
  fallbacks: [],
  function_call: { name: "f" },
  functions: [{ name: "f" }],
  inference_geo: "us",
  mcp_servers: [{ type: "url", url: "https://a.example", name: "a" }],
  metadata: { user_id: "u" },
  modalities: ["audio"],
  moderation: { model: "omni" },
  prediction: { type: "content", content: "a" },
  prompt_cache_key: "k",
  prompt_cache_options: { ttl: "1h" },
  prompt_cache_retention: "24h",
  safety_identifier: "u",
  service_tier: "auto",
  speed: "fast",
  store: true,
  thread: { type: "create" },
  user: "u",
  user_profile_id: "u",
  verbosity: "low",
  web_search_options: { search_context_size: "low" },
  workspace_id: "w",
};

function field(name: string): Body {
  if (!Object.hasOwn(values, name)) throw new Error(`no value to try ${name} with`);
  return { [name]: values[name] };
}

function openAiTool(type: string): Body {
  return { tools: [{ type, [type]: { name: "it", parameters: { type: "object" } } }] };
}

function anthropicBlock(type: string): Body {
  const source = { type: "text", data: "Hello!" };
  const block = { type, text: "Hello!", data: "x", source, title: "A", content: [] };
  if (type === "redacted_thinking") {
    return { messages: [...messages, { role: "assistant", content: [block] }, ...messages] };
  }
  return inContent({ ...block, ...(type === "compaction" && { content: "Hello!" }) });
}

const cases = requestParts.flatMap((part) =>
  (Object.keys(part.decisions) as Decision[]).flatMap((decision) =>
    (part.decisions[decision] ?? [])
      .filter((name) => isTried(part, decision, name))
      .map((name) => ({ title: part.title, decision, name })),
  ),
);

/** Fields in use have tests of their own; kinds are tried where a plain object suffices. */
function isTried({ holds, title }: RequestPart, decision: Decision, name: string): boolean {
  if (decision !== "used") return true;
  return holds === "kinds" && title.startsWith("tools") && name !== "message";
}

describe.each(requestParts)("$title", ({ file, type, holds, decisions }) => {
  test("have a decision for every name of the official client's type", () => {
    const types = new ClientTypes(file);
    const names = holds === "fields" ? types.fields(type) : types.kinds(type);
    expect(Object.values(decisions).flat().toSorted()).toEqual(names.toSorted());
  });
});

test.each(cases)(
  "$name of $title is taken as decided: $decision",
  async ({ title, decision, name }) => {
    const request = requests[title];
    if (request === undefined) throw new Error(`no request to try ${title} with`);
    const { status, headers, text } = await server.post(request.route, {
      ...request.body,
      ...request.add(name),
    });
    const leftOut = headers.get("x-modelctl-left-out");
    expect({ status, text }).toMatchObject({ status: decision === "refused" ? 400 : 200 });
    expect(leftOut).toBe(decision === "leftOut" ? name : null);
    // Fields that a schema lacks would be reported as unknown.
    expect(headers.get("x-modelctl-warning") ?? "").not.toContain("Ignored");
  },
);

test("what is left out is in the request's record and the log, also of a stream", async () => {
  const body = {
    ...chat,
    stream: true,
    tools: [
      { type: "web_search_20260318", name: "web_search" },
      { type: "bash_20250124", name: "bash" },
    ],
  };
  const reply = await server.post("/v1/messages", body);
  expect(reply.headers.get("x-modelctl-left-out")).toBe("web_search_20260318");
  const id = reply.headers.get("x-request-id") ?? "";
  const sentence = "Left out what only its vendor can run: web_search_20260318.";
  const { json } = await server.send(`/api/requests/${id}`);
  expect(json).toMatchObject({ warnings: [sentence] });
  expect(server.log).toContain(`${id}: ${sentence}`);
});

test("many left-out tools are named in a short header", async () => {
  const tools = Array.from({ length: 500 }, (_, index) => ({
    type: `web_search_${index}`,
    name: "a",
  }));
  const { status, headers } = await server.post("/v1/messages", { ...chat, tools });
  expect(status).toBe(200);
  expect(headers.get("x-modelctl-left-out")).toMatch(/^web_search_0, .*, and 484 more$/);
});

test("Anthropic's tools that the client plays are functions with their parameters", async () => {
  const reply = await server.post("/v1/messages", {
    ...chat,
    max_tokens: 60,
    tools: [{ type: "bash_20250124", name: "bash" }],
    tool_choice: { type: "tool", name: "bash" },
  });
  expect(reply.json).toMatchObject({ content: [{ type: "tool_use", name: "bash" }] });
});
