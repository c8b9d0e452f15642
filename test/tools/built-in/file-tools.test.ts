// Built-in tools for files: what they read, and that they stay in the working folder.
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { BuiltInServer } from "../../../source/tools/built-in/built-in-server.ts";
import { fileTools } from "../../../source/tools/built-in/file-tools.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** Makes files with their texts; a text of `-> X` makes a link. */
function project(files: Readonly<Record<string, string>>) {
  const above = temporaryFolder();
  const folder = path.join(above, "project");
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    if (text.startsWith("-> ")) symlinkSync(text.slice(3), file);
    else writeFileSync(file, text);
  }
  const server = new BuiltInServer("files", fileTools, folder);
  const call = (name: string, values: object) =>
    server.call(name, { ...values }, { signal: AbortSignal.timeout(60_000), timeoutMs: 60_000 });
  const textOf = async (name: string, values: object) => (await call(name, values)).text;
  return { above, folder, call, textOf };
}

test("A file is read, as a whole or by lines", async () => {
  const { textOf } = project({ "src/a.txt": "one\ntwo\nthree", "b.txt": "one\n", "empty.txt": "" });
  expect(await textOf("read_file", { path: "src/a.txt" })).toBe("one\ntwo\nthree");
  const lines = { path: "src/a.txt", from_line: 2, line_count: 1 };
  expect(await textOf("read_file", lines)).toBe("two");
  const beyond = { path: "src/a.txt", from_line: 9 };
  expect(await textOf("read_file", beyond)).toBe("[The file ends at line 3, before line 9.]");
  const second = { path: "b.txt", from_line: 2 };
  expect(await textOf("read_file", second)).toBe("[The file ends at line 1, before line 2.]");
  expect(await textOf("read_file", { path: "empty.txt" })).toBe("");
});

test("Nothing outside the folder is read, whatever the path or link", async () => {
  const { above, folder, call } = project({
    "in.txt": "in",
    "inner-link": "-> in.txt",
    link: "-> ../secret.txt",
    folder: "-> ..",
  });
  writeFileSync(path.join(above, "secret.txt"), "secret");
  mkdirSync(path.join(above, "project-2"));
  writeFileSync(path.join(above, "project-2", "a"), "secret");
  const outside = [
    ...["../secret.txt", "link", "folder/secret.txt", path.join(above, "secret.txt")],
    ...["../project-2/a", "../nothing"],
  ];
  for (const typed of outside) {
    expect(await call("read_file", { path: typed })).toEqual({
      text: `${JSON.stringify(typed)} is outside the working folder.`,
      images: [],
      isError: true,
    });
  }
  expect((await call("list_files", { path: "folder" })).isError).toBe(true);
  expect((await call("search_files", { text: "secret", path: ".." })).isError).toBe(true);
  expect((await call("search_files", { text: "secret" })).text).toBe("[No match]");
  expect((await call("read_file", { path: "inner-link" })).text).toBe("in");
  expect((await call("read_file", { path: path.join(folder, "in.txt") })).text).toBe("in");
});

test("What is not a text is named as such, and a pipe does not block", async () => {
  const { folder, textOf } = project({ "a.bin": "a\0b", sub: "-> ." });
  execFileSync("mkfifo", [path.join(folder, "pipe")]);
  expect(await textOf("read_file", { path: "a.bin" })).toBe('"a.bin" is not a text file.');
  expect(await textOf("read_file", { path: "pipe" })).toBe('"pipe" is not a text file.');
  expect(await textOf("read_file", { path: "." })).toContain("not a text file");
  expect(await textOf("read_file", { path: "none" })).toBe('There is no "none".');
  expect(await textOf("read_file", { path: "a\0b" })).toContain("cannot be read");
});

test("Lists and searches leave out what git ignores, as rules of inner folders say", async () => {
  const { textOf } = project({
    ".git/config": "needle",
    ".gitignore": "*.log\n/build/\n",
    "app.ts": "const needle = 1;\nlet other;\nNEEDLE();",
    "app.log": "needle",
    "build/out.js": "needle",
    "src/.gitignore": "!keep.log\nsecret.*",
    "src/keep.log": "a needle",
    "src/secret.txt": "needle",
    "src/needle.md": "",
    "link.ts": "-> app.ts",
  });
  expect(await textOf("list_files", {})).toBe(".gitignore\napp.ts\nlink.ts (a link)\nsrc/");
  expect(await textOf("list_files", { path: "src" })).toBe(".gitignore\nkeep.log\nneedle.md");
  expect(await textOf("list_files", { path: "build" })).toBe("[Nothing, or only what git ignores]");
  expect(await textOf("search_files", { text: "Needle" })).toBe(
    [
      "app.ts:1: const needle = 1;",
      "app.ts:3: NEEDLE();",
      "src/keep.log:1: a needle",
      "src/needle.md",
    ].join("\n"),
  );
  expect(await textOf("search_files", { text: "needle", path: "src" })).not.toContain("app.ts");
});

test("A search ends at many matches", async () => {
  const { textOf } = project({ "a.txt": "x\n".repeat(1000), "b.txt": "x" });
  const found = (await textOf("search_files", { text: "x" })).split("\n");
  expect(found).toHaveLength(201);
  expect(found.at(-1)).toBe("[More than 200 matches: search for a longer text]");
});

test.each([
  ["read_file", {}, "The argument path must be of the type string."],
  ["read_file", { path: 3 }, "The argument path must be of the type string."],
  [
    "read_file",
    { path: "a", from_line: "1" },
    "The argument from_line must be of the type integer.",
  ],
  ["list_files", { folder: "." }, "There is no argument folder; there are path."],
  ["search_files", { text: "" }, "The argument text is empty."],
])("Wrong arguments of %s are explained to the model: %j", async (name, values, sentence) => {
  const { call } = project({});
  expect(await call(name, values)).toMatchObject({ text: sentence, isError: true });
});
