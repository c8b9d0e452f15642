// Keeps the tests away from the user's own files and settings, and removes what they leave.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";

export default function setup(): () => void {
  const root = path.join(import.meta.dirname, "..", "..");
  if (!existsSync(path.join(root, "dist", "cli.js"))) {
    throw new Error("dist/ is missing: run npm run build first (npm test does)");
  }
  // Things made once for all runs, such as Python environments.
  const caches = process.env.XDG_CACHE_HOME || path.join(homedir(), ".cache");
  process.env.TEST_CACHE_FOLDER = path.join(caches, "modelctl-tests");
  const home = mkdtempSync(path.join(tmpdir(), "modelctl-tests-"));
  for (const name of Object.keys(process.env)) {
    if (/^(MODELCTL|OLLAMA|XDG)_/.test(name)) delete process.env[name];
  }
  process.env.HOME = home;
  putPlainPythonFirst(path.join(home, "python"));
  // One for all tests: the suite starts its programs hundreds of times, each in its own home.
  process.env.NODE_COMPILE_CACHE = path.join(home, "compiled");
  return () => rmSync(home, { recursive: true, force: true });
}

/**
 * Puts Python itself, without the machine's packages, first on the PATH: a version manager's script in its
 * place takes ten times as long to start, and packages may add modules to each start.
 */
function putPlainPythonFirst(folder: string): void {
  const words = ["-m", "venv", "--without-pip", folder];
  // Tests of scripts report a missing Python themselves.
  if (spawnSync("python3", words).status !== 0) return;
  process.env.PATH = `${path.join(folder, "bin")}${path.delimiter}${process.env.PATH}`;
}
