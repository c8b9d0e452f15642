// Generated schemas: their grammars accept valid values and no others.
import fc from "fast-check";
import { Check } from "typebox/schema";
import { beforeAll, describe, expect, it } from "vitest";
import { GrammarRules } from "../../../source/prompt/grammar/gbnf.ts";
import { schemaGrammar } from "../../../source/prompt/grammar/schema-grammar.ts";
import { proofRounds } from "../../support/proof.ts";
import { anySchema, changed, schemaWithValue } from "./generated-schemas.ts";
import { type Accepts, grammarReader } from "./llama-grammar.ts";

let readGrammar: (grammar: string) => Accepts;
beforeAll(async () => {
  readGrammar = await grammarReader();
});

function acceptsOf(schema: unknown): Accepts {
  const rules = new GrammarRules();
  return readGrammar(rules.text(schemaGrammar(rules, schema)));
}

describe("a grammar made from any schema", () => {
  it("accepts a valid value in any spacing", () => {
    fc.assert(
      fc.property(
        schemaWithValue,
        fc.constantFrom(undefined, 1, 4, "\t"),
        ({ schema, value }, indent) => {
          expect(acceptsOf(schema)(JSON.stringify(value, undefined, indent))).toBe(true);
        },
      ),
      { numRuns: proofRounds(1000) },
    );
  });

  it("accepts no invalid value", () => {
    const near = schemaWithValue.chain(({ schema, value }) =>
      fc.tuple(fc.constant(schema), fc.array(changed(value), { minLength: 1, maxLength: 8 })),
    );
    fc.assert(
      fc.property(near, ([schema, values]) => {
        const accepts = acceptsOf(schema);
        for (const value of values) {
          // A grammar may be stricter than the schema, as in the order of properties, never laxer.
          if (accepts(JSON.stringify(value))) expect(Check(schema, value)).toBe(true);
        }
      }),
      { numRuns: proofRounds(1000) },
    );
  });

  it("exists for every schema, or the schema is refused with a reason", () => {
    fc.assert(
      fc.property(anySchema, fc.boolean(), (schema, isLenient) => {
        const rules = new GrammarRules();
        let grammar: string;
        try {
          grammar = rules.text(schemaGrammar(rules, schema, { isLenient }));
        } catch (error) {
          expect(error).toMatchObject({
            code: expect.stringMatching(/^PROMPT_SCHEMA_/),
            status: 400,
          });
          return;
        }
        expect(() => readGrammar(grammar)).not.toThrow();
      }),
      { numRuns: proofRounds(5000) },
    );
  });
});
