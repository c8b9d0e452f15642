// Properties that hold for every Modelfile and for every definition.
import fc from "fast-check";
import { expect, test } from "vitest";
import { ProductError } from "../../../source/base/product-error.ts";
import { defineModel, type ModelDefinition } from "../../../source/store/model-definition.ts";
import { parseModelfile } from "../../../source/store/modelfile/parse-modelfile.ts";
import { printModelfile } from "../../../source/store/modelfile/print-modelfile.ts";
import { proofRounds } from "../../support/proof.ts";
import { anyDefinition, anyModelfile, anySoup, anyText } from "./arbitrary-modelfile.ts";

const runs = { numRuns: proofRounds(10_000) };

test("a Modelfile is parsed as written, and prints as an equal one", () => {
  fc.assert(
    fc.property(anyModelfile, ({ source, definition }) => {
      const read = parseModelfile(source).definition;
      expect(read).toEqual(definition);
      const { text, unprintable } = printModelfile(read);
      expect(unprintable).toEqual([]);
      expect(parseModelfile(Buffer.from(text)).definition).toEqual(definition);
    }),
    runs,
  );
});

test("API values are printed exactly, or named as unprintable", () => {
  fc.assert(
    fc.property(anyDefinition, (definition) => {
      const { text, unprintable } = printModelfile(definition);
      const kept = withoutFields(definition, new Set(unprintable.map(({ field }) => field)));
      const read = parseModelfile(Buffer.from(`FROM first\n${text}`)).definition;
      expect(read).toEqual({ ...kept, from: ["first", ...kept.from] });
    }),
    runs,
  );
});

/** A definition without the fields that a printer named. */
function withoutFields(definition: ModelDefinition, named: ReadonlySet<string>): ModelDefinition {
  const kept = defineModel({ from: [] });
  const { stop, ...scalars } = definition.parameters;
  const stops = stop?.filter((_, index) => !named.has(`parameters.stop[${index}]`));
  const one = (field: "template" | "system" | "renderer" | "parser" | "requires") =>
    named.has(field) ? undefined : definition[field];
  const some = <Item>(field: string, items: Item[]) =>
    items.filter((_, index) => !named.has(`${field}[${index}]`));
  return {
    ...kept,
    from: some("from", definition.from),
    adapters: named.has("adapters") ? [] : definition.adapters,
    drafts: some("drafts", definition.drafts),
    licenses: some("licenses", definition.licenses),
    messages: some("messages", definition.messages),
    template: one("template"),
    system: one("system"),
    renderer: one("renderer"),
    parser: one("parser"),
    requires: one("requires"),
    parameters: {
      ...Object.fromEntries(
        Object.entries(scalars).filter(([name]) => !named.has(`parameters.${name}`)),
      ),
      ...(stops === undefined || stops.length === 0 ? {} : { stop: stops }),
    },
  };
}

test("a text without quotes can always be printed, and so can a single line", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      for (const system of [text.replaceAll('"', "'"), text.replace(/[\r\n]/g, "")]) {
        const printed = printModelfile(defineModel({ from: ["a"], system }));
        expect(printed.unprintable).toEqual([]);
        expect(parseModelfile(printed.text).definition.system).toBe(system);
      }
    }),
    { numRuns: proofRounds(2000) },
  );
});

test("any text or bytes fail only with a sentence and a position", () => {
  const sources = fc.oneof(
    anySoup,
    fc.string({ unit: "binary" }),
    fc.uint8Array({ maxLength: 64 }),
  );
  fc.assert(
    fc.property(sources, (source) => {
      try {
        parseModelfile(source);
      } catch (error) {
        if (!(error instanceof ProductError)) throw error;
        expect(error.code).toMatch(/^STORE_MODELFILE_/);
        expect(error.message).toMatch(/^Modelfile line \d+, column \d+: [^\n]+\.$/);
        expect(error.hint).toMatch(/\S/);
      }
    }),
    { numRuns: proofRounds(20_000) },
  );
});

test("any parsed value is printed without loss", () => {
  let readable = 0;
  fc.assert(
    fc.property(anySoup, (soup) => {
      const source = `FROM a\n${soup}`;
      let definition: ModelDefinition;
      try {
        ({ definition } = parseModelfile(source));
      } catch {
        return;
      }
      readable += 1;
      const { text, unprintable } = printModelfile(definition);
      expect(unprintable).toEqual([]);
      expect(parseModelfile(text).definition).toEqual(definition);
    }),
    { numRuns: proofRounds(20_000) },
  );
  expect(readable).toBeGreaterThan(proofRounds(1000));
});
