// Makes Modelfiles together with what they say, and definitions as an API may set them.
import fc from "fast-check";
import {
  defineModel,
  type ModelDefinition,
  type StoredMessage,
} from "../../../source/store/model-definition.ts";
import {
  cacheTypes,
  type ParameterName,
  parameterKinds,
  specTypes,
  splitModes,
} from "../../../source/store/model-parameters.ts";

/** Pieces that the grammar treats specially, and words that look like its commands. */
const pieces = fc.oneof(
  fc.constantFrom(
    '"',
    '"',
    '"""',
    "\n",
    "\r",
    "\r\n",
    " ",
    "\t",
    "#",
    "\\",
    "'",
    "\u00a0",
    "\u3000",
    "\u200d",
    "\ufeff",
    "\u0000",
    "👩‍👩‍👧",
    "{{ .System }}",
    "<|im_end|>",
    "FROM x",
    'SYSTEM "',
    "from here",
  ),
  fc.string({ unit: "grapheme", maxLength: 6 }),
  fc.string({ unit: "binary", maxLength: 3 }),
);

/** Well-formed text, poor in nothing that the grammar cares about. */
export const anyText = fc
  .array(pieces, { maxLength: 10 })
  .map((parts) => parts.join("").toWellFormed());

/** UTF-16 units at random: halves of surrogate pairs too. */
const anyUnits = fc
  .array(fc.nat(0xffff), { maxLength: 8 })
  .map((units) => String.fromCharCode(...units));

const blanks = fc.constantFrom(" ", "\t", "  ", " \t ");
const maybeBlanks = fc.constantFrom("", "", " ", "\t\t");
const lineEnd = fc.constantFrom("\n", "\r", "\r\n");

interface WrittenValue {
  written: string;
  value: string;
}

const oneLine = anyText.map((text) => text.replace(/[\r\n]+/g, ""));

/** Bare: one line that begins and ends with something seen, and not with a quote. */
const bareValue: fc.Arbitrary<WrittenValue> = oneLine
  .map((text) => text.replace(/^[\s\p{Cc}\p{Cf}"]+|[\s\p{Cc}\p{Cf}]+$/gu, ""))
  .map((value) => ({ written: value, value }));

/** No line of it, but the last, ends in these quotes, and none looks like a command. */
function fitsBetween(value: string, quotes: string): boolean {
  const lines = value.split(/\r\n|\r|\n/);
  const ended = lines.slice(0, -1).map((line) => line.replace(/[\s\p{Cc}\p{Cf}]+$/u, ""));
  return (
    !ended.some((line) => line.endsWith(quotes)) &&
    !lines.some((line) => /^[ \t]*(FROM|SYSTEM|from)[ \t]/.test(line))
  );
}

function quotedValue(quotes: string): fc.Arbitrary<WrittenValue> {
  return anyText
    .map((text) => (fitsBetween(text, quotes) ? text : text.replace(/[\r\n"]+/g, "")))
    .map((text) => (quotes === '"' ? text.replace(/^""+/, '"') : text))
    .filter((text) => quotes !== '"' || text !== '"')
    .map((value) => ({ written: `${quotes}${value}${quotes}`, value }));
}

const anyValue = fc.oneof(bareValue, quotedValue('"'), quotedValue('"""'));
const path = anyValue.filter(({ value }) => value !== "");

const numberText = fc.oneof(
  fc.double({ min: 0.001, max: 1e6, noNaN: true }).map(String),
  fc.integer({ min: 1, max: 1e6 }).map((value) => `+${value}`),
);
const integerText = fc.integer({ min: 0, max: 2 ** 31 }).map(String);

interface WrittenCommand {
  name: string;
  key?: string;
  written: string;
  apply(definition: ModelDefinition): void;
}

function command(
  name: string,
  values: fc.Arbitrary<WrittenValue>,
  apply: (definition: ModelDefinition, value: string) => void,
): fc.Arbitrary<WrittenCommand> {
  return values.map(({ written, value }) => ({
    name,
    written,
    apply: (definition) => apply(definition, value),
  }));
}

const names = Object.keys(parameterKinds) as ParameterName[];
const scalarNames = names.filter((name) => name !== "stop");

const parameterCommand: fc.Arbitrary<WrittenCommand> = fc
  .constantFrom(...scalarNames)
  .chain((name) => {
    const texts = {
      integer: integerText,
      number: numberText,
      boolean: fc.constantFrom("true", "false"),
      strings: fc.constant(""),
      "cache type": fc.constantFrom(...cacheTypes),
      "split mode": fc.constantFrom(...splitModes),
      "spec type": fc.constantFrom(...specTypes),
      model: fc.constantFrom("small", "hf.co/owner/small:Q4_K_M"),
      shares: fc.constantFrom("1", "3,1", "0.5,0.25,0.25"),
    }[parameterKinds[name].kind];
    return fc.tuple(texts, fc.constantFrom("", '"', '"""')).map(([text, quotes]) => ({
      name: "PARAMETER",
      key: name,
      written: `${quotes}${text}${quotes}`,
      apply(definition: ModelDefinition) {
        const { kind } = parameterKinds[name];
        const isNumber = kind === "integer" || kind === "number";
        const value = isNumber ? Number(text) : kind === "boolean" ? text === "true" : text;
        Object.assign(definition.parameters, { [name]: value });
      },
    }));
  });

const stopCommand = command("PARAMETER", anyValue, (definition, value) => {
  definition.parameters.stop = [...(definition.parameters.stop ?? []), value];
}).map((written) => ({ ...written, key: "stop" }));

const roles = fc.constantFrom<StoredMessage["role"]>("system", "user", "assistant");
const messageCommand: fc.Arbitrary<WrittenCommand> = fc
  .tuple(roles, anyValue)
  .map(([role, { written, value }]) => ({
    name: "MESSAGE",
    key: role,
    written,
    apply: (definition) => definition.messages.push({ role, content: value }),
  }));

const versions = fc
  .constantFrom("1.2.3", "0.14.0-rc.1", "2")
  .map((value) => ({ written: value, value }));

const anyCommand: fc.Arbitrary<WrittenCommand> = fc.oneof(
  command("FROM", path, (definition, value) => definition.from.push(value)),
  command("DRAFT", path, (definition, value) => definition.drafts.push(value)),
  command("ADAPTER", path, (definition, value) => {
    definition.adapters = [value];
  }),
  command("TEMPLATE", anyValue, (definition, value) => {
    definition.template = value;
  }),
  command("SYSTEM", anyValue, (definition, value) => {
    definition.system = value;
  }),
  command("RENDERER", anyValue, (definition, value) => {
    definition.renderer = value;
  }),
  command("PARSER", anyValue, (definition, value) => {
    definition.parser = value;
  }),
  command("REQUIRES", versions, (definition, value) => {
    definition.requires = value;
  }),
  command("LICENSE", anyValue, (definition, value) => definition.licenses.push(value)),
  messageCommand,
  parameterCommand,
  stopCommand,
);

const noise = fc.oneof(
  fc.constant(""),
  oneLine.map((text) => `# ${text}`),
  fc.constantFrom("", "\t ", "#"),
);

/** A command as a line, in any case, with blanks, comments and a line end of any kind. */
const anyLine = fc
  .tuple(anyCommand, fc.nat(), blanks, maybeBlanks, lineEnd, noise)
  .map(([written, caseBits, blank, margin, end, before]) => {
    const name = Array.from(written.name, (letter, index) =>
      (caseBits >> index) % 2 === 1 ? letter.toLowerCase() : letter,
    ).join("");
    const key = written.key === undefined ? "" : `${written.key}${blank}`;
    const lead = before === "" ? "" : `${margin}${before}${end}`;
    return {
      text: `${lead}${margin}${name}${blank}${key}${written.written}${margin}${end}`,
      apply: written.apply,
    };
  });

function encodeUtf16(text: string, isBigEndian: boolean): Buffer {
  const bytes = Buffer.from(`\ufeff${text}`, "utf16le");
  return isBigEndian ? bytes.swap16() : bytes;
}

/** A Modelfile in any form and encoding, and what it says. */
export const anyModelfile = fc
  .tuple(
    fc.array(anyLine, { maxLength: 8 }),
    command("FROM", path, (definition, value) => definition.from.push(value)),
    fc.nat(4),
  )
  .map(([lines, last, encoding]) => {
    const text = `${lines.map((line) => line.text).join("")}FROM ${last.written}`;
    const definition = defineModel({ from: [] });
    for (const { apply } of [...lines, last]) apply(definition);
    const source = [
      text,
      Buffer.from(text),
      Buffer.from(`\ufeff${text}`),
      encodeUtf16(text, false),
      encodeUtf16(text, true),
    ][encoding];
    return { source: source ?? text, definition };
  });

const apiText = fc.oneof(anyText, anyText, anyUnits, fc.string());
const apiNumber = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(-0, 0.7, 1e21, -1));

/** A definition as a request may set it: any text, any number, anything left out. */
export const anyDefinition: fc.Arbitrary<ModelDefinition> = fc.record({
  from: fc.array(apiText, { maxLength: 3 }),
  adapters: fc.array(apiText, { maxLength: 2 }),
  drafts: fc.array(apiText, { maxLength: 2 }),
  template: fc.option(apiText, { nil: undefined }),
  system: fc.option(apiText, { nil: undefined }),
  licenses: fc.array(apiText, { maxLength: 3 }),
  renderer: fc.option(apiText, { nil: undefined }),
  parser: fc.option(apiText, { nil: undefined }),
  requires: fc.option(fc.oneof(apiText, fc.constant("1.2.3")), { nil: undefined }),
  messages: fc.array(fc.record({ role: roles, content: apiText }), { maxLength: 3 }),
  parameters: fc.record(
    {
      temperature: apiNumber,
      top_k: apiNumber,
      seed: apiNumber,
      repeat_penalty: apiNumber,
      use_mmap: fc.boolean(),
      kv_cache_type: fc.constantFrom(...cacheTypes),
      stop: fc.array(apiText, { maxLength: 3 }),
    },
    { requiredKeys: [] },
  ),
});

/** Text made of the grammar's own pieces, which reaches deeper than any random text. */
export const anySoup = fc
  .array(
    fc.oneof(
      pieces,
      fc.constantFrom(
        "FROM ",
        "SYSTEM ",
        "PARAMETER stop ",
        "PARAMETER ",
        "MESSAGE user ",
        "temperature 1",
        "\n",
        '"\n',
        '"""\n',
      ),
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(""));
