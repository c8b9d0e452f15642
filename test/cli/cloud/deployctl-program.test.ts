// deployctl's commands and flags: parsing, help, completion.
import { describe, expect, test } from "vitest";
import { deployctlProgram } from "../../../source/cli/cloud/deployctl-program.ts";
import { candidatesFor } from "../../../source/cli/program/completion-candidates.ts";
import { commandsOf } from "../../../source/cli/program/definition.ts";
import { readCommandLine } from "../../../source/cli/program/read-command-line.ts";

function read(...argv: string[]) {
  const parsed = readCommandLine(deployctlProgram, argv);
  if (parsed.kind === "text") return { help: parsed.text };
  return { command: parsed.command.name, words: parsed.words, flags: parsed.flags };
}

async function values(...words: string[]): Promise<string[]> {
  const names = { app: ["chat", "embed"], replica: ["chat-1"], profile: ["local"] };
  const found = await candidatesFor(deployctlProgram, words, async (kind) =>
    kind in names ? names[kind as keyof typeof names] : [],
  );
  return found.map(({ value }) => value);
}

describe("commands", () => {
  test("of one and two words are distinguished", () => {
    expect(read("logs", "chat")).toMatchObject({ command: "logs", words: ["chat"] });
    expect(read("apps", "list-rev", "chat")).toMatchObject({
      command: "apps list-rev",
      words: ["chat"],
    });
    expect(read("--profile", "work", "apps", "--json", "show", "chat")).toEqual({
      command: "apps show",
      words: ["chat"],
      flags: { profile: "work", json: true },
    });
  });

  test("are all loaded from the table's modules", async () => {
    for (const { load } of [deployctlProgram.start, ...commandsOf(deployctlProgram)])
      expect(await load()).toBeTypeOf("function");
  });

  test("report missing and invalid arguments", () => {
    expect(() => read("apps")).toThrow(/^Missing subcommand of deployctl apps: list, show/);
    expect(() => read("apps", "dance")).toThrow(/has no 'dance'/);
    expect(() => read("dance")).toThrow(/Unknown command 'dance'/);
    expect(() => read("keys", "list", "--scope", "api")).toThrow(
      /Unknown flag --scope for deployctl keys list/,
    );
  });

  test("print help for themselves, their group, and the program", () => {
    expect(read("apps", "scale", "--help").help).toContain("--max-concurrency N");
    expect(read("help", "apps", "scale")).toEqual(read("apps", "scale", "--help"));
    expect(read("apps", "--help").help).toContain("deployctl apps rollout APP");
    expect(read("help", "apps")).toEqual(read("apps", "--help"));
    expect(read("--help").help).toContain("runners exec ID COMMAND…");
  });

  test("do not parse anything after --", () => {
    expect(read("runners", "exec", "id", "--", "ls", "--json", "-l")).toMatchObject({
      command: "runners exec",
      words: ["id", "ls", "--json", "-l"],
      flags: {},
    });
  });

  test("of another command keep its flags, behind the id of a replica", () => {
    expect(
      read("runners", "exec", "--server", "http://x", "id", "ls", "--json", "-la"),
    ).toMatchObject({
      words: ["id", "ls", "--json", "-la"],
      flags: { server: "http://x" },
    });
    expect(read("runners", "exec", "id", "git", "--help")).toMatchObject({
      words: ["id", "git", "--help"],
    });
    expect(read("runners", "exec", "id", "env", "--", "-x")).toMatchObject({
      words: ["id", "env", "--", "-x"],
    });
    expect(read("runners", "exec", "--help").help).toContain("runners exec ID COMMAND…");
    expect(() => read("runners", "exec", "--lines", "id", "ls")).toThrow(/Unknown flag --lines/);
  });
});

describe("flags", () => {
  test("that may be repeated keep their order", () => {
    expect(read("deploy", "a.py", "--env", "A=1", "--env", "B=2", "--secret", "S")).toMatchObject({
      flags: { env: ["A=1", "B=2"], secret: ["S"] },
    });
    expect(() => read("deploy", "a.py", "--auth", "public", "--auth", "shared")).toThrow(/twice/);
  });

  test("include --no-color, which has no positive form", () => {
    expect(read("status", "--no-color").flags).toEqual({ color: false });
    expect(() => read("status", "--color")).toThrow("Unknown flag --color.");
  });
});

describe("completion", () => {
  test("starts with the first words, each once", async () => {
    const all = await values("");
    expect(all).toEqual([...new Set(all)]);
    expect(all).toContain("apps");
    expect(all).not.toContain("__complete");
    expect(await values("dep")).toEqual(["deploy"]);
  });

  test("continues with second words, then names", async () => {
    expect(await values("apps", "del")).toEqual(["delete", "delete-rev"]);
    expect(await values("apps", "show", "")).toEqual(["chat", "embed"]);
    expect(await values("apps", "show", "chat", "")).toEqual([]);
    expect(await values("logs", "e")).toEqual(["embed"]);
    expect(await values("runners", "kill", "")).toEqual(["chat-1"]);
  });

  test("offers the values of flags, and flags that may be repeated", async () => {
    expect(await values("deploy", "a.py", "--auth", "p")).toEqual(["private", "public"]);
    expect(await values("status", "--profile", "")).toEqual(["local"]);
    expect(await values("deploy", "--env", "A=1", "--env")).toContain("--env");
    expect(await values("deploy", "--auth", "public", "--aut")).toEqual([]);
  });

  test("tells the source of names which server and environment the flags before name", async () => {
    const asked: unknown[] = [];
    const words = ["secrets", "unset", "--environment", "staging", "--json", "--key=k", ""];
    await candidatesFor(deployctlProgram, words, async (kind, given) => {
      asked.push([kind, given]);
      return [];
    });
    expect(asked).toEqual([["secret", { environment: "staging", key: "k" }]]);
  });
});
