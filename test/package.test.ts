// The npm package: what `npm pack` puts into it, and that it runs where it is installed.
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, symlinkSync } from "node:fs";
import { isBuiltin } from "node:module";
import path from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { extensionSources } from "../source/engine/text/engine-extension.ts";
import { Home, repositoryFolder } from "./support/command-line.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const run = promisify(execFile);
const facts = JSON.parse(readFileSync(path.join(repositoryFolder, "package.json"), "utf8"));

interface Packed {
  filename: string;
  files: { path: string }[];
}

/** @param words `--dry-run`, or where to write the package */
async function pack(...words: string[]): Promise<Packed> {
  const npm = ["pack", "--json", "--ignore-scripts", ...words];
  const { stdout } = await run("npm", npm, { cwd: repositoryFolder });
  const packed = Object.values(JSON.parse(stdout))[0] as Packed | undefined;
  if (packed === undefined) throw new Error("npm packed nothing");
  return packed;
}

let files: string[];
beforeAll(async () => {
  files = (await pack("--dry-run")).files.map((file) => file.path);
});

test("holds the programs and what they read, and no tests, sources or maps", () => {
  for (const file of [
    ...Object.values<string>(facts.bin),
    ...["dist/runner-main.js", "dist/render-worker.js", "dist/hash-worker.js"],
    "dist/bandwidth-worker.js",
    "media/models/tiny-chat.gguf",
    ...extensionSources.map((name) => `native/${name}`),
    ...["source/cloud/python/runner.py", "package.json", "README.md", "LICENSE"],
  ]) {
    expect(files).toContain(file);
  }
  const unwanted = files.filter((file) =>
    /\.map$|\.tsx?$|(^|\/)(test|__pycache__|docs|\.git)\//.test(file),
  );
  expect(unwanted).toEqual([]);
});

test("imports only packages that are installed with it", () => {
  const folder = path.join(repositoryFolder, "dist");
  const atLineStart = /^(?:import|export) [^"'\n]*["']([^"'./][^"']*)["'];?$/gm;
  const named = new Set<string>();
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".js"))) {
    const text = readFileSync(path.join(folder, name), "utf8");
    const imports = [
      ...text.matchAll(atLineStart),
      ...text.matchAll(/(?:await|=>|return) import\("([^"./][^"]*)"\)/g),
    ];
    for (const [, from = ""] of imports) {
      named.add(from.startsWith("@") ? from.split("/", 2).join("/") : (from.split("/")[0] ?? ""));
    }
  }
  const packages = [...named].filter((name) => /^[@a-z]/.test(name) && !isBuiltin(name));
  // Ink imports its debugger only for its own developers.
  const known = new Set([...Object.keys(facts.dependencies), "react-devtools-core"]);
  expect(packages.filter((name) => !known.has(name))).toEqual([]);
  expect(packages).toContain("sharp");
});

test("runs where it is installed, and says its version", async () => {
  const folder = temporaryFolder();
  const { filename } = await pack("--pack-destination", folder);
  await run("tar", ["-xzf", path.join(folder, filename), "-C", folder]);
  const installed = path.join(folder, "package");
  symlinkSync(path.join(repositoryFolder, "node_modules"), path.join(installed, "node_modules"));
  const home = await Home.create();
  const call = async (program: string, ...words: string[]) => {
    const file = path.join(installed, facts.bin[program]);
    return await home.startProgram(process.execPath, [file, ...words]).ended;
  };
  for (const program of ["modelctl", "deployctl"]) {
    expect(await call(program, "--version")).toMatchObject({
      code: 0,
      output: `${facts.version}\n`,
    });
  }
  expect(await call("modelctl", "run", "tiny", "What is the capital of France?")).toMatchObject({
    code: 0,
    output: "The capital of France is Paris.\n",
  });
  await home.remove();
});

test("has its version at the top of the changelog", () => {
  const changelog = readFileSync(path.join(repositoryFolder, "CHANGELOG.md"), "utf8");
  expect(/^## (.*)$/m.exec(changelog)?.[1]).toBe(facts.version);
});
