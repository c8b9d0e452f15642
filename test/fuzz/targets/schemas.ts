// Untrusted schemas and patterns, compiled to grammars on the server's main thread.
import { answerGrammar } from "../../../source/prompt/grammar/answer-grammar.ts";
import type { Dice } from "../dice.ts";
import { hostileText, hostileValue } from "../hostile-values.ts";
import { orRefusal } from "../refusal.ts";
import type { Target } from "../target.ts";

/** Time limit for a grammar, which blocks other requests; generous for busy machines. */
const longestMs = 1000;
const types = ["null", "boolean", "integer", "number", "string", "array", "object", "x"];
const parts = [
  "a",
  "b?",
  "(c|d)",
  ".",
  "\\d",
  "\\w+",
  "[^x]",
  "[a-z]*",
  "(?:e)",
  "^",
  "$",
  "(",
  "\\",
];
const counts = ["", "?", "*", "+", "{3}", "{2,900}", "{0,}", "{99999}"];

export const schemas: Target = {
  name: "schemas",
  rounds: 2000,
  async begin() {
    return {
      async round({ dice, trying }) {
        const schema = schemaOf(dice);
        trying(`a format that is the schema ${JSON.stringify(schema)}`);
        const begun = process.cpuUsage();
        await orRefusal(() => grammarOf(schema));
        const { user, system } = process.cpuUsage(begun);
        const milliseconds = (user + system) / 1000;
        if (milliseconds > longestMs) throw new Error(`it took ${milliseconds} ms of the thread`);
      },
    };
  },
};

function grammarOf(schema: unknown): string | undefined {
  return answerGrammar({
    format: { kind: "schema", schema },
    tools: [{ name: "f", description: undefined, parameters: Object(schema) }],
    toolChoice: "auto",
    parallelToolCalls: true,
    output: { name: "hermes" },
    thinking: undefined,
    startsInThinking: false,
  });
}

function schemaOf(dice: Dice, depth = 0): unknown {
  const value = () => hostileValue(dice, dice.chance(0.03) ? 0 : 1);
  if (dice.chance(0.05)) return value();
  const inner = () => (depth > 4 ? true : schemaOf(dice, depth + 1));
  const some = (most: number) => dice.times(dice.below(most), inner);
  const keywords: Record<string, () => unknown> = {
    type: () => (dice.chance(0.8) ? dice.pick(types) : dice.some(types)),
    properties: () => Object.fromEntries(some(5).map((each) => [hostileText(dice), each])),
    required: () => dice.times(dice.below(3), () => hostileText(dice)),
    additionalProperties: inner,
    items: inner,
    prefixItems: () => some(4),
    anyOf: () => some(4),
    oneOf: () => some(4),
    allOf: () => some(4),
    not: inner,
    enum: () => dice.times(dice.below(6), value),
    const: value,
    pattern: () => dice.times(dice.below(8), () => dice.pick(parts) + dice.pick(counts)).join(""),
    format: () => dice.pick(["date-time", "uuid", "email", "x"]),
    $ref: () => dice.pick(["#", "#/$defs/a", "#/properties/a", "http://x/y"]),
    $defs: () => ({ a: inner() }),
    minimum: value,
    maximum: value,
    multipleOf: value,
    minLength: value,
    maxLength: value,
    minItems: value,
    maxItems: value,
  };
  const chosen = dice.some(Object.entries(keywords), depth === 0 ? 0.25 : 0.15);
  return Object.fromEntries(chosen.map(([name, make]) => [name, make()]));
}
