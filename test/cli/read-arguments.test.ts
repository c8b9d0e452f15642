// The command line's words and flags.
import { describe, expect, test } from "vitest";
import { modelctlProgram } from "../../source/cli/command-table.ts";
import { unusedFlags } from "../../source/cli/help-text.ts";
import { readArguments as readArgumentsOf } from "../../source/cli/read-arguments.ts";

const readArguments = (argv: string[]) => readArgumentsOf(modelctlProgram, argv);

/** Flags that were typed, without the toggles that were not. */
function read(...argv: string[]) {
  const parsed = readArguments(argv);
  if (parsed.kind === "text") return { help: parsed.text };
  const typed = Object.entries(parsed.flags).filter(([, value]) => value !== false);
  return { words: parsed.words, flags: Object.fromEntries(typed) };
}

describe("words", () => {
  test("are kept as they were typed", () => {
    expect(read("run", "tiny", "007", "1.50", "0x10", "1e3", "true", " a b ")).toEqual({
      words: ["tiny", "007", "1.50", "0x10", "1e3", "true", " a b "],
      flags: {},
    });
  });

  test("behind -- are no flags", () => {
    expect(read("run", "tiny", "--verbose", "--", "--plain", "-x", "--")).toMatchObject({
      words: ["tiny", "--plain", "-x", "--"],
      flags: { verbose: true },
    });
  });
});

describe("flags", () => {
  test("that were not typed are absent", () => {
    expect(readArguments(["run"])).toMatchObject({ kind: "run", words: [], flags: {} });
    expect(read("run")).toEqual({ words: [], flags: {} });
  });

  test("stand anywhere, with a blank or an equals sign", () => {
    const expected = {
      words: ["tiny", "Hello!"],
      flags: { gpu: "cpu", numParallel: "2", verbose: true },
    };
    expect(
      read("--gpu", "cpu", "run", "tiny", "--num-parallel=2", "Hello!", "--verbose"),
    ).toMatchObject(expected);
  });

  test("keep texts that look like numbers", () => {
    const { flags } = read("run", "--keepalive", "-1", "--port", "08080", "--system", "42");
    expect(flags).toMatchObject({ keepalive: "-1", port: "08080", system: "42" });
  });

  test.each(["--nonsense", "--nonsense=1", "-q", "--no-such"])("%s does not exist", (flag) => {
    expect(() => readArguments(["run", "tiny", flag])).toThrow(
      expect.objectContaining({ code: "COMMAND_USAGE", exitCode: 2 }),
    );
  });

  test.each(["--gpu", "--system", "--port", "--connect"])("%s needs a value", (flag) => {
    for (const argv of [
      ["run", flag],
      ["run", `${flag}=`],
    ]) {
      expect(() => readArguments(argv)).toThrow(
        expect.objectContaining({
          code: "COMMAND_USAGE",
          message: expect.stringContaining(`${flag} needs a value`),
        }),
      );
    }
  });

  test("do not take the next flag for their value, unless it is said so", () => {
    expect(() => readArguments(["run", "--system", "--verbose"])).toThrow(
      expect.objectContaining({
        code: "COMMAND_USAGE",
        message: "--system needs a value, and --verbose looks like another flag.",
        hint: "If it is meant, write --system=--verbose.",
      }),
    );
    expect(read("run", "--system=--verbose")).toMatchObject({ flags: { system: "--verbose" } });
    expect(read("run", "--system", "-- be brief")).toMatchObject({
      flags: { system: "-- be brief" },
    });
  });

  test("of one kind are given once", () => {
    expect(() => readArguments(["run", "--system", "a", "--system", "b"])).toThrow(
      expect.objectContaining({
        code: "COMMAND_USAGE",
        exitCode: 2,
        message: expect.stringContaining("--system"),
      }),
    );
  });

  test("--help wins over everything but mistakes", () => {
    expect(read("run", "tiny", "--help")).toHaveProperty("help");
    expect(() => readArguments(["--help", "--nonsense"])).toThrow();
  });
});

describe("commands", () => {
  test("take only their own flags", () => {
    expect(() => readArguments(["doctor", "--system", "x"])).toThrow(
      expect.objectContaining({ message: "modelctl doctor has no flag --system." }),
    );
  });

  test("explain themselves", () => {
    const own = read("run", "--help");
    expect(own.help).toContain("--keepalive TIME");
    expect(read("help", "run")).toEqual(own);
    expect(read("--help").help).toContain('modelctl run MODEL ["PROMPT"]');
  });

  test("tell their version", () => {
    expect(read("run", "--version").help).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test.each([
    [["lst"], "There is no command 'lst'.", "Did you mean list? See modelctl --help."],
    [["quux"], "There is no command 'quux'.", "See modelctl --help."],
    [
      ["list", "--jsn"],
      "There is no flag --jsn.",
      "Did you mean --json? See modelctl list --help.",
    ],
    [["list", "--colour"], "There is no flag --colour.", "See modelctl list --help."],
  ])("%j are refused, with the nearest there is", (words, message, hint) => {
    expect(() => readArguments(words)).toThrow(expect.objectContaining({ message, hint }));
  });

  test("say how to send a prompt that begins like a flag", () => {
    expect(() => readArguments(["run", "tiny", "-5 + 3"])).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('-- "-5 + 3"') }),
    );
    expect(read("run", "tiny", "--", "-5 + 3").words).toEqual(["tiny", "-5 + 3"]);
  });

  test("take every flag that there is somewhere", () => {
    expect(unusedFlags(modelctlProgram)).toEqual([]);
  });
});
