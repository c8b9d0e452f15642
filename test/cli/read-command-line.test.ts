// The command line's words and flags.
import { describe, expect, test } from "vitest";
import { modelctlProgram } from "../../source/cli/modelctl-program.ts";
import { readCommandLine } from "../../source/cli/program/read-command-line.ts";

const readArguments = (argv: string[]) => readCommandLine(modelctlProgram, argv);

function read(...argv: string[]) {
  const parsed = readArguments(argv);
  if (parsed.kind === "text") return { help: parsed.text };
  return { words: parsed.words, flags: parsed.flags };
}

describe("words", () => {
  test("are kept as typed", () => {
    expect(read("run", "tiny", "007", "1.50", "0x10", "1e3", "true", " a b ")).toEqual({
      words: ["tiny", "007", "1.50", "0x10", "1e3", "true", " a b "],
      flags: {},
    });
  });

  test("after -- are not flags", () => {
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

  test("may be anywhere, with a blank or an equals sign", () => {
    const expected = {
      words: ["tiny", "Hello!"],
      flags: { gpu: "cpu", numParallel: 2, verbose: true },
    };
    expect(
      read("--gpu", "cpu", "run", "tiny", "--num-parallel=2", "Hello!", "--verbose"),
    ).toMatchObject(expected);
  });

  test("keep texts that look like numbers", () => {
    const { flags } = read("run", "--keepalive", "-1", "--port", "08080", "--system", "42");
    expect(flags).toEqual({ keepalive: "-1", port: 8080, system: "42" });
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

  test("do not take the next flag as their value, unless joined with an equals sign", () => {
    expect(() => readArguments(["run", "--system", "--verbose"])).toThrow(
      expect.objectContaining({
        code: "COMMAND_USAGE",
        message: "--system needs a value, but --verbose looks like a flag.",
        hint: "To use it as the value, write --system=--verbose.",
      }),
    );
    expect(read("run", "--system=--verbose")).toMatchObject({ flags: { system: "--verbose" } });
    expect(read("run", "--system", "-- be brief")).toMatchObject({
      flags: { system: "-- be brief" },
    });
  });

  test("may be given once", () => {
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

describe("differences from meow", () => {
  test("--help and --version work with other words, and never end the process", () => {
    expect(read("run", "tiny", "--version", "--verbose").help).toMatch(/^\d/);
    expect(read("-h").help).toEqual(read("--help").help);
    expect(read("--help", "run").help).toEqual(read("run", "--help").help);
  });

  test("another command's flag before the words takes none of them", () => {
    expect(() => readArguments(["--follow", "list"])).toThrow(
      /Unknown flag --follow for modelctl list/,
    );
    expect(() => readArguments(["--nonsense", "list"])).toThrow(/Unknown flag --nonsense/);
    expect(read("--system", "Be brief.", "run", "tiny").words).toEqual(["tiny"]);
  });

  test("a flag may be a switch for one command and take a value for another", () => {
    expect(read("show", "--system", "tiny")).toEqual({ words: ["tiny"], flags: { system: true } });
    expect(read("run", "--system", "tiny", "x")).toEqual({
      words: ["x"],
      flags: { system: "tiny" },
    });
  });

  test.each(["--no-json", "--no-store", "--json.a", "--numParallel=1", "--JSON", "--__proto__=1"])(
    "%s is not a flag",
    (flag) => {
      expect(() => readArguments(["list", flag])).toThrow(`Unknown flag ${flag.split("=")[0]}.`);
    },
  );

  test.each(["--json=maybe", "--json=true", "--json="])(
    "%s is refused: it takes no value",
    (flag) => {
      expect(() => readArguments(["list", flag])).toThrow("--json takes no value.");
    },
  );

  test("a switch takes no value", () => {
    expect(read("list", "--json", "false")).toEqual({ words: ["false"], flags: { json: true } });
  });

  test.each(['"json"', "'it'", '"', '""', "a=b", "two\nlines", "--looks=like", " "])(
    "the value %j stays unchanged",
    (value) => {
      expect(read("run", `--system=${value}`).flags).toEqual({ system: value });
      if (!value.startsWith("--"))
        expect(read("run", "--system", value).flags).toEqual({ system: value });
    },
  );

  test("short flags take a separate value, a joined one, or one after an equals sign", () => {
    for (const argv of [["-f", "M"], ["-fM"], ["-f=M"]]) {
      expect(read("create", "x", ...argv).flags).toEqual({ file: "M" });
    }
    expect(() => readArguments(["list", "-x"])).toThrow("Unknown flag -x.");
    expect(() => readArguments(["list", "-5"])).toThrow("Unknown flag -5.");
  });

  test("--think alone takes no word, its value follows an equals sign", () => {
    expect(read("run", "tiny", "--think", "Why?")).toEqual({
      words: ["tiny", "Why?"],
      flags: { think: "true" },
    });
    expect(read("run", "--think=512").flags).toEqual({ think: "512" });
    expect(read("run", "--think=high").flags).toEqual({ think: "high" });
    expect(() => readArguments(["run", "--think=hihg"])).toThrow(
      expect.objectContaining({ hint: expect.stringContaining("Did you mean high?") }),
    );
  });

  test("choices are read in any letter case, numbers within their limits", () => {
    expect(read("run", "--gpu", "CUDA", "--top-p", ".5", "--seed", "-1").flags).toEqual({
      gpu: "cuda",
      topP: 0.5,
      seed: -1,
    });
    for (const [flag, value] of [
      ["--port", "65536"],
      ["--port", "1.5"],
      ["--port", "-1"],
      ["--top-p", "1.1"],
      ["--temperature", "warm"],
      ["--seed", "1e3"],
      ["--num-predict", "0x10"],
    ]) {
      expect(() => readArguments(["run", `${flag}=${value}`])).toThrow(
        expect.objectContaining({ exitCode: 2, message: `${flag} does not accept '${value}'.` }),
      );
    }
  });

  test("errors are ours: nothing is printed, and the process continues", () => {
    const code = process.exitCode;
    for (const argv of [["run", "--gpu", "a", "--gpu", "b"], ["quux"], ["list", "--port=x"]]) {
      expect(() => readArguments(argv)).toThrow(expect.objectContaining({ code: "COMMAND_USAGE" }));
    }
    expect(process.exitCode).toBe(code);
  });
});

describe("commands", () => {
  test("accept only their own flags", () => {
    expect(() => readArguments(["doctor", "--system", "x"])).toThrow(
      expect.objectContaining({ message: "Unknown flag --system for modelctl doctor." }),
    );
  });

  test("print their help", () => {
    const own = read("run", "--help");
    expect(own.help).toContain("--keepalive TIME");
    expect(read("help", "run")).toEqual(own);
    expect(read("--help").help).toContain("run [MODEL] [PROMPT…]");
  });

  test("print their version", () => {
    expect(read("run", "--version").help).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test.each([
    [["lst"], "Unknown command 'lst'.", "Did you mean list? See modelctl --help."],
    [["quux"], "Unknown command 'quux'.", "See modelctl --help."],
    [["list", "--jsn"], "Unknown flag --jsn.", "Did you mean --json? See modelctl list --help."],
    [["list", "--colour"], "Unknown flag --colour.", "See modelctl list --help."],
  ])("%j are refused with a suggestion", (words, message, hint) => {
    expect(() => readArguments(words)).toThrow(expect.objectContaining({ message, hint }));
  });

  test("explain how to send a prompt that begins like a flag", () => {
    expect(() => readArguments(["run", "tiny", "-5 + 3"])).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('-- "-5 + 3"') }),
    );
    expect(read("run", "tiny", "--", "-5 + 3").words).toEqual(["tiny", "-5 + 3"]);
  });
});
