// The built program where any user of this machine can run it.
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { entryFile, repositoryFolder } from "./command-line.ts";

export interface Program {
  node: string;
  entry: string;
  /** Removes the copy, if one was made. */
  remove: () => void;
}

/** Packages that build, test, or serve GPUs: a copy does without them. */
const needless = [
  /^(?:@biomejs|@typescript|typescript|@oxc-parser|oxc-parser|vitest|openai|ollama|node)$/,
  /^linux-.*-(?:cuda|cuda-ext|vulkan)$/,
];

/** The program itself where everybody may read it, else a copy of what it needs. */
export function readableProgram(): Program {
  const node = process.execPath;
  if (isOpenToAll(entryFile) && isOpenToAll(node)) {
    return { node, entry: entryFile, remove: () => {} };
  }
  const folder = mkdtempSync(path.join(tmpdir(), "modelctl-program-"));
  for (const name of ["package.json", "dist", "media", "node_modules"]) {
    cpSync(path.join(repositoryFolder, name), path.join(folder, name), {
      recursive: true,
      filter: (source) => !needless.some((pattern) => pattern.test(path.basename(source))),
    });
  }
  const ownNode = path.join(folder, "own-node");
  cpSync(node, ownNode);
  execFileSync("chmod", ["-R", "a+rX", folder]);
  return {
    node: ownNode,
    entry: path.join(folder, "dist", "cli.js"),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function isOpenToAll(file: string): boolean {
  for (let at = path.resolve(file); ; at = path.dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false;
    if (at === path.dirname(at)) return true;
  }
}
