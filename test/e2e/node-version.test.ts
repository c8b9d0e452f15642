// Node versions: one that is too old is reported in one sentence, and npx uses the right one.
import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { entryFile, repositoryFolder } from "../support/command-line.ts";
import { proofCases } from "../support/proof.ts";
import { openTerminal } from "../support/pty.ts";

const deployEntry = path.join(repositoryFolder, "dist", "deployctl.js");
const { version, bin } = JSON.parse(
  readFileSync(path.join(repositoryFolder, "package.json"), "utf8"),
) as { version: string; bin: Record<string, string> };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "modelctl-node-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface OldNode {
  title: string;
  program: string;
  words: string[];
  version: string;
}

/** Preloaded into this Node, to pretend another version. */
function pretending(pretended: string): OldNode {
  const file = path.join(tmpdir(), `modelctl-pretend-${process.pid}-${pretended}.cjs`);
  writeFileSync(
    file,
    `Object.defineProperty(process.versions, "node", { value: "${pretended}" });\n`,
  );
  return {
    title: `a Node that says it is ${pretended}`,
    program: process.execPath,
    words: ["--require", file],
    version: pretended,
  };
}

/** Old versions that are installed on this machine. */
function installed(): OldNode[] {
  return ["/usr/bin/node", "/usr/local/bin/node", "/opt/homebrew/bin/node"].flatMap((program) => {
    if (!existsSync(program)) return [];
    const own = execFileSync(program, ["--version"], { encoding: "utf8" }).trim().slice(1);
    return isOld(own) ? [{ title: `${program} ${own}`, program, words: [], version: own }] : [];
  });
}

function isOld(own: string): boolean {
  const [major = 0, minor = 0] = own.split(".").map(Number);
  return major < 22 || (major === 22 && minor < 13);
}

const oldNodes = [pretending("22.12.9"), ...installed()];
afterAll(() => {
  for (const { words } of oldNodes) if (words[1] !== undefined) rmSync(words[1], { force: true });
});

describe.each(oldNodes)("with $title", ({ program, words, version: old }) => {
  test.each([
    ["modelctl", entryFile],
    ["deployctl", deployEntry],
  ])("%s exits with one sentence and code 1", (_name, entry) => {
    for (const more of [["--version"], []]) {
      const { status, stdout, stderr } = spawnSync(program, [...words, entry, ...more], {
        encoding: "utf8",
        env: { PATH: process.env.PATH, HOME: folder },
      });
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
      expect(stderr).toMatch(/^Error: .+\n$/);
      expect(stderr).toContain("Node 22.13 or newer");
      expect(stderr).toContain(old);
    }
  });
});

test.each(["22.13.0", "100.0.0"])("Node %s is supported", (pretended) => {
  const { program, words } = pretending(pretended);
  const outcome = spawnSync(program, [...words, entryFile, "--version"], { encoding: "utf8" });
  rmSync(words[1] ?? "", { force: true });
  expect(outcome).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: "" });
});

test("the full screen opens without what came after Node 22.13", async () => {
  const file = path.join(folder, "without-newer-functions.cjs");
  writeFileSync(file, "delete process.threadCpuUsage;\n");
  const terminal = await openTerminal([], { environment: { NODE_OPTIONS: `--require ${file}` } });
  try {
    await terminal.shows("● ready");
    terminal.type("\u0004");
    expect(await terminal.exited).toBe(0);
  } finally {
    await terminal.close();
  }
});

test("the package has both commands", () => {
  const commands = Object.entries(bin).map(([name, file]) => [
    name,
    path.join(repositoryFolder, file),
  ]);
  expect(commands).toEqual([
    ["modelctl", entryFile],
    ["deployctl", deployEntry],
  ]);
});

describe("npx in a clone runs", () => {
  // The system's Node comes first here, as in a terminal; npx puts the clone's in front of it.
  const systemFirst = ["/usr/bin", "/usr/local/bin", "/bin", process.env.PATH ?? ""].join(":");
  let clone: string;

  // A separate clone: npx builds the package again, while other tests need their build.
  beforeAll(() => {
    clone = path.join(folder, "clone");
    mkdirSync(clone);
    for (const name of readdirSync(repositoryFolder)) {
      if (!/^(cli\.tsx|dist|media|package\.json|scripts|source|tsconfig.*\.json)$/.test(name))
        continue;
      cpSync(path.join(repositoryFolder, name), path.join(clone, name), { recursive: true });
    }
    symlinkSync(path.join(repositoryFolder, "node_modules"), path.join(clone, "node_modules"));
  });

  const npx = (...words: string[]) =>
    spawnSync("npx", words, {
      cwd: clone,
      encoding: "utf8",
      env: {
        PATH: systemFirst,
        HOME: folder,
        npm_config_cache: path.join(folder, "npm"),
        // Nothing may be downloaded.
        npm_config_offline: "true",
        npm_config_update_notifier: "false",
      },
    });

  test.each(proofCases(["modelctl"], ["deployctl"]))("%s", (command) => {
    const { status, stdout, stderr } = npx(command, "--version");
    expect({ status, stdout, stderr: stderr.includes("Error:") }).toEqual({
      status: 0,
      stdout: `${version}\n`,
      stderr: false,
    });
  });
});
