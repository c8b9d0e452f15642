// create -q with an existing llama-quantize, as building one would take too long.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Home, tinyFile } from "../support/command-line.ts";
import { entriesOf } from "../support/model-store.ts";
import { parseLines } from "../support/ndjson.ts";
import { processesOfHome } from "../support/processes.ts";
import { proofCases } from "../support/proof.ts";
import { until } from "../support/until.ts";

/** Program from the environment, or built by the benchmark. */
function findProgram(): string | undefined {
  const named = process.env.LLAMA_QUANTIZE;
  if (named !== undefined) return named;
  const cache = path.join(userInfo().homedir, ".cache", "modelctl-bench");
  const releases = existsSync(cache) ? readdirSync(cache) : [];
  const found = releases.map((release) => path.join(cache, release, "peer", "llama-quantize"));
  return found.find((file) => existsSync(file));
}

const program = findProgram();
if (program === undefined) {
  process.stderr.write("create -q is not tested: there is no llama-quantize (LLAMA_QUANTIZE)\n");
}

let home: Home;
beforeAll(async () => {
  home = await Home.create();
});
afterAll(async () => await home.remove());

const blobs = () =>
  entriesOf(path.join(home.folder, "data", "modelctl", "models", "blobs")).filter(
    (name) => !name.startsWith("."),
  );

function write(name: string, text: string): string {
  writeFileSync(path.join(home.folder, name), text);
  return path.join(home.folder, name);
}

const capital = "What is the capital of France?";

describe.skipIf(program === undefined)("create -q", () => {
  const environment = { MODELCTL_LLAMA_QUANTIZE: program ?? "" };
  const create = async (name: string, modelfile: string, type: string) =>
    await home.call(["create", name, "-f", write("Modelfile", modelfile), "-q", type], {
      environment,
    });

  test.each([
    [
      "from a file",
      "file",
      `FROM ${tinyFile}\nSYSTEM You are a pirate.\nPARAMETER temperature 0\n`,
    ],
    ["from a model", "model", "FROM file-f16\n"],
  ])("%s makes smaller weights, and the model answers", async (_, name, modelfile) => {
    await home.call([
      "create",
      "file-f16",
      "-f",
      write("F16", `FROM ${tinyFile}\nSYSTEM You are a pirate.\nPARAMETER temperature 0\n`),
    ]);
    const outcome = await create(name, modelfile, "q8_0");
    expect(outcome).toMatchObject({ code: 0, output: "" });
    expect(outcome.errors).toMatch(/^quantizing F16 model to Q8_0: 100% 1\.9 MB$/m);
    const { output } = await home.call(["show", name]);
    expect(output).toMatch(/^ {4}quantization +Q8_0$/m);
    expect((await home.call(["list", name])).output).toContain("1 MB");
    expect((await home.call(["run", name, capital])).output).toBe(
      "Arr, The capital of France is Paris.\n",
    );
  });

  test("reports the same steps over the API", async () => {
    const host = await Home.create();
    onTestFinished(async () => await host.remove());
    const server = host.start(["serve"], { environment });
    await until(
      () => host.serverFile(),
      (file) => file !== undefined,
    );
    const reply = await fetch(`${host.url}/api/create`, {
      method: "POST",
      body: JSON.stringify({ model: "api", from: "tiny", quantize: "q4_K_M" }),
    });
    const records = parseLines(await reply.text());
    const steps = records.filter(({ status }) => status === "quantizing F16 model to Q4_K_M");
    expect(steps.length).toBeGreaterThan(1);
    expect(steps.at(-1)).toMatchObject({ completed: steps.at(-1)?.total });
    expect(records.at(-1)).toEqual({ status: "success" });
    server.child.kill("SIGTERM");
    await server.ended;
  });

  test("accepts only full precision, and a refusal leaves nothing behind", async () => {
    await create("small", "FROM tiny\n", "q8_0");
    const before = blobs();
    expect(await create("smaller", "FROM small\n", "q4_0")).toMatchObject({
      code: 2,
      errors: expect.stringContaining(
        "quantization is only supported for F16, BF16 and F32 models, and this one is Q8_0",
      ),
    });
    expect(blobs()).toEqual(before);
  });
});

test("names a program that cannot be started before doing any work", async () => {
  const outcome = await home.call(
    ["create", "none", "-f", write("M", "FROM tiny\n"), "-q", "q8_0"],
    {
      environment: { MODELCTL_LLAMA_QUANTIZE: "/no/such/llama-quantize" },
    },
  );
  expect(outcome).toMatchObject({
    code: 2,
    errors: expect.stringContaining("/no/such/llama-quantize"),
  });
  expect((await home.call(["list", "--json"])).output).not.toContain("none");
});

const signals = proofCases<NodeJS.Signals>(["SIGINT"], ["SIGTERM", "SIGHUP"]);
test.skipIf(process.platform === "win32").each(signals)(
  "leaves nothing behind when %s ends the build of llama-quantize",
  async (signal) => {
    const tools = path.join(home.folder, `tools-${signal}`);
    mkdirSync(tools);
    const begun = path.join(tools, "begun");
    // Compiler that continues for a while after cmake has exited, and creates folders.
    const compiler = `trap 'mkdir -p "$4/objects"; sleep 0.3; mkdir -p "$4/objects"; exit' TERM
      touch ${begun}; while :; do mkdir -p "$4/objects"; sleep 0.05; done`;
    const scripts = {
      git: 'for last; do :; done; [ "$1" = --version ] || mkdir -p "$last"',
      cmake: `[ "$1" = --build ] || exit 0; (set -- 1 2 3 "$2"; ${compiler}) & wait`,
      "c++": "exit 0",
    };
    for (const [name, script] of Object.entries(scripts)) {
      writeFileSync(path.join(tools, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    }
    const { child, ended } = home.start(
      ["create", "none", "-f", write("M", `FROM ${tinyFile}\n`), "-q", "q8_0"],
      { environment: { PATH: `${tools}:${process.env.PATH}` } },
    );
    await until(() => existsSync(begun), Boolean);
    child.kill(signal);
    expect(await ended).toMatchObject({ code: 130, output: "" });
    const cache = path.join(home.folder, "cache");
    expect(entriesOf(cache).filter((name) => name.includes("building-"))).toEqual([]);
    expect(entriesOf(cache).filter((name) => name.includes("objects"))).toEqual([]);
    expect(processesOfHome(home.folder).filter(({ text }) => text.includes(tools))).toEqual([]);
  },
);

test("says that a compiler or cmake is missing", async () => {
  const outcome = await home.call(
    ["create", "none", "-f", write("M", "FROM tiny\n"), "-q", "q8_0"],
    {
      environment: { PATH: home.folder },
    },
  );
  expect(outcome.code).not.toBe(0);
  expect(outcome.errors).toMatch(/Error: .*git is not installed.*cmake/);
});
