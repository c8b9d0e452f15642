// Models from a loopback hub on the command line: pull, resume after a kill, and run without a pull.
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { Home, tinyFile } from "../support/command-line.ts";
import { type LoopbackHub, startLoopbackHub } from "../support/loopback-hub.ts";
import { isProof } from "../support/proof.ts";
import { embeddingTiny, numberedTiny } from "../support/tiny-variants.ts";
import { until } from "../support/until.ts";

const capital = "What is the capital of France?";
const capitalAnswer = "The capital of France is Paris.\n";
const tiny = readFileSync(tinyFile);

/** Repositories with one model each, which no other test has pulled. */
const untouched = ["killed", "created", "missing", "remote"].map((name, index) => [
  `maker/${name}`,
  { files: { [`${name}.gguf`]: numberedTiny(5 + index) } },
]);

let hub: LoopbackHub;
let home: Home;
beforeAll(async () => {
  home = await Home.create();
  hub = await startLoopbackHub({
    repositories: {
      "maker/tiny": { files: { "tiny-Q8_0.gguf": tiny, "tiny-F16.gguf": numberedTiny(2) } },
      "maker/vectors": { files: { "vectors-Q8_0.gguf": embeddingTiny() } },
      "maker/gated": {
        files: { "gated.gguf": numberedTiny(3) },
        access: "gated",
        readers: ["hf_reader"],
      },
      "maker/hidden": {
        files: { "hidden.gguf": numberedTiny(4) },
        access: "private",
        readers: ["hf_reader"],
      },
      ...Object.fromEntries(untouched),
    },
  });
});
afterAll(async () => {
  await home.remove();
  await hub.close();
});
afterEach(() => hub.setFaults(undefined));

const environment = () => ({ HF_ENDPOINT: hub.url });
const blobsFolder = () => path.join(home.folder, "data", "modelctl", "models", "blobs");

describe("pull", () => {
  test("prints each step on standard error, and the model runs", async () => {
    const pulled = await home.call(["pull", "hf.co/maker/tiny"], { environment: environment() });
    expect(pulled).toMatchObject({ code: 0, output: "" });
    const lines = pulled.errors.trimEnd().split("\n");
    expect(lines[0]).toBe("pulling manifest");
    expect(lines[1]).toMatch(/^memory: needs about \d+ MiB, \S+ \wiB free: fits$/);
    expect(lines.slice(-2)).toEqual(["writing manifest", "success"]);
    expect(pulled.errors).toContain("100%");
    const words = ["run", "hf.co/maker/tiny", capital];
    expect(await home.call(words, { environment: environment() })).toMatchObject({
      code: 0,
      output: capitalAnswer,
    });
    expect((await home.call(["list"])).output).toContain("hf.co/maker/tiny:latest");
  });

  test("--json prints the model; other prefixes and file names are equivalent", async () => {
    for (const reference of ["huggingface.co/maker/tiny:f16", "hf:maker/tiny:tiny-F16.gguf"]) {
      const { output } = await home.call(["pull", reference, "--json"], {
        environment: environment(),
      });
      expect(JSON.parse(output)).toMatchObject({
        name: expect.stringMatching(/^hf\.co\/maker\/tiny:/),
      });
    }
  });

  test("says whether a model created from the hub will fit into memory", async () => {
    const made = await home.call(["create", "mine", "-f", "-"], {
      environment: environment(),
      input: "FROM hf.co/maker/created\nSYSTEM Be brief.\n",
    });
    expect(made).toMatchObject({ code: 0, output: "" });
    const lines = made.errors.trimEnd().split("\n");
    expect(lines.slice(0, 3)).toEqual([
      "parsing GGUF",
      "pulling manifest",
      expect.stringMatching(/^memory: needs about \d+ MiB, \S+ \wiB free: fits$/),
    ]);
    expect(lines.filter((line) => line === "success")).toHaveLength(1);
  });

  test.each([
    ["hf.co/maker/nothing", 3, /maker\/nothing/],
    ["hf.co/maker/hidden", 3, /maker\/hidden/],
    ["hf.co/maker/gated", 4, /maker\/gated.*(accept|token)/i],
    ["hf.co/maker/tiny:Q2_K", 3, /Q8_0/],
    ["hf.co/maker", 2, /invalid model name/],
  ])("%s is refused with one sentence", async (reference, code, says) => {
    const before = await home.call(["list", "--json"]);
    const outcome = await home.call(["pull", reference], { environment: environment() });
    expect(outcome).toMatchObject({ code, output: "" });
    const errors = outcome.errors.split("\n").filter((line) => line.startsWith("Error: "));
    expect(errors).toEqual([expect.stringMatching(says)]);
    expect(await home.call(["list", "--json"])).toEqual(before);
  });

  test.each([
    ["tiny", 3, "'tiny:latest' already exists: modelctl run tiny:latest"],
    ["nobody", 3, "such as hf.co/OWNER/REPO"],
    ["./a.gguf", 2, "Run the file directly: modelctl run ./a.gguf"],
  ])("%s, which is not on the hub, is refused with advice", async (reference, code, says) => {
    const outcome = await home.call(["pull", reference], { environment: environment() });
    expect(outcome).toMatchObject({ code, output: "", errors: expect.stringContaining(says) });
  });

  test("a token gives access to gated and private repositories and is never printed", async () => {
    for (const repository of ["gated", "hidden"]) {
      const outcome = await home.call(["pull", `hf.co/maker/${repository}`], {
        environment: { ...environment(), HF_TOKEN: "hf_reader" },
      });
      expect(outcome).toMatchObject({ code: 0 });
      expect(outcome.errors).not.toContain("hf_reader");
    }
    const wrong = await home.call(["pull", "hf.co/maker/gated"], {
      environment: { ...environment(), HF_TOKEN: "hf_secret_of_nobody" },
    });
    expect(wrong).toMatchObject({ code: 4 });
    expect(wrong.errors).not.toContain("hf_secret_of_nobody");
  });

  test("an unreachable hub is named", async () => {
    const outcome = await home.call(["pull", "hf.co/maker/tiny"], {
      environment: { HF_ENDPOINT: "http://127.0.0.1:9" },
    });
    expect(outcome).toMatchObject({ code: 8, errors: expect.stringContaining("127.0.0.1:9") });
  });
});

describe("download", () => {
  test.each([
    [["hf.co/maker/tiny", "Q8_0.gguf"], "tiny-Q8_0.gguf"],
    [["maker/tiny:f16"], "tiny-F16.gguf"],
    [["https://huggingface.co/maker/tiny/blob/main/tiny-F16.gguf"], "tiny-F16.gguf"],
  ])("%j saves the named file", async (words, name) => {
    const folder = mkdtempSync(path.join(home.folder, "saved-"));
    const saved = await home.call(["download", ...words, "--local-dir", folder], {
      environment: environment(),
    });
    expect(saved).toMatchObject({ code: 0, output: `${path.join(folder, name)}\n` });
    expect(readdirSync(folder)).toEqual([name]);
  });

  test("works with a read-only store", async () => {
    const file = path.join(home.folder, "file");
    writeFileSync(file, "");
    const words = ["download", "maker/tiny", "Q8_0.gguf", "--local-dir", home.folder];
    const saved = await home.call(words, {
      environment: { ...environment(), MODELCTL_MODELS: path.join(file, "models") },
    });
    expect(saved).toMatchObject({ code: 0 });
    expect(readFileSync(path.join(home.folder, "tiny-Q8_0.gguf")).equals(tiny)).toBe(true);
  });

  const unclear = "download needs a repository and a file";

  test.each<[string[], string?]>([
    [["maker/tiny"]],
    [["tiny", "Q8_0.gguf"]],
    [["maker/tiny:F16", "Q8_0.gguf"]],
    [["maker/tiny", "Q8_0.gguf", "F16.gguf"], "download takes no 'F16.gguf'"],
  ])("refuses the ambiguous %j", async (words, says = unclear) => {
    const outcome = await home.call(["download", ...words], { environment: environment() });
    expect(outcome).toMatchObject({ code: 2, output: "" });
    expect(outcome.errors).toContain(says);
  });
});

describe("search", () => {
  const search = async (...words: string[]) => {
    return await home.call(["search", ...words], { environment: environment() });
  };

  test("lists models with name, size and whether they fit", async () => {
    const { code, output } = await search("tiny");
    expect(code).toBe(0);
    expect(output).toMatch(/^MODEL +SIZE +PARAMETERS +DOWNLOADS +MEMORY$/m);
    expect(output).toMatch(/^hf\.co\/maker\/tiny:Q8_0 +1\.9 MB .* fits, default$/m);
    expect(output).toMatch(/^hf\.co\/maker\/tiny:F16 +1\.9 MB .* fits$/m);
  });

  test("--json prints the same, and gated repositories without files", async () => {
    const { output } = await search("maker", "--json", "--limit", "20");
    const found = JSON.parse(output) as { name: string }[];
    expect(found.find(({ name }) => name === "hf.co/maker/tiny")).toMatchObject({
      isGated: false,
      quantizations: expect.arrayContaining([
        { selector: "Q8_0", sizeBytes: tiny.length, isDefault: true, fits: true },
      ]),
    });
    expect(found.find(({ name }) => name === "hf.co/maker/gated")).toMatchObject({ isGated: true });
  });

  test("reports no results with exit code 3", async () => {
    const outcome = await search("no such thing");
    expect(outcome).toMatchObject({ code: 3, output: "" });
    expect(outcome.errors).toContain('no GGUF model for "no such thing"');
  });
});

const kills = isProof ? 5 : 3;

test("a pull killed at any moment is resumed, and the model runs", async () => {
  const storedBytes = () => {
    try {
      return readdirSync(blobsFolder()).length;
    } catch {
      return 0; // nothing has been written yet
    }
  };
  const sent = () =>
    hub.requests
      .filter(({ server, path: file }) => server === "storage" && file.includes("maker/killed"))
      .reduce((sum, { sentBytes }) => sum + sentBytes, 0);
  hub.setFaults(({ server }) => (server === "storage" ? { bytesPerSecond: 2_000_000 } : undefined));
  for (let round = 1; round <= kills; round += 1) {
    const before = sent();
    const { child, ended } = home.start(["pull", "hf.co/maker/killed"], {
      environment: environment(),
    });
    await until(
      () => ({ sent: sent(), stored: storedBytes(), code: child.exitCode }),
      (now) => now.sent > before + 50_000 * round || now.code !== null,
    );
    // Stopped first, then killed.
    child.kill(round === 1 ? "SIGINT" : "SIGKILL");
    const outcome = await ended;
    if (round === 1) {
      const errors = expect.stringMatching(/\nStopped\. .+ run the command again to resume\.\n$/);
      expect(outcome).toEqual({ code: 130, output: "", errors });
    }
    const list = await home.call(["list"]);
    expect(list).toMatchObject({ code: 0, errors: "" });
  }
  hub.setFaults(undefined);
  expect(
    await home.call(["pull", "hf.co/maker/killed"], { environment: environment() }),
  ).toMatchObject({
    code: 0,
  });
  // Complete parts were not downloaded again.
  expect(sent()).toBeLessThan(kills * tiny.length);
  expect(await home.call(["run", "hf.co/maker/killed", capital])).toMatchObject({
    code: 0,
    output: capitalAnswer,
  });
});

test("a create killed at any moment leaves a working store", async () => {
  writeFileSync(
    path.join(home.folder, "Modelfile"),
    `FROM ${tinyFile}\nSYSTEM You are a pirate.\n`,
  );
  for (let round = 0; round < 8; round += isProof ? 1 : 3) {
    const { child, ended } = home.start(["create", "killed", "--copy"]);
    // Each time at another point.
    await new Promise((resolve) => setTimeout(resolve, 80 + round * 20));
    child.kill("SIGKILL");
    await ended;
    expect(await home.call(["list"])).toMatchObject({ code: 0, errors: "" });
  }
  expect(await home.call(["create", "killed", "--copy"])).toMatchObject({ code: 0 });
  expect((await home.call(["run", "killed", capital])).output).toBe(`Arr, ${capitalAnswer}`);
});

describe("run", () => {
  test("pulls a missing model from the hub once, and adds standard input to the prompt", async () => {
    const first = await home.call(["run", "hf.co/maker/missing", "hello", "world"], {
      environment: environment(),
      input: "Repeat after me:\n",
    });
    expect(first).toMatchObject({ code: 0, output: "hello world\n" });
    expect(first.errors).toContain("pulling manifest\n");
    const second = await home.call(["run", "hf.co/maker/missing", capital]);
    expect(second).toEqual({ code: 0, output: capitalAnswer, errors: "" });
    // The server pulled it before the first question, which nothing had to repeat.
    const { output } = await home.call(["logs", "--json"]);
    const requests = output
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const about = requests.filter(({ model }) => model?.startsWith("hf.co/maker/missing"));
    expect(about.map(({ path: route, status }) => [route, status])).toEqual([
      ["/api/pull", 200],
      ["/api/generate", 200],
      ["/api/generate", 200],
    ]);
  });

  test("takes a file of a repository whose name looks like a path; so does stop", async () => {
    const model = "hf.co/maker/missing:missing.gguf";
    const words = ["run", model, capital];
    const first = await home.call(words, { environment: environment() });
    expect(first).toMatchObject({ code: 0, output: capitalAnswer });
    expect((await home.call(["ps"])).output).toContain(model);
    expect(await home.call(["stop", model])).toMatchObject({ code: 0 });
    expect((await home.call(["ps"])).output).not.toContain(model);
  });

  test("reports a model that is not on the hub, without an answer", async () => {
    const outcome = await home.call(["run", "hf.co/maker/nothing", capital], {
      environment: environment(),
    });
    expect(outcome).toMatchObject({ code: 3, output: "", errors: /maker\/nothing/ });
  });

  test("makes a named remote server do the pull", async () => {
    const other = await Home.create();
    const words = ["run", "hf.co/maker/remote", capital, "--connect", home.url];
    const outcome = await other.call(words);
    expect(outcome).toMatchObject({ code: 0, output: capitalAnswer });
    expect(outcome.errors).toContain("pulling manifest");
    expect((await home.call(["list"])).output).toContain("hf.co/maker/remote:latest");
    await other.remove();
  });

  test("prints the vector of an embedding model on one line", async () => {
    const outcome = await home.call(["run", "hf.co/maker/vectors", "Hello!"], {
      environment: environment(),
    });
    expect(outcome.code).toBe(0);
    expect(outcome.output.trimEnd().split("\n")).toHaveLength(1);
    const vector = JSON.parse(outcome.output) as number[];
    expect(vector).toHaveLength(128);
    expect(vector.every(Number.isFinite)).toBe(true);
    const long = "Hello! ".repeat(90);
    const options = ["--dimensions", "16", "--num-ctx", "64"];
    const shortened = ["run", "hf.co/maker/vectors", ...options, long];
    expect(await home.call(shortened)).toMatchObject({
      output: "",
      errors: expect.stringContaining("context length"),
    });
    const cut = await home.call([...shortened, "--truncate"]);
    expect(JSON.parse(cut.output)).toHaveLength(16);
    const { output } = await home.call(["show", "hf.co/maker/vectors"]);
    expect(output).toContain("  Capabilities\n    embedding\n");
  });
});
