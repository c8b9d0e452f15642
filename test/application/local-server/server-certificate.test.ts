// The server's certificate from its settings: names that it is for, and a renewed one.
import { X509Certificate } from "node:crypto";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { hostname, tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ServerCertificate } from "../../../source/application/local-server/server-certificate.ts";
import { machineAddresses } from "../../../source/configuration/address.ts";
import { readCertificate } from "../../../source/tls/certificate-files.ts";
import { ensureSelfSigned } from "../../../source/tls/self-signed.ts";

const none = { tls: undefined, tls_cert: undefined, tls_key: undefined };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "modelctl-tls-"));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

test("a self-signed certificate is for all names and addresses of this machine", async () => {
  const address = { host: "0.0.0.0", port: 1, scheme: "http", path: "" } as const;
  const { pair, authority } = await ServerCertificate.open(
    { ...none, tls: "self-signed" },
    address,
    folder,
  );
  const certificate = new X509Certificate(pair.cert);
  expect(certificate.checkHost(hostname())).toBe(hostname());
  for (const ip of ["127.0.0.1", ...machineAddresses()]) {
    expect(certificate.checkIP(ip)).toBe(ip);
  }
  expect(authority).toBe(path.join(folder, "tls", "ca.pem"));
});

test("a renewed certificate is used, and an unusable one is reported", async () => {
  const first = await ensureSelfSigned(path.join(folder, "first"), []);
  const second = await ensureSelfSigned(path.join(folder, "second"), []);
  const files = { tls_cert: first.certificateFile, tls_key: first.keyFile };
  const certificate = await ServerCertificate.open({ ...none, ...files }, undefined, folder);
  const server = createServer(certificate.pair);
  const used = vi.spyOn(server, "setSecureContext");
  const changed: string[] = [];
  const log: string[] = [];
  vi.useFakeTimers();
  const stop = certificate.watch(
    server,
    ({ cert }) => changed.push(cert),
    (line) => log.push(line),
  );
  copyFileSync(second.keyFile, first.keyFile);
  copyFileSync(second.certificateFile, first.certificateFile);
  vi.advanceTimersByTime(15_000);
  const { cert } = readCertificate(second);
  expect(changed).toEqual([cert]);
  expect(used).toHaveBeenCalledWith(expect.objectContaining({ cert }));
  writeFileSync(first.certificateFile, "nonsense");
  vi.advanceTimersByTime(15_000);
  expect(changed).toHaveLength(1);
  expect(log.at(-1)).toContain("The previous certificate stays in use.");
  stop();
});
