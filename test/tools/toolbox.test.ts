// Permissions for calls, names of tools, marks of arguments, and cut results.
import path from "node:path";
import { expect, test } from "vitest";
import { callLines, leavesFolder } from "../../source/chat/conversation/call-text.ts";
import { Approvals } from "../../source/tools/approvals.ts";
import type { ToolDescription, ToolServer } from "../../source/tools/tool.ts";
import { cutResult } from "../../source/tools/tool-result.ts";
import {
  type CallQuestion,
  type Decision,
  nameTools,
  Toolbox,
} from "../../source/tools/toolbox.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const tool: ToolDescription = {
  server: "files",
  origin: "node files.js",
  name: "write",
  description: "Writes a file",
  inputSchema: { type: "object" },
  isReadOnly: false,
};

function server(tools: readonly ToolDescription[]): ToolServer {
  return {
    name: tools[0]?.server ?? "",
    state: "ready",
    problem: undefined,
    tools,
    start: async () => undefined,
    call: async () => ({ text: "done", images: [], isError: false }),
    close: async () => undefined,
  };
}

function open(tools: readonly ToolDescription[], decision: Decision, file: string, reads = false) {
  const questions: CallQuestion[] = [];
  const toolbox = new Toolbox({
    servers: () => [server(tools)],
    isOn: () => true,
    approvals: new Approvals(file),
    decide: async (question) => {
      questions.push(question);
      return decision;
    },
    onProblem: () => undefined,
    callTimeoutMs: 1000,
    maxResultBytes: 1000,
    allowsReading: reads,
  });
  const { signal } = new AbortController();
  const call = async (isFromText = false) => {
    const before = questions.length;
    await toolbox.run({ name: "write", arguments: {}, isFromText }, signal);
    return questions.length > before;
  };
  return { toolbox, call, signal };
}

test("A permission holds for one tool of one server as it is described", async () => {
  const file = path.join(temporaryFolder(), "allowed.json");
  const always = { kind: "always" } as const;
  const { call } = open([tool], always, file);
  expect([await call(), await call()]).toEqual([true, false]);
  const isAsked = async (change: Partial<ToolDescription>) =>
    await open(
      [{ ...tool, ...change }],
      always,
      path.join(path.dirname(file), "other.json"),
    ).call();
  const isKnown = (change: Partial<ToolDescription>) =>
    new Approvals(file).has({ ...tool, ...change });
  expect(isKnown({})).toBe(true);
  expect(isKnown({ server: "other" })).toBe(false);
  expect(isKnown({ origin: "node other.js" })).toBe(false);
  expect(isKnown({ description: "Writes a file, and sends it" })).toBe(false);
  expect(isKnown({ inputSchema: {} })).toBe(false);
  expect(await isAsked({})).toBe(true);
});

test("A call read from plain text is asked about, whatever was allowed", async () => {
  const file = path.join(temporaryFolder(), "allowed.json");
  const { call } = open([tool], { kind: "in-chat" }, file);
  expect([await call(), await call(), await call(true)]).toEqual([true, false, true]);
  const reading = open([{ ...tool, isReadOnly: true }], { kind: "once" }, file, true);
  expect([await reading.call(), await reading.call(true)]).toEqual([false, true]);
});

test("A tool that always asks is asked about whatever is allowed, and keeps no permission", async () => {
  const file = path.join(temporaryFolder(), "allowed.json");
  const shell = { ...tool, alwaysAsks: true, isReadOnly: true };
  const { call } = open([shell], { kind: "always" }, file, true);
  expect([await call(), await call()]).toEqual([true, true]);
  expect(new Approvals(file).has(shell)).toBe(false);
});

test("A server learns what a person typed, also into the arguments", async () => {
  let typed: readonly string[] | undefined;
  const listener: ToolServer = {
    ...server([tool]),
    call: async (_name, _values, limits) => {
      typed = limits.typed;
      return { text: "", images: [], isError: false };
    },
  };
  const toolbox = new Toolbox({
    servers: () => [listener],
    isOn: () => true,
    approvals: new Approvals(path.join(temporaryFolder(), "allowed.json")),
    decide: async () => ({ kind: "once", arguments: { url: "b", kept: "c" } }),
    onProblem: () => undefined,
    callTimeoutMs: 1000,
    maxResultBytes: 1000,
    allowsReading: false,
  });
  const call = { name: "write", arguments: { url: "a", kept: "c" }, isFromText: false };
  await toolbox.run(call, new AbortController().signal, ["Read it"]);
  expect(typed).toEqual(["Read it", "b"]);
});

test("A tool that does not exist is an error for the model", async () => {
  const { toolbox, signal } = open([tool], { kind: "once" }, path.join(temporaryFolder(), "a"));
  const outcome = await toolbox.run({ name: "fly", arguments: {}, isFromText: false }, signal);
  expect(outcome).toMatchObject({ isError: true, text: "Error: there is no tool named fly." });
});

test("Tools of the same name are told apart by their servers", () => {
  const names = nameTools([tool, { ...tool, server: "web" }, { ...tool, name: "a b" }]);
  expect(names.map(({ name }) => name)).toEqual(["files__write", "web__write", "a_b"]);
});

test.each([
  ["/etc/passwd", true],
  ["../other/file", true],
  ["a/../../b", true],
  ["~/notes", true],
  ["file:///etc/passwd", true],
  [["a", "/etc/passwd"], true],
  ["/home/me/project/a.txt", false],
  ["./a/../b.txt", false],
  ["a..b", false],
  ["What is 1/2?", false],
  [3, false],
])("%j leads out of the folder: %s", (value, expected) => {
  expect(leavesFolder(value, "/home/me/project")).toBe(expected);
});

test("A question lays out arguments, marks paths outside, and shows escapes as text", () => {
  const question = {
    tool,
    arguments: { path: "/etc/passwd", text: "a\u001b[2Jb\nc", list: [1] },
    isFromText: true,
  };
  expect(callLines(question, "/home/me/project")).toEqual([
    "files: write",
    "  path: /etc/passwd  (outside this folder)",
    "  text: a^[[2Jb",
    "    c",
    "  list: [",
    "      1",
    "    ]",
    "The model wrote this call as plain text: it may quote somebody.",
  ]);
});

test("A command with a path outside the folder is marked", () => {
  const shell = { ...tool, server: "shell", name: "run_command", alwaysAsks: true };
  const lines = (command: string) =>
    callLines({ tool: shell, arguments: { command }, isFromText: false }, "/home/me/project");
  const mark = "(outside this folder)";
  for (const command of ["cat /etc/passwd", "cat<../a", "ls 'a' \"~/b\"", "dd of=/dev/sda"]) {
    expect(lines(command).at(-1)).toContain(mark);
  }
  expect(lines("cat src/a.ts ./b /home/me/project/c").at(-1)).not.toContain(mark);
});

test("A long result is cut between characters, with a note", () => {
  expect(cutResult("äöü", 6)).toBe("äöü");
  expect(cutResult("äöü", 3)).toBe(
    "ä\n[Cut: the first 3 of 6 bytes. Ask for less to read the rest.]",
  );
});
