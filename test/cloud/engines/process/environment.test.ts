// Environments of replicas: the machine's Python, or one with requirements, built once and shared.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RevisionPlan } from "../../../../source/cloud/engines/engine.ts";
import {
  createEnvironments,
  environmentName,
} from "../../../../source/cloud/engines/process/environment.ts";
import { configFrom } from "../../../../source/cloud/inspection/config-from.ts";
import { repositoryFolder } from "../../../support/command-line.ts";

let folder: string;
let wheel: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "deployctl-environment-"));
  wheel = makeWheel(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Creates a package with one module and one program, as on an index. */
function makeWheel(into: string): string {
  const code = `
import sys, zipfile
name = "tiny_server-1.0"
with zipfile.ZipFile(sys.argv[1] + "/" + name + "-py3-none-any.whl", "w") as wheel:
    info = name + ".dist-info/"
    wheel.writestr("tiny_server.py", "def main(): print('tiny server runs')\\n")
    wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: tiny-server\\nVersion: 1.0\\n")
    wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr(info + "entry_points.txt", "[console_scripts]\\ntiny-server = tiny_server:main\\n")
    wheel.writestr(info + "RECORD", "")
`;
  execFileSync("python3", ["-c", code, into]);
  return path.join(into, "tiny_server-1.0-py3-none-any.whl");
}

const environment = { ...process.env, PIP_NO_INDEX: "1" };
/** The one test that installs something makes its environment as users do. */
const withBorrowedPip = {
  ...environment,
  PYTHONPATH: path.join(repositoryFolder, "test/fixtures/cloud/borrowed-pip"),
};
const never = new AbortController().signal;
/** Time limit for creating a virtual environment on a busy machine. */
const slow = { timeout: 180_000 };

function plan(requirements: string[], executables: string[] = []): RevisionPlan {
  const config = configFrom(
    {
      schema: 1,
      target: "serve",
      kind: "function",
      dialect: "deployctl",
      line: 1,
      config: { requirements },
      dynamic: [],
      env_read: [],
      executables,
      command: [],
      stubbed: [],
      files: ["deploy.py"],
      warnings: [],
    },
    {},
  );
  return {
    organisation: "local",
    app: "app",
    revision: "r0001-00000000",
    bundleFolder: folder,
    script: "deploy.py",
    target: "serve",
    config,
  };
}

test("without requirements is the machine's Python and PATH", async () => {
  const prepare = createEnvironments({ stateFolder: folder, environment });
  const made = await prepare(plan([], ["sh"]), () => {}, never);
  expect(made.variables).toEqual({});
  // The actual program, as a version manager's shim would delay each start.
  const own = execFileSync(made.python, ["-c", "import sys; print(sys.executable)"]);
  expect(own.toString().trim()).toBe(made.python);
  await expect(prepare(plan([], ["tiny-server"]), () => {}, never)).rejects.toMatchObject({
    code: "CLOUD_EXECUTABLE_MISSING",
    exitCode: 6,
  });
});

test("installs requirements once, however many ask, and finds their programs", slow, async () => {
  const lines: string[] = [];
  const ask = (log: (text: string) => void) =>
    createEnvironments({ stateFolder: folder, environment })(
      plan([wheel], ["tiny-server"]),
      log,
      never,
    );
  const made = await Promise.all([
    ask((text) => lines.push(text)),
    ask((text) => lines.push(text)),
  ]);
  const [first, second] = made;
  if (first === undefined || second === undefined) throw new Error("nothing was made");
  expect(first).toEqual(second);
  expect(lines.filter((line) => line.startsWith("Successfully installed"))).toHaveLength(1);
  const output = execFileSync("tiny-server", { env: first.variables, encoding: "utf8" });
  expect(output).toBe("tiny server runs\n");
  expect(execFileSync(first.python, ["-c", "import tiny_server"], { encoding: "utf8" })).toBe("");
  const later: string[] = [];
  expect(await ask((text) => later.push(text))).toEqual(first);
  expect(later).toEqual([]);
  expect(statSync(path.join(folder, "envs")).mode & 0o077).toBe(0);
});

test("a failed build leaves only its log and says why", slow, async () => {
  const prepare = createEnvironments({ stateFolder: folder, environment: withBorrowedPip });
  const missing = ["no-such-package==9.9"];
  const failure = await prepare(plan(missing), () => {}, never).catch((error: unknown) => error);
  expect(failure).toMatchObject({
    code: "CLOUD_ENVIRONMENT_FAILED",
    exitCode: 6,
    message: expect.stringContaining("no-such-package==9.9"),
  });
  const logs = readdirSync(path.join(folder, "envs")).filter((name) => name.endsWith(".log"));
  const texts = logs.map((name) => readFileSync(path.join(folder, "envs", name), "utf8"));
  const ofThis = logs.filter((_, index) => texts[index]?.includes("no-such-package"));
  expect(ofThis).toHaveLength(1);
  expect(failure).toMatchObject({ hint: expect.stringContaining(ofThis[0] ?? "no log") });
  expect(existsSync(path.join(folder, "envs", (ofThis[0] ?? "").replace(".log", "")))).toBe(false);
});

test("a cancelled build ends with all its processes and leaves nothing", async () => {
  const prepare = createEnvironments({ stateFolder: folder, environment: withBorrowedPip });
  const control = new AbortController();
  const lines: string[] = [];
  const made = prepare(plan([wheel, "another==1"]), (text) => lines.push(text), control.signal);
  made.catch(() => {}); // checked below
  await expect.poll(() => lines.some((line) => line.startsWith("$ "))).toBe(true);
  control.abort();
  await expect(made).rejects.toThrow(/abort/i);
  const place = /-m venv (\S+)/.exec(lines.join("\n"))?.[1] ?? "unknown";
  await expect.poll(() => existsSync(place)).toBe(false);
  expect(existsSync(`${place}.log`)).toBe(true);
});

test("has one name for the same packages in any order, another for another Python or index", () => {
  const name = environmentName("3.11.7", ["a", "b"], {});
  expect(environmentName("3.11.7", ["b", "a", "b"], {})).toBe(name);
  const others = [
    environmentName("3.12.0", ["a", "b"], {}),
    environmentName("3.11.7", ["a"], {}),
    environmentName("3.11.7", ["a", "b"], { PIP_INDEX_URL: "https://example.org" }),
  ];
  expect(new Set([name, ...others]).size).toBe(4);
});
