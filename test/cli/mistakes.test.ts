// Mistakes on the command lines of both programs: one sentence, the nearest name, exit code 2. The cases
// are derived from the definitions of all commands.
import { describe, expect, test } from "vitest";
import { deployctlProgram } from "../../source/cli/cloud/deployctl-program.ts";
import { modelctlProgram } from "../../source/cli/modelctl-program.ts";
import {
  type Command,
  type Flag,
  type Program,
  typedFlag,
  visibleCommands,
} from "../../source/cli/program/definition.ts";
import { readCommandLine } from "../../source/cli/program/read-command-line.ts";

const programs = [modelctlProgram, deployctlProgram];
const everyCommand = programs.flatMap((program) =>
  visibleCommands(program).map((it) => [program.name, it.name, program, it] as const),
);

/** Returns a valid command line, with more flags where the command takes its own. */
function rightWords({ name, words, passesFlags }: Command, ...flags: string[]): string[] {
  const required = words.split(" ").filter((word) => word !== "" && !word.startsWith("["));
  const named = required.map(() => "x");
  return passesFlags
    ? [...name.split(" "), ...flags, ...named]
    : [...name.split(" "), ...named, ...flags];
}

function mistake(program: Program, argv: readonly string[]) {
  try {
    readCommandLine(program, argv);
  } catch (error) {
    return error;
  }
  return undefined;
}

function usage(message: string | RegExp, hint: string | RegExp = /./) {
  return expect.objectContaining({
    code: "COMMAND_USAGE",
    exitCode: 2,
    message: typeof message === "string" ? message : expect.stringMatching(message),
    hint: typeof hint === "string" ? hint : expect.stringMatching(hint),
  });
}

/** Returns a value of the wrong type; undefined if all texts are valid. */
function wrongValue({ type, values, least, most }: Flag): string[] {
  if (type === "integer" || type === "number") {
    return [
      "many",
      "1e",
      ...(most === undefined ? [] : [`${most + 1}`]),
      ...(least === 0 ? ["-1"] : []),
    ];
  }
  if (type === "time") return ["soon", "-1", "1 week"];
  return values === undefined ? [] : ["none-of-them"];
}

describe.each(everyCommand)("%s %s", (_, __, program, command) => {
  const called = `${program.name} ${command.name}`;
  const right = rightWords(command);
  const flags = Object.entries(command.flags);

  test("parses its usage", () => {
    expect(mistake(program, right)).toBeUndefined();
  });

  test("refuses an unknown flag", () => {
    expect(mistake(program, rightWords(command, "--xyzzy"))).toEqual(
      usage("Unknown flag --xyzzy.", `See ${called} --help.`),
    );
    expect(mistake(program, rightWords(command, "-Z"))).toEqual(usage("Unknown flag -Z."));
  });

  test("suggests the nearest flag", () => {
    for (const [name, flag] of flags) {
      if (flag.isHidden || name.length < 4) continue;
      const typed = typedFlag(name, flag);
      const wrong = `${typed}x`;
      if (flags.some((it) => typedFlag(...it) === wrong)) continue;
      expect(mistake(program, rightWords(command, wrong))).toEqual(
        usage(`Unknown flag ${wrong}.`, `Did you mean ${typed}? See ${called} --help.`),
      );
    }
  });

  test("refuses a flag of another command", () => {
    const other = visibleCommands(program)
      .flatMap((it) => Object.entries(it.flags))
      .find(([name, flag]) => !flags.some((it) => typedFlag(...it) === typedFlag(name, flag)));
    if (other === undefined) return;
    const typed = typedFlag(...other);
    expect(mistake(program, rightWords(command, `${typed}=x`))).toEqual(
      usage(`Unknown flag ${typed} for ${called}.`),
    );
  });

  test("refuses missing and unexpected values of flags", () => {
    for (const [name, flag] of flags) {
      const typed = typedFlag(name, flag);
      if (flag.type === "boolean") {
        expect(mistake(program, rightWords(command, `${typed}=1`))).toEqual(
          usage(`${typed} takes no value.`),
        );
        continue;
      }
      expect(mistake(program, rightWords(command, `${typed}=`))).toEqual(
        usage(`${typed} needs a value.`),
      );
      // The next word is its value.
      if (flag.bare !== undefined || command.passesFlags) continue;
      expect(mistake(program, rightWords(command, typed))).toEqual(
        usage(`${typed} needs a value.`),
      );
      expect(mistake(program, rightWords(command, typed, "--json"))).toEqual(
        usage(/looks like a flag/),
      );
    }
  });

  test("refuses values of the wrong type", () => {
    for (const [name, flag] of flags) {
      const typed = typedFlag(name, flag);
      for (const value of wrongValue(flag)) {
        expect(mistake(program, rightWords(command, `${typed}=${value}`))).toEqual(
          usage(`${typed} does not accept '${value}'.`, /Use /),
        );
      }
    }
  });

  test("refuses too few and too many words", () => {
    const usageHint = /^Usage: \w+ctl /;
    const shortest = command.name.split(" ");
    if (right.length > shortest.length) {
      expect(mistake(program, shortest)).toEqual(usage(/ needs [A-Z/]+/, usageHint));
    }
    if (command.words.includes("…")) return;
    const many = [
      ...command.name.split(" "),
      ...command.words
        .split(" ")
        .filter(Boolean)
        .map(() => "x"),
    ];
    expect(mistake(program, [...many, "one-more"])).toEqual(
      usage(`${called} takes no 'one-more'.`, usageHint),
    );
  });

  test("has a help page with a usage and examples that parse", () => {
    const help = readCommandLine(program, [...command.name.split(" "), "--help"]);
    expect(help).toMatchObject({
      kind: "text",
      text: expect.stringContaining(`Usage\n    ${called}`),
    });
    expect(help).toMatchObject({ text: expect.stringMatching(/Docs: docs\/[\w-]+\.md/) });
    expect(command.examples.length).toBeGreaterThanOrEqual(2);
    for (const line of command.examples.filter((it) => !/["'%$<|]/.test(it))) {
      expect(mistake(program, line.split(" "))).toBeUndefined();
    }
  });
});

test("an incomplete flag is refused", () => {
  expect(mistake(modelctlProgram, ["run", "tiny", "--temp", "1"])).toEqual(
    usage("Unknown flag --temp.", "Did you mean --temperature? See modelctl run --help."),
  );
});

describe("an unknown command", () => {
  test.each([
    ["modelctl", "lst", "list"],
    ["modelctl", "remove", "rm"],
    ["modelctl", "copy", "cp"],
    ["modelctl", "chat", "run"],
    ["modelctl", "status", "ps"],
    ["modelctl", "serv", "serve"],
    ["modelctl", "comp", "completion"],
    ["deployctl", "lst", "apps list"],
    ["deployctl", "list", "apps list"],
    ["deployctl", "ps", "apps list"],
    ["deployctl", "depoly", "deploy"],
    ["deployctl", "scale", "apps scale"],
    ["deployctl", "app", "apps"],
  ])("of %s: %s suggests %s", (name, typed, meant) => {
    const program = name === "modelctl" ? modelctlProgram : deployctlProgram;
    expect(mistake(program, [typed])).toEqual(
      usage(`Unknown command '${typed}'.`, `Did you mean ${meant}? See ${name} --help.`),
    );
  });

  test("of a group suggests the nearest, or lists the known ones", () => {
    expect(mistake(deployctlProgram, ["apps", "lst"])).toEqual(
      usage("deployctl apps has no 'lst'.", /^Did you mean apps list\?/),
    );
    expect(mistake(deployctlProgram, ["apps", "dance"])).toEqual(
      usage("deployctl apps has no 'dance'.", /^It has list, show/),
    );
    expect(mistake(modelctlProgram, ["keys"])).toEqual(
      usage("Missing subcommand of modelctl keys: create, list, revoke."),
    );
  });
});
