// Equivalent requests in another order get the same prompt.
import { expect, test } from "vitest";
import type { PromptMessage } from "../../source/prompt/prompt-template.ts";
import { inStableOrder, withDeclaredOrder } from "../../source/prompt/stable-order.ts";

const tool = (name: string, parameters: Record<string, unknown>) => ({
  name,
  description: undefined,
  parameters,
});

const schema = {
  type: "object",
  properties: {
    place: {
      type: "object",
      description: "where",
      properties: { town: { type: "string" }, code: { type: "integer", minimum: 1 } },
    },
    days: { type: "array", items: { enum: ["today", "monday"], anyOf: [{ type: "string" }] } },
  },
  required: ["place", "days"],
};
/** The same with keywords in another order. */
const shuffled = {
  required: ["days", "place"],
  properties: {
    place: {
      properties: { town: { type: "string" }, code: { minimum: 1, type: "integer" } },
      description: "where",
      type: "object",
    },
    days: { items: { anyOf: [{ type: "string" }], enum: ["today", "monday"] }, type: "array" },
  },
  type: "object",
};

const asText = (value: unknown) => JSON.stringify(value);

test("tools in another order, with keywords in another order, give the same text", () => {
  const sent = [tool("b", schema), tool("a", { type: "object" })];
  const again = [tool("a", { type: "object" }), tool("b", shuffled)];
  expect(asText(inStableOrder(again))).toBe(asText(inStableOrder(sent)));
  expect(inStableOrder(sent).map(({ name }) => name)).toEqual(["a", "b"]);
});

test("the usual order of a schema stays unchanged", () => {
  expect(asText(inStableOrder([tool("a", schema)]))).toBe(asText([tool("a", schema)]));
});

test("properties and enum values stay in the client's order", () => {
  const parameters = {
    type: "object",
    properties: { thought: { type: "string" }, answer: { enum: ["yes", "no", "maybe"] } },
  };
  expect(asText(inStableOrder([tool("a", parameters)]))).toBe(asText([tool("a", parameters)]));
});

test("anything that is not a schema stays unchanged", () => {
  const odd = { required: "all", properties: ["a"], $defs: 7, default: { b: 1, a: 2 } };
  expect(inStableOrder([tool("a", odd)])[0]?.parameters).toEqual(odd);
  expect(asText(inStableOrder([tool("a", odd)])[0]?.parameters?.default)).toBe('{"b":1,"a":2}');
  const named = JSON.parse('{"properties":{"__proto__":{"type":"string"}}}');
  expect(asText(inStableOrder([tool("a", named)])[0]?.parameters)).toBe(asText(named));
});

test("endless nesting is not followed", () => {
  let deep: Record<string, unknown> = { type: "object" };
  for (let level = 0; level < 20_000; level += 1) deep = { items: deep };
  expect(inStableOrder([tool("a", deep)])).toHaveLength(1);
});

test("arguments of earlier calls are in the order that their tool declares", () => {
  const call = (name: string, args: Record<string, unknown>): PromptMessage => ({
    role: "assistant",
    content: "",
    toolCalls: [{ id: "1", name, arguments: args }],
  });
  const argumentsOf = (message: PromptMessage) =>
    withDeclaredOrder([message], [tool("b", schema)]).flatMap(({ toolCalls = [] }) =>
      toolCalls.map((one) => asText(one.arguments)),
    );
  expect(
    argumentsOf(call("b", { more: 1, days: ["monday"], place: { code: 7, town: "Rome" } })),
  ).toEqual(['{"place":{"town":"Rome","code":7},"days":["monday"],"more":1}']);
  expect(argumentsOf(call("unknown", { b: 1, a: 2 }))).toEqual(['{"b":1,"a":2}']);
});
