// Certificate and key files, read again when they change.
import { X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { describeError, ProductError } from "../base/product-error.ts";
import { tlsErrors } from "./errors.ts";

export interface CertificateFiles {
  certificateFile: string;
  keyFile: string;
}

export interface CertificatePair {
  cert: string;
  key: string;
}

/**
 * Reads both, and checks that they match and have not expired.
 *
 * @throws ProductError `TLS_CERTIFICATE_UNUSABLE`
 */
export function readCertificate(files: CertificateFiles): CertificatePair {
  const pair = readPair(files);
  const { validToDate } = new X509Certificate(pair.cert);
  if (validToDate.getTime() > Date.now()) return pair;
  const { certificateFile } = files;
  throw new ProductError(tlsErrors.certificateUnusable, {
    message: `The certificate ${certificateFile} expired on ${validToDate.toISOString().slice(0, 10)}.`,
    hint: "Renew it, and start again.",
  });
}

/**
 * Reads both, which may have expired, and checks that they match.
 *
 * @throws ProductError `TLS_CERTIFICATE_UNUSABLE`
 */
export function readPair({ certificateFile, keyFile }: CertificateFiles): CertificatePair {
  try {
    const pair = {
      cert: readFileSync(certificateFile, "utf8"),
      key: readFileSync(keyFile, "utf8"),
    };
    createSecureContext(pair);
    return pair;
  } catch (cause) {
    throw new ProductError(tlsErrors.certificateUnusable, {
      message: `Cannot use the certificate ${certificateFile} with the key ${keyFile}: ${describeError(cause)}.`,
      hint: "Pass a PEM file with the full chain, and its PEM key.",
      cause,
    });
  }
}

export interface WatchOptions {
  onChange: (pair: CertificatePair) => void;
  /** Called when the new pair is unusable; the old one stays in use. */
  onFailure: (error: unknown) => void;
  intervalMs?: number | undefined;
}

const defaultIntervalMs = 5000;

/**
 * Polls, because renewal tools replace files or links to them. Reads the files once they have not
 * changed for one interval, since the two are replaced one after the other.
 *
 * @returns stops watching
 */
export function watchCertificate(files: CertificateFiles, options: WatchOptions): () => void {
  const { onChange, onFailure, intervalMs = defaultIntervalMs } = options;
  let read = stateOf(files);
  let seen = read;
  const look = () => {
    const now = stateOf(files);
    const isSettled = now === seen;
    seen = now;
    if (now === read || !isSettled) return;
    read = now;
    try {
      onChange(readCertificate(files));
    } catch (error) {
      onFailure(error);
    }
  };
  const timer = setInterval(look, intervalMs).unref();
  return () => clearInterval(timer);
}

/** Fingerprint that changes when either file is replaced or modified. */
function stateOf({ certificateFile, keyFile }: CertificateFiles): string {
  return `${stateOfFile(certificateFile)}, ${stateOfFile(keyFile)}`;
}

function stateOfFile(file: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(file);
    return `${ino} ${size} ${mtimeMs}`;
  } catch (error) {
    // Reading a missing file reports the reason.
    return describeError(error);
  }
}
