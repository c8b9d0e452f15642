// Valid values for a schema of the server's OpenAPI document, so that requests reach the code behind the
// one hostile field.
import { isRecord } from "../../source/base/json.ts";
import type { Dice } from "./dice.ts";

const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
const parameters = { type: "object", properties: { city: { type: "string" } } };
const picture =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const parts = [
  { type: "text", text: "Hi" },
  { type: "input_text", text: "Hi" },
  { type: "image_url", image_url: { url: `data:image/png;base64,${picture}` } },
  { type: "image", source: { type: "base64", media_type: "image/png", data: picture } },
];
const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };
const messages = [
  { role: "user", content: "Hi" },
  { role: "system", content: "Be short." },
  { role: "user", content: parts },
  { role: "assistant", content: null, tool_calls: [call] },
  { role: "tool", tool_call_id: "c", content: "sunny" },
];

/** Values by field name, where a random value of the type would be meaningless. */
const meant: Readonly<Record<string, (dice: Dice) => unknown>> = {
  model: (dice) => dice.pick(["tiny", "tiny", "tiny", "tiny", "made", "absent"]),
  name: (dice) => dice.pick(["tiny", "made", "absent"]),
  from: () => "tiny",
  source: () => "tiny",
  destination: () => "made",
  prompt: () => "What is 2 + 3?",
  input: () => "Hi",
  content: (dice) => dice.pick(["Hi", dice.some(parts)]),
  messages: (dice) => [...dice.some(messages, 0.3), { role: "user", content: "Hi" }],
  options: (dice) => ({ num_predict: 4, temperature: dice.pick([0, 1]), seed: 1 }),
  max_tokens: () => 4,
  max_output_tokens: () => 16,
  max_completion_tokens: () => 4,
  images: () => [picture],
  tools: (dice) => [
    dice.pick([{ type: "function", function: { name: "f", parameters } }, { name: "f" }]),
  ],
  tool_choice: (dice) => dice.pick(["auto", "none", "required", { type: "auto" }]),
  format: (dice) => dice.pick(["json", schema]),
  response_format: () => ({ type: "json_schema", json_schema: { name: "a", schema } }),
  grammar: () => 'root ::= "a" | "b"',
  template: () => "{{ .Prompt }}",
  tokens: () => [1, 2, 300],
  context: () => [1, 2, 300],
  keep_alive: (dice) => dice.pick(["5m", 60]),
  digest: () => `sha256:${"0".repeat(64)}`,
  role: (dice) => dice.pick(["user", "system", "assistant", "tool"]),
  follow: () => "false",
};

/** @param name of the field that the value is for */
export function sampleValue(dice: Dice, described: unknown, name = ""): unknown {
  if (Object.hasOwn(meant, name)) return meant[name]?.(dice);
  if (!isRecord(described)) return "x";
  const { type, anyOf, items, properties, minimum = 0 } = described;
  if (Array.isArray(described.enum)) return dice.pick(described.enum);
  if (Array.isArray(anyOf)) return sampleValue(dice, dice.pick(anyOf));
  if (type === "object") return sampleObject(dice, { ...described, properties: properties ?? {} });
  if (type === "array") return dice.times(dice.below(3), () => sampleValue(dice, items));
  if (type === "integer" || type === "number") return Number(minimum) + dice.below(2);
  if (type === "boolean") return dice.chance(0.5);
  return type === "null" ? null : "x";
}

/** Returns all required fields, and some of the others. */
export function sampleObject(dice: Dice, { properties, required = [] }: Record<string, unknown>) {
  const fields = Object.entries(isRecord(properties) ? properties : {});
  const needed = Array.isArray(required) ? required : [];
  const chosen = fields.filter(([name]) => {
    return needed.includes(name) || dice.chance(Object.hasOwn(meant, name) ? 0.4 : 0.15);
  });
  return Object.fromEntries(chosen.map(([name, each]) => [name, sampleValue(dice, each, name)]));
}
