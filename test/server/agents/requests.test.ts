// First requests of coding agents, recorded and shortened: texts are replaced by their lengths, and long
// lists by their first entries.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { sharedServer } from "../../support/shared-server.ts";
import type { TestServer } from "../../support/test-server.ts";

interface Recorded {
  /** Name and version. */
  agent: string;
  path: string;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

let server: TestServer;
beforeAll(async () => {
  server = await sharedServer();
});

const folder = import.meta.dirname;
const recorded = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .map((name): Recorded => JSON.parse(readFileSync(path.join(folder, name), "utf8")));

/** What differs between the APIs: a limit, a demand for a call, a stream's end, and the call in the stream. */
interface Form {
  limit: (tokens: number) => object;
  demand: object;
  end: RegExp;
  call: object;
}

/** Agents name a tool that has required parameters. */
const forms: Record<string, (name: string) => Form> = {
  "/v1/chat/completions": (name) => ({
    limit: (tokens) => ({ max_tokens: tokens, max_completion_tokens: tokens }),
    demand: { tool_choice: { type: "function", function: { name } } },
    end: /\ndata: \[DONE\]\n\n$/,
    call: { choices: [{ delta: { tool_calls: [{ type: "function", function: { name } }] } }] },
  }),
  "/v1/messages": (name) => ({
    limit: (tokens) => ({ max_tokens: tokens }),
    demand: { tool_choice: { type: "tool", name } },
    end: /event: message_stop\n/,
    call: { type: "content_block_start", content_block: { type: "tool_use", name } },
  }),
  "/v1/responses": (name) => ({
    limit: (tokens) => ({ max_output_tokens: tokens }),
    demand: { tool_choice: { type: "function", name } },
    end: /event: response\.(completed|incomplete)\n/,
    call: { type: "response.output_item.added", item: { type: "function_call", name } },
  }),
};

function formOf({ path, body }: Recorded): Form {
  const [tool] = body.tools as Array<{ name?: string; function?: { name: string } }>;
  const form = forms[path.split("?")[0] ?? ""];
  if (form === undefined) throw new Error(`no form for ${path}`);
  return form(tool?.name ?? tool?.function?.name ?? "");
}

/** The objects of a stream of events. */
function objectsIn(text: string): unknown[] {
  return [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json = ""]) => JSON.parse(json));
}

describe.each(recorded)("$agent", (request) => {
  const { path, headers, body } = request;
  const { limit, demand, end, call } = formOf(request);

  test("is answered, with all of its fields and tools", async () => {
    const reply = await server.post(path, { ...body, ...limit(8) }, headers);
    expect({ status: reply.status, text: reply.text }).toMatchObject({ status: 200 });
    expect(reply.text).toMatch(end);
    expect(reply.text).not.toContain('"error":{');
    expect(reply.headers.get("x-modelctl-left-out")).toBeNull();
    expect(reply.headers.get("x-modelctl-warning") ?? "").not.toContain("Ignored");
  });

  test("gets a call in the form that it reads", async () => {
    const reply = await server.post(path, { ...body, ...limit(60), ...demand }, headers);
    expect({ status: reply.status, text: reply.text }).toMatchObject({ status: 200 });
    expect(objectsIn(reply.text)).toContainEqual(expect.objectContaining(matching(call)));
  });
});

test("Codex gets a call of a namespace with both names", async () => {
  const codex = recorded.find(({ agent }) => agent.startsWith("Codex"));
  if (codex === undefined) throw new Error("no recorded request of Codex");
  const tools = codex.body.tools as Array<{
    type: string;
    name: string;
    tools?: [{ name: string }];
  }>;
  const space = tools.find(({ type }) => type === "namespace");
  const names = { name: space?.tools?.[0].name, namespace: space?.name };
  const tool_choice = { type: "function", ...names };
  const body = { ...codex.body, tool_choice, max_output_tokens: 60 };
  const { text } = await server.post(codex.path, body, codex.headers);
  const item = expect.objectContaining({ type: "function_call", ...names });
  expect(objectsIn(text)).toContainEqual(
    expect.objectContaining({ type: "response.output_item.added", item }),
  );
});

/** Replaces nested objects by matchers of a part of them. */
function matching(part: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, matcherOf(value)]));
}

function matcherOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(matcherOf);
  return typeof value === "object" && value !== null
    ? expect.objectContaining(matching(value))
    : value;
}
