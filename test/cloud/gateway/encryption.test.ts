// HTTPS with given and self-signed certificates, and where plain HTTP is allowed.
import { X509Certificate } from "node:crypto";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { networkInterfaces, tmpdir } from "node:os";
import path from "node:path";
import { connect } from "node:tls";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TrustedProxies } from "../../../source/cloud/gateway/client-address.ts";
import type { ListenerOptions } from "../../../source/cloud/gateway/gateway-options.ts";
import { readCertificate } from "../../../source/tls/certificate-files.ts";
import { authorityFile, ensureSelfSigned } from "../../../source/tls/self-signed.ts";
import { sendBytes, sendRaw } from "../../support/http-raw.ts";
import { TestGateway } from "../../support/test-gateway.ts";
import { until } from "../../support/until.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "deployctl-tls-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const dayMs = 86_400_000;

/** @returns the status or the error's code */
async function get(url: string, ca: Buffer): Promise<number | string> {
  return await new Promise((resolve) => {
    const outgoing = request(url, { ca, agent: false }, (reply) => {
      reply.resume();
      resolve(reply.statusCode ?? 0);
    });
    outgoing.once("error", (error) =>
      resolve("code" in error ? String(error.code) : error.message),
    );
    outgoing.end();
  });
}

async function start(listener: Partial<ListenerOptions>, trusted: string[] = []) {
  return await TestGateway.start({
    listeners: [{ host: "127.0.0.1", port: 0, encryption: { kind: "none" }, ...listener }],
    trustedProxies: new TrustedProxies(trusted),
  });
}

test("clients that trust the authority trust a self-signed address, even after restarts", async () => {
  const encryption = { kind: "self-signed", folder, names: ["gpu-box.lan", "192.0.2.7"] } as const;
  const gateway = await start({ encryption });
  const authority = readFileSync(authorityFile(folder));
  try {
    const url = await gateway.serve((incoming, response) => {
      response.end(incoming.headers["x-forwarded-proto"]);
    });
    expect(url).toMatch(/^https:/);
    expect(await get(url, authority)).toBe(200);
    expect(await get(url, Buffer.from(""))).toMatch(/SELF_SIGNED|UNABLE_TO/);
    const { hostname, port } = new URL(url);
    const socket = connect({
      host: hostname,
      port: Number(port),
      ca: authority,
      ALPNProtocols: ["h2", "http/1.1"],
    });
    await new Promise((resolve) => socket.once("secureConnect", resolve));
    expect([socket.authorized, socket.alpnProtocol]).toEqual([true, "http/1.1"]);
    socket.destroy();
    const plain = await sendBytes(
      `http://${hostname}:${port}`,
      "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    );
    expect(plain).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(plain).toContain("This address accepts only HTTPS. Use https://.");
    const nonsense = await sendBytes(`http://${hostname}:${port}`, "nonsense\r\n\r\n");
    expect(nonsense).not.toContain("HTTP/1.1");
    expect(await get(url, authority)).toBe(200);
  } finally {
    await gateway.close();
  }
  const certificate = new X509Certificate(readFileSync(path.join(folder, "server.pem")));
  expect(certificate.checkHost("gpu-box.lan")).toBe("gpu-box.lan");
  expect(certificate.checkIP("192.0.2.7")).toBe("192.0.2.7");
  expect(certificate.verify(new X509Certificate(authority).publicKey)).toBe(true);
  for (const name of ["ca-key.pem", "server-key.pem"]) {
    expect(statSync(path.join(folder, name)).mode & 0o777).toBe(0o600);
  }
  const again = await start({ encryption });
  await again.close();
  expect(readFileSync(authorityFile(folder))).toEqual(authority);
  const kept = new X509Certificate(readFileSync(path.join(folder, "server.pem")));
  expect(kept.fingerprint256).toBe(certificate.fingerprint256);
});

test("a self-signed certificate is renewed for new names and before it expires; its authority stays", async () => {
  const now = Date.now();
  const names = ["a.lan"];
  const files = await ensureSelfSigned(folder, names, now);
  const read = () => readFileSync(files.certificateFile, "utf8");
  const first = read();
  const authority = readFileSync(authorityFile(folder), "utf8");
  await ensureSelfSigned(folder, names, now + 300 * dayMs);
  expect(read()).toBe(first);
  await ensureSelfSigned(folder, names, now + 380 * dayMs);
  const second = read();
  expect(second).not.toBe(first);
  await ensureSelfSigned(folder, ["b.lan"], now + 380 * dayMs);
  expect(read()).not.toBe(second);
  expect(readFileSync(authorityFile(folder), "utf8")).toBe(authority);
});

test("a renewed certificate applies to new connections; an invalid one does not", async () => {
  const first = await ensureSelfSigned(path.join(folder, "first"), []);
  const second = await ensureSelfSigned(path.join(folder, "second"), []);
  const gateway = await start({ encryption: { kind: "files", ...first, checkMs: 20 } });
  try {
    const old = await fingerprint(gateway.url);
    copyFileSync(second.keyFile, first.keyFile);
    copyFileSync(second.certificateFile, first.certificateFile);
    const renewed = await until(
      () => fingerprint(gateway.url),
      (now) => now !== old,
    );
    const { cert } = readCertificate(second);
    expect(renewed).toBe(new X509Certificate(cert).fingerprint256);
    writeFileSync(first.certificateFile, "nonsense");
    await expect
      .poll(() => gateway.log.at(-1) ?? "")
      .toContain("previous certificate stays in use");
    expect(await fingerprint(gateway.url)).toBe(renewed);
  } finally {
    await gateway.close();
  }
});

/** Fingerprint of the certificate of a new connection. */
async function fingerprint(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
  await new Promise((resolve) => socket.once("secureConnect", resolve));
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

test("missing or mismatched certificate files are an error", async () => {
  const [one, other] = [
    await ensureSelfSigned(path.join(folder, "one"), []),
    await ensureSelfSigned(path.join(folder, "other"), []),
  ];
  for (const files of [
    { ...one, keyFile: other.keyFile },
    { ...one, certificateFile: "/nowhere/a.pem" },
  ]) {
    await expect(start({ encryption: { kind: "files", ...files } })).rejects.toMatchObject({
      code: "TLS_CERTIFICATE_UNUSABLE",
    });
  }
  const gateway = await start({ encryption: { kind: "files", ...one } });
  const authority = readFileSync(authorityFile(path.join(folder, "one")));
  expect(await get(`${gateway.url}/_/healthz`, authority)).toBe(200);
  await gateway.close();
});

test("plain HTTP is allowed on loopback, or with allowsPlainHttp", async () => {
  await expect(start({ host: "0.0.0.0" })).rejects.toMatchObject({
    code: "CLOUD_PLAIN_HTTP_REFUSED",
    sentence: expect.stringContaining("--insecure-http"),
  });
  const gateway = await start({ host: "0.0.0.0", allowsPlainHttp: true });
  expect((await sendRaw(`${gateway.url}/_/healthz`, {})).status).toBe(200);
  await gateway.close();
});

test("behind a proxy only that proxy may use plain HTTP, and its headers are trusted", async () => {
  const gateway = await start({ host: "0.0.0.0" }, ["127.0.0.0/8", "10.1.2.3"]);
  try {
    const url = await gateway.serve((incoming, response) => {
      const { "x-forwarded-for": chain, "x-forwarded-proto": proto } = incoming.headers;
      response.end(`${chain} ${proto} ${incoming.headers["x-forwarded-host"]}`);
    });
    const headers = {
      "x-forwarded-for": "6.6.6.6, 198.51.100.4, 10.1.2.3",
      "x-forwarded-proto": "https",
      "x-forwarded-host": "models.example",
    };
    const reply = await sendRaw(url, { headers });
    expect(reply.text).toBe("6.6.6.6, 198.51.100.4, 10.1.2.3, 127.0.0.1 https models.example");
    expect((await gateway.record()).address).toBe("198.51.100.4");
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((found) => found?.family === "IPv4" && !found.internal)?.address;
    if (outside === undefined) return;
    const foreign = await sendRaw(url.replace("127.0.0.1", outside), { headers });
    expect([foreign.status, foreign.headers["x-dctl-error-type"]]).toEqual([403, "untrusted_peer"]);
  } finally {
    await gateway.close();
  }
});

test("an address in use and invalid proxies are errors", async () => {
  const gateway = await start({});
  const port = Number(new URL(gateway.url).port);
  await expect(start({ port })).rejects.toMatchObject({ code: "CLOUD_ADDRESS_UNUSABLE" });
  await gateway.close();
  for (const block of ["proxy.lan", "10.0.0.0/33", "10.0.0.0/", "::1/129", "1.2.3.4/8/8"]) {
    await expect(start({}, [block])).rejects.toMatchObject({ code: "CLOUD_REQUEST_INVALID" });
  }
});
