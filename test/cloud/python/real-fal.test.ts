// Scripts for fal with fal itself and with deployctl's shim: same options, same answers.
import { execFileSync } from "node:child_process";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { configFrom } from "../../../source/cloud/inspection/config-from.ts";
import { inspectScript } from "../../../source/cloud/inspection/inspect-script.ts";
import { pythonFolder } from "../../../source/cloud/inspection/python-program.ts";
import { repositoryFolder } from "../../support/command-line.ts";
import { fastapiPython } from "../../support/fastapi-environment.ts";
import { ScriptFolder } from "../../support/replica-runner.ts";

interface Facts {
  name: string;
  options: Record<string, unknown>;
  paths: string[];
  answers: [number, unknown][];
  /** Keywords and class attributes that fal knows. */
  keywords: string[];
}

const fixtures = path.join(repositoryFolder, "test/fixtures/cloud");
const script = path.join(fixtures, "fal-full.py");
const requests: [string, unknown][] = [
  ["/", { prompt: "a cat", seed: 3 }],
  ["/", { prompt: "a cat", size: { width: 8, height: 4 }, image: "https://a.example/x.png" }],
  ["/", { prompt: "forbidden" }],
  ["/", { prompt: "a" }],
  ["/", { prompt: "a cat", image: "ftp://a.example/x.png" }],
  ["/busy", {}],
  ["/alive", {}],
];
let program: string | undefined;
let folder: ScriptFolder;
let real: Facts;

beforeAll(async () => {
  folder = new ScriptFolder();
  program = await fastapiPython();
  if (program === undefined) return;
  const facts = path.join(fixtures, "fal-facts.py");
  const output = execFileSync(program, [facts, script, "Painter"], {
    encoding: "utf8",
    input: JSON.stringify(requests),
    env: { PATH: process.env.PATH, HOME: folder.path },
    stdio: ["pipe", "pipe", "ignore"],
  });
  real = JSON.parse(output.trimEnd().split("\n").at(-1) ?? "") as Facts;
}, 200_000);
afterAll(async () => await folder.remove());
beforeEach(({ skip }) => {
  if (program === undefined) skip("no index of Python packages can be reached");
});

/** Leaves out pydantic's further fields, which differ between versions of FastAPI. */
function withoutContext(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer, (key, value) => (key === "ctx" ? undefined : value)));
}

test("reads the same options as fal, without running the script", async () => {
  const found = await inspectScript(script, undefined, { isStatic: true });
  expect(found.dynamic).toEqual([]);
  // fal adds its own requirements.
  const { app_name: name, requirements, ...options } = found.config;
  expect(real.options.requirements).toEqual(expect.arrayContaining(Object(requirements)));
  expect(name).toBe(real.name);
  const ours = Object.keys(options).filter((key) => key in real.options);
  expect(Object.fromEntries(ours.map((key) => [key, real.options[key]]))).toEqual(
    Object.fromEntries(ours.map((key) => [key, options[key]])),
  );
  expect(ours).toContain("request_start_timeout");
  expect(found.endpoints?.map((endpoint) => endpoint.path).toSorted()).toEqual(
    real.paths.toSorted(),
  );
  expect(found.warnings.map(({ sentence }) => sentence)).toEqual(["resolver has no effect here."]);
  expect(configFrom(found)).toMatchObject({
    auth: "public",
    healthPath: "/alive",
    hardware: { machineType: "GPU-H100", alternatives: [{}, { machineType: "XS" }] },
    scale: { minConcurrency: 1, maxConcurrency: 3, maxMultiplexing: 2, keepAliveMs: 300_000 },
    limits: { requestTimeoutMs: 90_000, requestStartTimeoutMs: 45_000 },
    requirements: ["numpy", "pillow", "fastapi", "uvicorn", "websockets"],
  });
});

test("answers like fal", async () => {
  const replica = await folder.startFile(script, {
    target: "Painter",
    ...(program !== undefined && { program }),
  });
  await replica.answer("/alive");
  for (const [index, [pathName, body]] of requests.entries()) {
    const headers = { "content-type": "application/json" };
    const options = { method: "POST", headers, body: JSON.stringify(body) };
    const answer = await replica.answer(pathName, options);
    const ours = [answer.status, await answer.json()];
    expect(withoutContext(ours), pathName).toEqual(withoutContext(real.answers[index]));
  }
});

test("knows every keyword and class attribute of fal", () => {
  const code =
    "import json\nfrom deployctl import _options as o\nprint(json.dumps([*o.FAL_HONOURED, *o.FAL_IGNORED, *o.FAL_APP, *sum(o.FAL_KINDS.values(), ())]))";
  const known: string[] = JSON.parse(
    execFileSync(program ?? "", ["-c", code], {
      encoding: "utf8",
      env: { PATH: process.env.PATH, PYTHONPATH: path.join(pythonFolder(), "shim") },
    }),
  );
  expect(real.keywords.filter((name) => ![...known, "name"].includes(name))).toEqual([]);
});

test("serves the example", async () => {
  const replica = await folder.startFile(path.join(repositoryFolder, "docs/examples/fal-app.py"), {
    target: "WordCounter",
    ...(program !== undefined && { program }),
  });
  await replica.answer("/health");
  const body = JSON.stringify({ text: "one-two three" });
  const answer = await replica.answer("/", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  expect(await answer.json()).toEqual({ words: 3 });
});
