// Names that lead out of the store: no file outside is read, written or removed.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tinyFile } from "../support/command-line.ts";
import { type LoopbackHub, startLoopbackHub } from "../support/loopback-hub.ts";
import { entriesOf, sha256, writeOllamaModel } from "../support/model-store.ts";
import { proofRounds } from "../support/proof.ts";
import { TestServer } from "../support/test-server.ts";

const secret = "canary-of-another-folder";
const digest = `sha256:${sha256(readFileSync(tinyFile))}`;

let base: string;
let storeFolder: string;
let hub: LoopbackHub;
let server: TestServer;

beforeAll(async () => {
  base = mkdtempSync(path.join(tmpdir(), "modelctl-traversal-"));
  storeFolder = path.join(base, "a", "b", "c", "models");
  mkdirSync(storeFolder, { recursive: true });
  // Every place that a name leads to has a file that the server would accept as a model.
  const manifest = readFileSync(
    writeOllamaModel(path.join(base, "other"), "bait", [{ kind: "system", content: secret }]),
  );
  for (const folder of [base, ...["a", "a/b", "a/b/c"].map((name) => path.join(base, name))]) {
    for (const name of ["bait", "outside/bait", "outside/bait/latest", "manifests/bait"]) {
      const file = path.join(folder, `${name}.d`, "latest");
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, manifest);
    }
    writeFileSync(path.join(folder, "bait"), manifest);
    writeFileSync(path.join(folder, "bait.gguf"), readFileSync(tinyFile));
    writeFileSync(path.join(folder, "sha256-bait"), secret);
    writeFileSync(path.join(folder, "Modelfile"), `FROM tiny\nSYSTEM ${secret}\n`);
  }
  hub = await startLoopbackHub({ repositories: {} });
  server = await TestServer.start({ models: storeFolder, hub_endpoint: hub.url });
  await send("POST", `/api/blobs/${digest}`, readFileSync(tinyFile));
});
afterAll(async () => {
  await server.close();
  await hub.close();
  rmSync(base, { recursive: true, force: true });
});

/** All files outside the store, with their inodes and times. */
function surroundings(): string[] {
  return entriesOf(base).flatMap((name) => {
    const file = path.join(base, name);
    if (file === storeFolder || file.startsWith(storeFolder + path.sep)) return [];
    const { ino, mode, size, ctimeMs } = statSync(file);
    // The folder around the store may get another time.
    return [[name, ino, mode, size, file === path.dirname(storeFolder) ? "" : ctimeMs].join(" ")];
  });
}

/** Sends the path unchanged: URLs and fetch would resolve its dots. */
async function send(
  method: string,
  target: string,
  body?: object | Buffer,
): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(server.url);
  const bytes =
    body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  return await new Promise((resolve, reject) => {
    // Node sends no Content-Length for a DELETE by itself.
    const headers = bytes === undefined ? {} : { "content-length": bytes.length };
    const sent = request({ hostname, port, method, path: target, headers }, (reply) => {
      let text = "";
      reply.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
      });
      reply.once("end", () => resolve({ status: reply.statusCode ?? 0, text }));
    });
    sent.once("error", reject);
    sent.end(bytes);
  });
}

const steps = ["..", ".", "", "...", "~", "%2e%2e", "%252e%252e", "..%2f..", "．．", "..\u0000"];
const goals = ["bait", "bait.gguf", "bait.d", "outside", "sha256-bait", "latest", "a", "Modelfile"];
const inner = ["manifests", "blobs", "library", "registry.ollama.ai", "models", "tiny", "new"];
const starts = [
  "",
  "/",
  "\\",
  "./",
  "hf.co/",
  "https://hf.co/",
  "hf:",
  "file://",
  "C:\\",
  "sha256:",
];

/** Texts that are names, nearly names, or paths in disguise. */
const hostile = fc
  .tuple(
    fc.constantFrom(...starts),
    fc.array(fc.constantFrom(...steps, ...steps, ...goals, ...inner), {
      minLength: 1,
      maxLength: 8,
    }),
    fc.constantFrom("/", "/", "/", "\\", "%2f", ":", "//"),
    fc.constantFrom("", "", ":latest", ":..", ":../../bait", ":/../bait", ":..%2fbait"),
    fc.boolean(),
  )
  .map(([start, parts, separator, tag, isAbsolute]) => {
    const text = `${start}${parts.join(separator)}${tag}`;
    return isAbsolute ? `${storeFolder}/${text}` : text;
  });

/** Every request that names a model, a file or a blob. */
const requests: Array<[string, (name: string) => [string, string, (object | Buffer)?]]> = [
  ["delete", (model) => ["DELETE", "/api/delete", { model }]],
  ["plan to delete", (name) => ["DELETE", "/api/delete", { name, dry_run: true }]],
  ["copy from", (source) => ["POST", "/api/copy", { source, destination: "copied" }]],
  ["copy to", (destination) => ["POST", "/api/copy", { source: "tiny", destination }]],
  ["show", (model) => ["POST", "/api/show", { model, verbose: true }]],
  ["create as", (model) => ["POST", "/api/create", { model, from: "tiny", stream: false }]],
  ["create from", (from) => ["POST", "/api/create", { model: "made", from, stream: false }]],
  [
    "create from a Modelfile",
    (from) => [
      "POST",
      "/api/create",
      { model: "made", modelfile: `FROM ${JSON.stringify(from)}\n`, stream: false },
    ],
  ],
  [
    "create with an adapter",
    (name) => [
      "POST",
      "/api/create",
      { model: "made", modelfile: `FROM tiny\nADAPTER ${JSON.stringify(name)}\n`, stream: false },
    ],
  ],
  [
    "create from files",
    (name) => ["POST", "/api/create", { model: "made", files: { [name]: digest }, stream: false }],
  ],
  [
    "create from a blob",
    (name) => ["POST", "/api/create", { model: "made", files: { "m.gguf": name }, stream: false }],
  ],
  ["pull", (model) => ["POST", "/api/pull", { model, stream: false }]],
  ["push", (model) => ["POST", "/api/push", { model, stream: false }]],
  ["look for a blob", (name) => ["HEAD", `/api/blobs/${pathText(name)}`]],
  ["send a blob", (name) => ["POST", `/api/blobs/${pathText(name)}`, Buffer.from(secret)]],
  ["look at a model", (name) => ["GET", `/v1/models/${pathText(name)}`]],
  ["ask", (model) => ["POST", "/api/generate", { model, prompt: "", stream: false }]],
];

/** Escapes characters that a request line cannot carry; dots and slashes stay. */
function pathText(name: string): string {
  return name.replace(/[^\w./:%~-]/g, (character) => encodeURIComponent(character));
}

describe("a name that leads out of the store", () => {
  test.each(requests)("is harmless: %s", async (_, toRequest) => {
    const before = surroundings();
    expect(before.length).toBeGreaterThan(20);
    await fc.assert(
      fc.asyncProperty(hostile, async (name) => {
        const { status, text } = await send(...toRequest(name));
        expect(text).not.toContain(secret);
        // Ollama answers 500 for a name that cannot be pulled, and so do we; a defect has no such code.
        if (status === 500) expect(text).toMatch(/"code":"STORE_\w+"/);
        expect(surroundings()).toEqual(before);
      }),
      { numRuns: proofRounds(200), interruptAfterTimeLimit: 20_000 },
    );
  });

  test("and the store still works", async () => {
    const model = { model: "mine" };
    expect((await send("POST", "/api/create", { ...model, from: "tiny" })).status).toBe(200);
    expect((await send("POST", "/api/show", model)).status).toBe(200);
    expect((await send("DELETE", "/api/delete", model)).status).toBe(200);
    expect((await send("POST", "/api/show", model)).status).toBe(404);
  });
});
