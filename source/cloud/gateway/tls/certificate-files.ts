// A certificate and its key in two files, read again when they change.
import { readFileSync, statSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { describeError, ProductError } from "../../../base/product-error.ts";
import { cloudErrors } from "../../errors.ts";

export interface CertificateFiles {
  certificateFile: string;
  keyFile: string;
}

export interface CertificatePair {
  cert: string;
  key: string;
}

/**
 * Reads both and sees that they belong together.
 *
 * @throws ProductError `CLOUD_CERTIFICATE_UNUSABLE`
 */
export function readCertificate({ certificateFile, keyFile }: CertificateFiles): CertificatePair {
  try {
    const pair = {
      cert: readFileSync(certificateFile, "utf8"),
      key: readFileSync(keyFile, "utf8"),
    };
    createSecureContext(pair);
    return pair;
  } catch (cause) {
    throw new ProductError(cloudErrors.certificateUnusable, {
      message: `The certificate ${certificateFile} with the key ${keyFile} cannot be used: ${describeError(cause)}.`,
      hint: "Give a PEM file with the whole chain, and the PEM key that belongs to it.",
      cause,
    });
  }
}

export interface WatchOptions {
  onChange: (pair: CertificatePair) => void;
  /** The old pair stays in use. */
  onFailure: (error: unknown) => void;
  intervalMs?: number | undefined;
}

const defaultIntervalMs = 5000;

/**
 * Looks again and again, because renewing tools replace files, or links to them. The two files are
 * replaced one after the other: they are read once they have stayed as they are for one look.
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

/** Another text whenever one of the two is another file, or has other content. */
function stateOf({ certificateFile, keyFile }: CertificateFiles): string {
  return `${stateOfFile(certificateFile)}, ${stateOfFile(keyFile)}`;
}

function stateOfFile(file: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(file);
    return `${ino} ${size} ${mtimeMs}`;
  } catch (error) {
    // Missing for a moment, or for good: reading it tells why.
    return describeError(error);
  }
}
