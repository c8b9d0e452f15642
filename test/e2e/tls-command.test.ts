// modelctl serve with HTTPS, and the commands that use it.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import path from "node:path";
import OpenAI from "openai";
import { generate } from "selfsigned";
import { Agent, fetch as undiciFetch } from "undici";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ensureSelfSigned } from "../../source/tls/self-signed.ts";
import { Home, type Started } from "../support/command-line.ts";
import { askingAgent, writeFakeAgent } from "../support/fake-agent.ts";
import { sendBytes } from "../support/http-raw.ts";
import { until } from "../support/until.ts";

const question = "What is the capital of France?";
const answer = "The capital of France is Paris.";

let home: Home;
beforeEach(async () => {
  home = await Home.create();
});
afterEach(async () => await home.remove());

const secureUrl = () => home.url.replace("http:", "https:");
const authority = () => path.join(home.stateFolder, "tls", "ca.pem");

async function serve(...flags: string[]): Promise<Started & { errors: () => string }> {
  let errors = "";
  const server = home.start(["serve", ...flags]);
  server.child.stderr?.on("data", (piece: string) => {
    errors += piece;
  });
  await until(
    () => errors,
    (text) => text.includes(`listening on ${secureUrl()}`),
  );
  return { ...server, errors: () => errors };
}

/** @returns the status or the error's code */
async function status(ca?: Buffer): Promise<number | string> {
  return await new Promise((resolve) => {
    const outgoing = request(`${secureUrl()}/health`, { ca, agent: false }, (reply) => {
      reply.resume();
      resolve(reply.statusCode ?? 0);
    });
    outgoing.once("error", (error) =>
      resolve("code" in error ? String(error.code) : error.message),
    );
    outgoing.end();
  });
}

test("a self-signed server is used by those that trust its authority, and by our own commands", async () => {
  const server = await serve("--tls", "self-signed");
  await until(server.errors, (text) => text.includes(`Clients must trust ${authority()}: `));
  const trusted = readFileSync(authority());
  expect(await status(trusted)).toBe(200);
  expect(await status()).toMatch(/SELF_SIGNED|UNABLE_TO/);
  const dispatcher = new Agent({ connect: { ca: trusted } });
  const client = new OpenAI({
    apiKey: "none",
    baseURL: `${secureUrl()}/v1`,
    fetch: (url, init) => undiciFetch(String(url), { ...(init as object), dispatcher }) as never,
  });
  const messages = [{ role: "user", content: question } as const];
  const reply = await client.chat.completions.create({ model: "tiny", messages });
  expect(reply.choices[0]?.message.content).toBe(answer);
  // Connections stay open as long as without a certificate.
  const health = await undiciFetch(`${secureUrl()}/health`, { dispatcher });
  expect(health.headers.get("keep-alive")).toBe("timeout=72");
  await dispatcher.close();
  expect(await home.call(["run", "tiny", question])).toMatchObject({
    code: 0,
    output: `${answer}\n`,
  });
  expect((await home.call(["ps", "--connect", secureUrl()])).output).toContain("tiny");
  const plain = await sendBytes(home.url, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  expect(plain).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(plain).toContain("This address accepts only HTTPS.");
  const second = await home.run(["serve", "--tls", "self-signed"]);
  expect(second).toMatchObject({ code: 5 });
  expect(second.errors).toContain(`already running at ${secureUrl()}`);
  server.child.kill("SIGTERM");
  expect((await server.ended).code).toBe(0);
});

test("a server that starts by itself follows the setting", async () => {
  const outcome = await home.run(["run", "tiny", question], {
    environment: { MODELCTL_TLS: "self-signed" },
  });
  expect(outcome).toMatchObject({ code: 0, output: `${answer}\n` });
  expect(home.serverFile()).toMatchObject({ url: secureUrl(), authority: authority() });
  expect((await home.call(["ps"])).output).toContain("tiny");
});

test("an agent trusts the authority of the server that it is launched on", async () => {
  await serve("--tls", "self-signed");
  const programs = path.join(home.folder, "programs");
  writeFakeAgent(programs, askingAgent);
  const outcome = await home.run(["launch", "pi", "tiny", "--", question], {
    environment: { PATH: `${programs}:/usr/bin:/bin` },
  });
  expect(outcome).toMatchObject({ code: 7, output: expect.stringContaining(answer) });
});

test("a certificate for another name is trusted by our own commands alone", async () => {
  const files = await ensureSelfSigned(path.join(home.folder, "own"), ["models.example.org"]);
  const { cert, private: key } = await generate([{ name: "commonName", value: "elsewhere" }], {
    keyType: "ec",
    algorithm: "sha256",
  });
  writeFileSync(files.certificateFile, cert);
  writeFileSync(files.keyFile, key);
  await serve("--tls-cert", files.certificateFile, "--tls-key", files.keyFile);
  expect(await status(Buffer.from(cert))).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
  expect((await home.call(["run", "tiny", question])).output).toBe(`${answer}\n`);
});

describe("a certificate is refused", () => {
  const refused = async (flags: string[], sentence: string) => {
    const outcome = await home.call(["serve", "--port", String(home.port), ...flags]);
    expect(outcome).toMatchObject({ code: 2, output: "" });
    expect(outcome.errors).toMatch(/^Error: [^\n]*\n$/);
    expect(outcome.errors).toContain(sentence);
  };

  test("that has expired", async () => {
    const folder = path.join(home.folder, "old");
    mkdirSync(folder);
    const files = await ensureSelfSigned(folder, [], Date.now() - 500 * 86_400_000);
    const flags = ["--tls-cert", files.certificateFile, "--tls-key", files.keyFile];
    await refused(flags, `The certificate ${files.certificateFile} expired on 20`);
  });

  test("that does not fit its key", async () => {
    const one = await ensureSelfSigned(path.join(home.folder, "one"), []);
    const other = await ensureSelfSigned(path.join(home.folder, "other"), []);
    const flags = ["--tls-cert", one.certificateFile, "--tls-key", other.keyFile];
    await refused(flags, `Cannot use the certificate ${one.certificateFile} with the key`);
  });

  test("that is missing, without its key, or beside a self-signed one", async () => {
    await refused(["--tls-cert", "none.pem", "--tls-key", "none.key"], "no such file");
    await refused(["--tls-cert", "none.pem"], "tls_cert and tls_key must be used together.");
    await refused(["--tls", "self-signed", "--tls-cert", "a", "--tls-key", "b"], "together.");
    await refused(["--tls", "magic"], "self-signed");
  });
});
