// Parsing of every form of a Modelfile, and the places of its mistakes.
import { describe, expect, test } from "vitest";
import { ProductError } from "../../../source/base/product-error.ts";
import { parseModelfile } from "../../../source/store/modelfile/parse-modelfile.ts";

/** The definition of a Modelfile that also has a FROM line. */
function read(text: string) {
  return parseModelfile(`FROM base\n${text}`).definition;
}

function failure(source: string | Uint8Array): ProductError {
  try {
    parseModelfile(source);
  } catch (error) {
    if (error instanceof ProductError) return error;
    throw error;
  }
  throw new Error("the Modelfile was accepted");
}

describe("a value", () => {
  const values: Record<string, [text: string, expected: string]> = {
    bare: ["SYSTEM You are kind.", "You are kind."],
    "bare with blanks around": ["SYSTEM \t  You  are kind. \t ", "You  are kind."],
    "bare with a tab before it": ["SYSTEM\tx", "x"],
    "bare with quotes inside": ['SYSTEM say "hi"', 'say "hi"'],
    "bare in single quotes, which are ordinary": ["SYSTEM 'x'", "'x'"],
    "bare with a number sign, which begins no comment": ["SYSTEM # x # y", "# x # y"],
    "bare with a backslash, which escapes nothing": ["SYSTEM a\\nb\\", "a\\nb\\"],
    "in quotes": ['SYSTEM "x"', "x"],
    "in quotes with blanks kept": ['SYSTEM "  x\t" ', "  x\t"],
    "in quotes over lines": ['SYSTEM "\na\n\nb\n"', "\na\n\nb\n"],
    "in quotes with quotes before the last": [
      'SYSTEM "You are "Bob" the bot"',
      'You are "Bob" the bot',
    ],
    "in quotes that end with quotes": ['SYSTEM "say "hi""', 'say "hi"'],
    "in quotes with a backslash at the end": ['SYSTEM "a\\"', "a\\"],
    "in quotes with several names in quotes": [
      'SYSTEM "You are "Bob".\nFROM now on "x" is y"',
      'You are "Bob".\nFROM now on "x" is y',
    ],
    "in quotes with an example that has quotes": ['SYSTEM "Write:\nFROM "x""', 'Write:\nFROM "x"'],
    "empty in quotes": ['SYSTEM ""', ""],
    "empty after a blank": ["SYSTEM ", ""],
    "in three quotes": ['SYSTEM """x"""', "x"],
    "in three quotes over lines": ['SYSTEM """\na "b" c\n"""  ', '\na "b" c\n'],
    "in three quotes that begin and end with quotes": ['SYSTEM """"a""""', '"a"'],
    "in three quotes with one quote": ['SYSTEM """""""', '"'],
    "in three quotes with commands": [
      'SYSTEM """A Modelfile:\nFROM x\nSYSTEM "y"\n"""',
      'A Modelfile:\nFROM x\nSYSTEM "y"\n',
    ],
    "empty in three quotes": ['SYSTEM """"""', ""],
    "with line ends of all kinds kept": ['SYSTEM """a\r\nb\rc\n"""\r\n', "a\r\nb\rc\n"],
    "with what other programs drop": [
      "SYSTEM \u3000a\u00a0b 👩‍👩‍👧 \u0007 می‌خواهم\u3000",
      "\u3000a\u00a0b 👩‍👩‍👧 \u0007 می‌خواهم\u3000",
    ],
    "in quotes before an unseen character": ['SYSTEM "a"\u00a0', "a"],
    "in quotes after an unseen character": ['SYSTEM \u200b"a"', "a"],
    "in a line of the last wins": ["SYSTEM a\nSYSTEM b", "b"],
  };

  test.each(Object.entries(values))("%s", (_, [text, expected]) => {
    expect(read(text).system).toBe(expected);
  });
});

describe("lines", () => {
  test.each([
    ["end with LF", "FROM a\nSYSTEM b\n"],
    ["end with CRLF", "FROM a\r\nSYSTEM b\r\n"],
    ["end with CR", "FROM a\rSYSTEM b\r"],
    ["may lack the last end", "FROM a\nSYSTEM b"],
    ["may be blank, indented, or comments", "\n \t\n# c\nFROM a\n\t # FROM x\n  SYSTEM b\n#"],
    ["begin with a command in any case", "from a\nSyStEm b"],
    ["come in any order", "SYSTEM b\nFROM a"],
    ["may follow unseen characters", "\ufeff\u00a0FROM a\n\u200b\nSYSTEM b\n\u3000"],
  ])("%s", (_, text) => {
    expect(parseModelfile(text).definition).toMatchObject({ from: ["a"], system: "b" });
  });
});

describe("commands", () => {
  test("have their values", () => {
    const text = `
FROM ./model one.gguf
FROM "./mmproj.gguf"
ADAPTER ./lora.gguf
DRAFT d1.gguf
DRAFT d2.gguf
TEMPLATE {{ .Prompt }}
RENDERER r
PARSER p
REQUIRES v0.14.0
LICENSE MIT
LICENSE """
Two
"""
MESSAGE system   Be kind.
MESSAGE user "Hi: there"
MESSAGE assistant Hello!`;
    expect(parseModelfile(text)).toMatchObject({
      warnings: [
        "Modelfile line 8, column 1: RENDERER is kept, but has no effect here: prompts follow the TEMPLATE, or the model's own template.",
        "Modelfile line 9, column 1: PARSER is kept, but has no effect here: the template decides how answers are parsed.",
      ],
      definition: {
        from: ["./model one.gguf", "./mmproj.gguf"],
        adapters: ["./lora.gguf"],
        drafts: ["d1.gguf", "d2.gguf"],
        template: "{{ .Prompt }}",
        system: undefined,
        renderer: "r",
        parser: "p",
        requires: "0.14.0",
        licenses: ["MIT", "\nTwo\n"],
        messages: [
          { role: "system", content: "Be kind." },
          { role: "user", content: "Hi: there" },
          { role: "assistant", content: "Hello!" },
        ],
        parameters: {},
      },
    });
  });

  test("that may be given once are overridden by the last, with a warning each", () => {
    const text =
      "FROM a\nADAPTER a\nADAPTER b\nTEMPLATE a\nTEMPLATE b\nPARAMETER seed 1\nPARAMETER seed 2\n";
    const { definition, warnings } = parseModelfile(text);
    expect(definition).toMatchObject({ adapters: ["b"], template: "b", parameters: { seed: 2 } });
    expect(warnings).toEqual([
      "Modelfile line 3, column 1: ADAPTER replaces the one on line 2.",
      "Modelfile line 5, column 1: TEMPLATE replaces the one on line 4.",
      "Modelfile line 7, column 1: PARAMETER seed replaces the one on line 6.",
    ]);
  });

  test("report the position of their values, in lines and characters", () => {
    const { positions } = parseModelfile(
      '# 😀\r\nFROM a\rFROM  b\nTEMPLATE """\nx"""\nADAPTER c\nDRAFT d # "😀" \nDRAFT "e"\nREQUIRES 1.2',
    );
    expect(positions).toEqual({
      from: [
        { line: 2, column: 6 },
        { line: 3, column: 7 },
      ],
      template: { line: 4, column: 13 },
      adapters: [{ line: 6, column: 9 }],
      drafts: [
        { line: 7, column: 7 },
        { line: 8, column: 7 },
      ],
      requires: { line: 9, column: 10 },
    });
  });
});

describe("parameters", () => {
  test("have the types of the API", () => {
    const text = `
PARAMETER num_ctx 4096
PARAMETER temperature .5
PARAMETER top_p "1e-1"
PARAMETER seed +7
PARAMETER use_mmap F
PARAMETER draft_num_predict   8
PARAMETER num_predict -1\u00a0
PARAMETER stop <|im_end|>
PARAMETER stop "### User: "
PARAMETER stop """
"""`;
    expect(read(text).parameters).toEqual({
      num_ctx: 4096,
      temperature: 0.5,
      top_p: 0.1,
      seed: 7,
      use_mmap: false,
      draft_num_predict: 8,
      num_predict: -1,
      stop: ["<|im_end|>", "### User: ", "\n"],
    });
  });

  test("of unsupported samplers are kept with a warning", () => {
    const { definition, warnings } = parseModelfile("FROM a\nPARAMETER typical_p 0.5\n");
    expect(definition.parameters).toEqual({ typical_p: 0.5 });
    expect(warnings).toEqual([
      "Modelfile line 2, column 11: parameter typical_p is kept, but has no effect here: this engine has no such sampler; min_p is similar.",
    ]);
    expect(parseModelfile("FROM a\nPARAMETER typical_p 1.0\n").warnings).toEqual([]);
  });

  test("that are obsolete are skipped with a warning, whatever their value", () => {
    const { definition, warnings } = parseModelfile("FROM a\nPARAMETER mirostat_tau x\n");
    expect(definition.parameters).toEqual({});
    expect(warnings).toEqual([
      "Modelfile line 2, column 11: parameter mirostat_tau is obsolete and ignored.",
    ]);
  });

  test.each([
    ["temperature warm", 'must be a number, but is "warm"'],
    ["temperature ", "must be a number, but is empty"],
    ["temperature NaN", 'must be a number, but is "NaN"'],
    ["temperature inf", 'must be a number, but is "inf"'],
    ["temperature 1e999", 'must be a finite number, but is "1e999"'],
    ["temperature -0.1", "must not be negative, but is -0.1"],
    ["temperature 0,7", 'must be a number, but is "0,7"'],
    ["temperature 0.7 0.8", 'must be a number, but is "0.7 0.8"'],
    ["top_k -1", "must not be negative, but is -1"],
    ["top_p -1", "must not be negative, but is -1"],
    ["min_p -1", "must not be negative, but is -1"],
    ["repeat_penalty 0", "must be above 0, but is 0"],
    ["kv_cache_type q5_0", 'must be one of f16, q8_0, q4_0, but is "q5_0"'],
    ["num_ctx -1", "must not be negative, but is -1"],
    ["num_ctx 4096.0", 'must be a whole number, but is "4096.0"'],
    ["num_ctx 0x10", 'must be a whole number, but is "0x10"'],
    [
      "seed 9223372036854775807",
      'must be a whole number of at most 9007199254740991, but is "9223372036854775807"',
    ],
    ["seed -9223372036854775808", "must be a whole number of at least -9007199254740991"],
    ["use_mmap yes", 'must be true or false, but is "yes"'],
  ])("refuse %s", (text, problem) => {
    const error = failure(`FROM a\n  PARAMETER ${text}`);
    const [name = ""] = text.split(" ");
    expect(error.code).toBe("STORE_MODELFILE_PARAMETER_INVALID");
    expect(error.message).toContain(`parameter ${name} ${problem}`);
    expect(error.message).toContain(`line 2, column ${14 + name.length}:`);
  });

  test("refuse a comment after the value, and say that it is none", () => {
    expect(failure("FROM a\nPARAMETER top_k 40 # usual")).toMatchObject({
      message:
        'Modelfile line 2, column 17: parameter top_k must be a whole number, but is "40 # usual".',
      hint: expect.stringContaining("on its own line"),
    });
  });
});

describe("versions", () => {
  test.each([
    ["1", "1"],
    ["v1.2", "1.2"],
    ["0.14.0-rc.1+build.5", "0.14.0-rc.1+build.5"],
  ])("%s", (text, expected) => {
    expect(read(`REQUIRES ${text}`).requires).toBe(expected);
  });

  test.each(["", "latest", "1.2.3.4", "01.2.3", ">=1.0", "1.2-rc", "vv1"])(
    "%j is invalid",
    (text) => {
      expect(failure(`FROM a\nREQUIRES "${text}"`)).toMatchObject({
        code: "STORE_MODELFILE_REQUIRES_INVALID",
        message: expect.stringContaining("line 2, column 10"),
      });
    },
  );
});

describe("mistakes", () => {
  /** By code: a description, the text, line and column of the mistake, and a part of the hint. */
  const mistakes: Record<string, Array<[string, string, at: string, hint: string]>> = {
    COMMAND_UNKNOWN: [
      ["a mistyped command", "FORM x", "1:1", "Did you mean FROM?"],
      ["an unknown command", "FROM a\n\n hello x", "3:2", "Commands are ADAPTER"],
      ["a first line of something else", "{}", "1:1", "# for a comment"],
      ["a value glued to its command", 'SYSTEM"""x"""', "1:1", "space after SYSTEM"],
      ["an equals sign", "FROM=x", "1:1", "space after FROM"],
      ["lines after a closed value", 'FROM a\nSYSTEM """a\nb"""\nc', "4:1", "ended on line 3"],
    ],
    VALUE_MISSING: [
      ["no value", "FROM a\nSYSTEM\n", "2:7", "SYSTEM You are"],
      ["no value at the end", "FROM", "1:5", "FROM ./model.gguf"],
      ["a value on the next line", 'SYSTEM\n"""x"""', "1:7", "SYSTEM You are"],
      ["nothing to build from", "FROM  ", "1:7", "FROM ./model.gguf"],
      ["an empty path", 'FROM a\nADAPTER ""', "2:9", "ADAPTER ./lora.gguf"],
      ["a parameter without value", "PARAMETER top_k", "1:16", "PARAMETER temperature 0.7"],
      ["a message without text", "MESSAGE user\n", "1:13", "MESSAGE user Hello!"],
    ],
    ROLE_INVALID: [
      ["an unknown role", "MESSAGE bot x", "1:9", "MESSAGE user Hello!"],
      ["a role in capitals", "MESSAGE User x", "1:9", "Did you mean user?"],
    ],
    PARAMETER_UNKNOWN: [
      ["a mistyped parameter", "PARAMETER temprature 1", "1:11", "Did you mean temperature?"],
      ["a parameter with a hyphen", "PARAMETER top-k 1", "1:11", "Did you mean top_k?"],
      ["an unknown parameter", "PARAMETER colour red", "1:11", "num_ctx, "],
    ],
    FROM_MISSING: [
      ["no FROM", "SYSTEM x\n", "2:1", "FROM ./model.gguf"],
      ["nothing at all", "", "1:1", "FROM ./model.gguf"],
    ],
    QUOTE_OPEN: [
      ["a quote never closed", 'FROM a\nSYSTEM "x\ny\n', "2:8", "end their line"],
      ["three quotes never closed", 'FROM a\nSYSTEM """x""\ny', "2:8", "must match"],
      ["a lone quote", 'FROM a\nSYSTEM "', "2:8", "must match"],
      [
        "a quote closed by the next command's",
        'SYSTEM "a\nPARAMETER stop "x"\n',
        "1:8",
        "end their line",
      ],
      [
        "three quotes closed by the next command's",
        'SYSTEM """a\n\nTEMPLATE """\nx\n"""',
        "1:8",
        "must match",
      ],
    ],
    TEXT_AFTER_QUOTE: [
      ["text after a quote", 'SYSTEM "a" b\nPARAMETER stop "x"', "1:12", "remove what follows"],
      [
        "text after a quote, before any command",
        'SYSTEM "a" b\nFROM x\nSYSTEM "y"',
        "1:12",
        "remove",
      ],
      ["text after a quote in small letters", 'system "a" b\ntemplate "x"\n', "1:12", "remove"],
      [
        "text after a quote in a later line",
        'SYSTEM "a\nb" c\nFROM x\nSYSTEM "y"',
        "2:4",
        "remove",
      ],
      ["text after a quote to the end", 'FROM a\nSYSTEM "a" b', "2:12", "remove"],
      ["text after three quotes", 'SYSTEM """a""" b\nTEMPLATE """x"""', "1:16", "remove"],
    ],
  };

  describe.each(Object.entries(mistakes))("%s", (code, cases) => {
    test.each(cases)("%s", (_, text, at, hint) => {
      const error = failure(text);
      const [line, column] = at.split(":");
      expect(error).toMatchObject({ code: `STORE_MODELFILE_${code}`, status: 400, exitCode: 2 });
      expect(error.message).toMatch(
        new RegExp(`^Modelfile line ${line}, column ${column}: .+\\.$`),
      );
      expect(error.hint).toContain(hint);
    });
  });

  test("are shown short, with control characters escaped", () => {
    const { message } = failure(`FROM a\n\u001b[31m${"x".repeat(10_000)}\u009b\u202e y`);
    expect(message).not.toMatch(/\p{Cc}|\p{Cf}/u);
    expect(message.length).toBeLessThan(200);
  });
});

describe("encodings", () => {
  const text = "FROM a\r\nSYSTEM Grüße 😀\u00a0\n";
  const utf16 = Buffer.from(`\ufeff${text}`, "utf16le");
  test.each([
    ["UTF-8", Buffer.from(text)],
    ["UTF-8 with a byte order mark", Buffer.from(`\ufeff${text}`)],
    ["UTF-16, little end first", utf16],
    ["UTF-16, big end first", Buffer.from(utf16).swap16()],
    ["a view into a larger buffer", new Uint8Array(Buffer.from(`x${text}`)).subarray(1)],
  ])("%s", (_, bytes) => {
    const before = Buffer.from(bytes);
    expect(parseModelfile(bytes).definition).toMatchObject({
      from: ["a"],
      system: "Grüße 😀\u00a0",
    });
    expect(Buffer.from(bytes)).toEqual(before);
  });

  test("the replacement character is an ordinary character", () => {
    expect(parseModelfile(Buffer.from("FROM a\nSYSTEM \ufffd")).definition.system).toBe("\ufffd");
  });

  test.each([
    ["Latin-1", Buffer.from("FROM a\nSYSTEM \ufffdé\xe9", "latin1"), 2, 8],
    [
      "an invalid UTF-8 byte",
      Buffer.concat([Buffer.from("FROM a\nSYSTEM é\ufffd"), Buffer.from([0xff])]),
      2,
      10,
    ],
    ["UTF-8 cut within a character", Buffer.from("FROM a\r\nSYSTEM 😀").subarray(0, -1), 2, 8],
    ["UTF-16 cut within a character", utf16.subarray(0, -1), 2, 16],
    ["half a surrogate pair in UTF-16", Buffer.from("\ufeffFROM \ud83d", "utf16le"), 1, 6],
    ["half a surrogate pair in a string", "FROM a\nSYSTEM \ude00", 2, 8],
  ])("%s is refused", (_, source, line, column) => {
    expect(failure(source)).toMatchObject({
      code: "STORE_MODELFILE_ENCODING",
      message: expect.stringContaining(`line ${line}, column ${column}:`),
      hint: expect.stringContaining("UTF-8"),
    });
  });
});

test("a model in place of the Modelfile is reported as what it is", () => {
  expect(failure(Buffer.from("GGUF\u0003\0\0\0"))).toMatchObject({
    message: "Modelfile line 1, column 1: this is a GGUF model, not a Modelfile.",
    hint: expect.stringContaining("FROM ./model.gguf"),
  });
});

test("a long file is parsed in linear time", () => {
  // Each of these took the square of its length in a reader that looks at a line twice.
  const blanks = " \t".repeat(500_000);
  const texts = [
    `SYSTEM """${'"\n'.repeat(500_000)}"""`,
    `SYSTEM ${blanks}x${blanks}y`,
    `SYSTEM "${'" x\n'.repeat(300_000)}"`,
    "LICENSE x\n".repeat(100_000),
    "PARAMETER stop x\r\n".repeat(100_000),
  ];
  for (const text of texts)
    expect(parseModelfile(`FROM a\n${text}`).definition.from).toEqual(["a"]);
});
