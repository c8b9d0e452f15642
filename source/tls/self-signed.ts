// Self-signed certificate, from a certificate authority that clients can trust.
import { X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import path from "node:path";
import type { SelfsignedOptions } from "selfsigned";
import { type CertificateFiles, readPair } from "./certificate-files.ts";

const dayMs = 86_400_000;
const authorityDays = 3650;
/** Maximum that browsers and Apple's systems accept. */
const certificateDays = 397;
/** Remaining days below which a certificate is renewed. */
const renewalDays = 30;

/** File for clients to trust, with `NODE_EXTRA_CA_CERTS` or `curl --cacert`. */
export function authorityFile(folder: string): string {
  return path.join(folder, "ca.pem");
}

/**
 * Creates files that are missing, about to expire, or do not cover the names. Keeps the authority as
 * long as possible, because clients trust it.
 *
 * @param folder created with mode 0700
 * @param names hosts and addresses of the server
 * @throws ProductError `TLS_CERTIFICATE_UNUSABLE` if the files cannot be read
 */
export async function ensureSelfSigned(
  folder: string,
  names: readonly string[],
  now: number = Date.now(),
): Promise<CertificateFiles> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const authority = {
    certificateFile: authorityFile(folder),
    keyFile: path.join(folder, "ca-key.pem"),
  };
  const own = {
    certificateFile: path.join(folder, "server.pem"),
    keyFile: path.join(folder, "server-key.pem"),
  };
  const wanted = [...new Set(["localhost", "127.0.0.1", "::1", ...names])];
  const keepsAuthority =
    isThere(authority) && lastsBeyond(authority, now + certificateDays * dayMs);
  if (!keepsAuthority) await makeAuthority(authority, now);
  const isGood =
    keepsAuthority &&
    isThere(own) &&
    lastsBeyond(own, now + renewalDays * dayMs) &&
    covers(own, wanted);
  if (!isGood) await makeCertificate(own, authority, wanted, now);
  return own;
}

async function makeAuthority(files: CertificateFiles, now: number): Promise<void> {
  await issue(files, "modelctl's own authority", now, authorityDays, {
    extensions: [
      { name: "basicConstraints", cA: true, pathLenConstraint: 0, critical: true },
      { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
}

async function makeCertificate(
  files: CertificateFiles,
  authority: CertificateFiles,
  names: readonly string[],
  now: number,
): Promise<void> {
  const altNames = names.map((name) => {
    return isIP(name) === 0 ? { type: 2 as const, value: name } : { type: 7 as const, ip: name };
  });
  await issue(files, names[0] ?? "localhost", now, certificateDays, {
    ca: readPair(authority),
    extensions: [
      { name: "basicConstraints", cA: false, critical: true },
      { name: "keyUsage", digitalSignature: true, critical: true },
      { name: "extKeyUsage", serverAuth: true },
      { name: "subjectAltName", altNames },
    ],
  });
}

async function issue(
  files: CertificateFiles,
  commonName: string,
  now: number,
  days: number,
  options: SelfsignedOptions,
): Promise<void> {
  const { generate } = await import("selfsigned");
  const pair = await generate([{ name: "commonName", value: commonName }], {
    keyType: "ec",
    algorithm: "sha256",
    notBeforeDate: new Date(now - dayMs),
    notAfterDate: new Date(now + days * dayMs),
    ...options,
  });
  write(files, pair.cert, pair.private);
}

function isThere({ certificateFile, keyFile }: CertificateFiles): boolean {
  return existsSync(certificateFile) && existsSync(keyFile);
}

function lastsBeyond(files: CertificateFiles, time: number): boolean {
  return Date.parse(read(files).validTo) > time;
}

function covers(files: CertificateFiles, names: readonly string[]): boolean {
  const certificate = read(files);
  return names.every((name) => {
    const found = isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name);
    return found !== undefined;
  });
}

function read(files: CertificateFiles): X509Certificate {
  return new X509Certificate(readPair(files).cert);
}

/** Writes each file atomically; the key is never readable by others. */
function write({ certificateFile, keyFile }: CertificateFiles, cert: string, key: string): void {
  for (const [file, text, mode] of [
    [keyFile, key, 0o600],
    [certificateFile, cert, 0o644],
  ] as const) {
    const draft = `${file}.new`;
    writeFileSync(draft, text, { mode });
    renameSync(draft, file);
  }
}
