// mcp.json: its form, its mistakes, and changes to it.
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { findJsonFault } from "../../source/base/json-fault.ts";
import { findServers } from "../../source/tools/find-servers.ts";
import { addServer, readMcpFile, removeServer } from "../../source/tools/mcp-file.ts";
import { ProjectTrust } from "../../source/tools/project-trust.ts";

const folder = mkdtempSync(path.join(tmpdir(), "modelctl-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;

function fileWith(content: unknown): string {
  count += 1;
  const file = path.join(folder, `mcp-${count}.json`);
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

test("Variables are replaced, and shown as written", () => {
  const file = fileWith({
    mcpServers: {
      issues: {
        command: "node",
        args: [`\${HOME}/issues.js`, `\${LEVEL:-info}`],
        env: { TOKEN: `\${SECRET}` },
      },
      docs: { url: `https://\${HOST}/mcp`, headers: { Authorization: `Bearer \${SECRET}` } },
    },
  });
  const read = readMcpFile(file, { HOME: "/home/me", SECRET: "s3cret", HOST: "docs.example" });
  expect(read?.problems).toEqual([]);
  expect(read?.servers.map(({ start }) => start)).toEqual([
    {
      kind: "program",
      command: "node",
      args: ["/home/me/issues.js", "info"],
      env: { TOKEN: "s3cret" },
    },
    {
      kind: "address",
      url: "https://docs.example/mcp",
      headers: { Authorization: "Bearer s3cret" },
    },
  ]);
  expect(read?.servers.map(({ shown }) => shown)).toEqual([
    `node \${HOME}/issues.js \${LEVEL:-info}`,
    `https://\${HOST}/mcp`,
  ]);
});

test.each([
  [{ command: 1 }, "command must be a text"],
  [{ command: "a", args: "b" }, "args must be a list of texts"],
  [{ command: "a", args: [1] }, "args[0] must be a text"],
  [{ command: "a", env: { A: 1 } }, "env.A must be a text"],
  [{ command: "a", url: "http://b" }, "it has both command and url"],
  [{ url: "ftp://b" }, "url must be an http or https address"],
  [{ command: `\${MISSING}` }, "the environment variable MISSING is not set"],
  [{}, "it needs command or url"],
  ["node", "it must be an object"],
])("An invalid entry is named, and others work: %j", (entry, reason) => {
  const file = fileWith({ mcpServers: { bad: entry, good: { command: "node" } } });
  const read = readMcpFile(file, {});
  expect(read?.problems).toEqual([`Server "bad" in ${file} is invalid: ${reason}.`]);
  expect(read?.servers.map(({ name }) => name)).toEqual(["good"]);
});

test("A broken file is named with line and column, and the other file's servers work", async () => {
  const project = path.join(folder, "project");
  mkdirSync(project);
  writeFileSync(path.join(project, ".mcp.json"), '{"mcpServers": {"web": {"command": "web"}}}');
  const ownFile = fileWith('{\n  "mcpServers": {\n    "a": {"command": "b"},\n  }\n}');
  const found = await findServers({ ownFile, folder: project }, async () => true);
  expect(found.servers.map(({ name }) => name)).toEqual(["web"]);
  expect(found.problems).toEqual([
    `${ownFile} is invalid: line 4, column 3: expected a name in double quotes, followed by a colon. ` +
      "Correct it; docs/tools.md has an example.",
  ]);
});

test.each([
  ["", 1, 1, "expected a value"],
  ['{"a": }', 1, 7, "expected a value"],
  ['{"a": 1 "b": 2}', 1, 9, "expected a comma or }"],
  ["[1,\n2", 2, 2, "expected a comma or ]"],
  ['{"a": 1}\n}', 2, 1, "expected the end of the file"],
])("The first mistake of %j is found", (text, line, column, reason) => {
  expect(findJsonFault(text)).toEqual({ line, column, reason });
});

test("Valid JSON has no mistake, and every other text has one", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(findJsonFault(text)).toBeUndefined();
    }),
  );
  const cut = fc.tuple(fc.json(), fc.nat(), fc.constantFrom("{", "}", ",", '"', "x", ""));
  fc.assert(
    fc.property(cut, ([text, at, sign]) => {
      const changed = text.slice(0, at % text.length) + sign + text.slice((at % text.length) + 1);
      let isValid = true;
      try {
        JSON.parse(changed);
      } catch {
        isValid = false;
      }
      expect(findJsonFault(changed) === undefined).toBe(isValid);
    }),
  );
  expect(findJsonFault("[".repeat(100_000))?.reason).toBe("expected a value");
});

test("A server is added and removed beside what others wrote, in a file for its owner alone", () => {
  const target = fileWith({ theme: "dark", mcpServers: { old: { command: "old" } } });
  const link = path.join(folder, "link.json");
  symlinkSync(target, link);
  addServer(link, "new", { command: "node", args: ["server.js"] });
  expect(JSON.parse(readFileSync(target, "utf8"))).toEqual({
    theme: "dark",
    mcpServers: { old: { command: "old" }, new: { command: "node", args: ["server.js"] } },
  });
  expect(statSync(target).mode & 0o777).toBe(0o600);
  expect(() => addServer(link, "new", { command: "b", args: [] })).toThrow(/exists already/);
  removeServer(link, "old");
  expect(Object.keys(JSON.parse(readFileSync(target, "utf8")).mcpServers)).toEqual(["new"]);
  expect(() => removeServer(link, "old")).toThrow('There is no tool server named "old".');
});

test("A broken file is not overwritten", () => {
  const file = fileWith('{"mcpServers": ');
  expect(() => addServer(file, "a", { url: "http://b" })).toThrow(/line 1, column 16/);
  expect(readFileSync(file, "utf8")).toBe('{"mcpServers": ');
});

test("A project's file is trusted until its content changes", async () => {
  const trust = new ProjectTrust(path.join(folder, "state", "trusted.json"));
  const project = path.join(folder, "other");
  mkdirSync(project);
  const file = path.join(project, ".mcp.json");
  const write = (command: string) =>
    writeFileSync(file, JSON.stringify({ mcpServers: { web: { command } } }));
  const namesUsed = async () => {
    const places = { ownFile: path.join(folder, "none.json"), folder: project };
    const found = await findServers(places, async (read) => trust.has(read));
    return found.servers.map(({ name }) => name);
  };
  write("web");
  expect(await namesUsed()).toEqual([]);
  const read = readMcpFile(file);
  if (read === undefined) throw new Error("no file");
  trust.add(read);
  expect(await namesUsed()).toEqual(["web"]);
  write("rm");
  expect(await namesUsed()).toEqual([]);
});
