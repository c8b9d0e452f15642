// A certificate and its key in two files, read again when they change.
import { readFileSync, unwatchFile, watchFile } from "node:fs";
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
  intervalMs?: number;
}

/** Renewing tools replace files or links to them, which only looking again and again sees. */
const defaultIntervalMs = 5000;
/** The two files are replaced one after the other. */
const settleMs = 200;

/** @returns stops watching */
export function watchCertificate(files: CertificateFiles, options: WatchOptions): () => void {
  const { onChange, onFailure, intervalMs: interval = defaultIntervalMs } = options;
  let timer: NodeJS.Timeout | undefined;
  const readAgain = () => {
    try {
      onChange(readCertificate(files));
    } catch (error) {
      onFailure(error);
    }
  };
  const onFile = () => {
    clearTimeout(timer);
    timer = setTimeout(readAgain, settleMs).unref();
  };
  const names = [files.certificateFile, files.keyFile];
  for (const name of names) watchFile(name, { interval, persistent: false }, onFile);
  return () => {
    clearTimeout(timer);
    for (const name of names) unwatchFile(name, onFile);
  };
}
