// Certificate of modelctl's server, from its settings.
import { mkdirSync } from "node:fs";
import type { Server } from "node:http";
import { Server as TlsServer } from "node:https";
import { hostname } from "node:os";
import path from "node:path";
import { describeError, ProductError } from "../../base/product-error.ts";
import { machineAddresses, type ServerAddress } from "../../configuration/address.ts";
import { configurationErrors } from "../../configuration/errors.ts";
import { writingState } from "../../configuration/paths.ts";
import type { Settings } from "../../configuration/settings.ts";
import {
  type CertificateFiles,
  type CertificatePair,
  readCertificate,
  watchCertificate,
} from "../../tls/certificate-files.ts";
import { authorityFile, ensureSelfSigned } from "../../tls/self-signed.ts";

export class ServerCertificate {
  readonly #files: CertificateFiles;
  /** The certificate as it was read at first. */
  readonly pair: CertificatePair;
  /** File with the authority that clients must trust; undefined for the user's own certificate. */
  readonly authority: string | undefined;

  private constructor(files: CertificateFiles, authority: string | undefined) {
    this.#files = files;
    this.pair = readCertificate(files);
    this.authority = authority;
  }

  /**
   * Creates a self-signed certificate that is missing, about to expire, or for other names.
   *
   * @throws ProductError `CONFIGURATION_SETTING_INVALID`, `TLS_CERTIFICATE_UNUSABLE`,
   *   `CONFIGURATION_STATE_UNWRITABLE`
   */
  static async open(
    settings: Pick<Settings, "tls" | "tls_cert" | "tls_key">,
    address: ServerAddress | undefined,
    stateFolder: string,
  ): Promise<ServerCertificate> {
    const { tls, tls_cert: certificateFile, tls_key: keyFile } = settings;
    if (tls !== undefined && (certificateFile ?? keyFile) !== undefined) {
      throw invalid("tls and tls_cert cannot be used together.", "Use one.");
    }
    if (tls === undefined) {
      if (certificateFile === undefined || keyFile === undefined) {
        throw invalid("tls_cert and tls_key must be used together.", "Give both files.");
      }
      return new ServerCertificate({ certificateFile, keyFile }, undefined);
    }
    const folder = path.join(stateFolder, "tls");
    writingState(stateFolder, () => mkdirSync(folder, { recursive: true, mode: 0o700 }));
    const files = await ensureSelfSigned(folder, namesOf(address));
    return new ServerCertificate(files, authorityFile(folder));
  }

  /**
   * Uses a certificate of the user's from when its files change. A self-signed one is renewed at start.
   *
   * @param onChange called with the new one
   * @returns stops watching
   */
  watch(server: Server, onChange: (pair: CertificatePair) => void, log: (text: string) => void) {
    if (this.authority !== undefined) return () => {};
    return watchCertificate(this.#files, {
      onChange: (pair) => {
        if (server instanceof TlsServer) server.setSecureContext(pair);
        onChange(pair);
        log(`reloaded the certificate ${this.#files.certificateFile}`);
      },
      onFailure: (error) => log(`${describeError(error)} The previous certificate stays in use.`),
    });
  }
}

/** Returns the names and addresses by which clients reach the server. */
function namesOf(address: ServerAddress | undefined): string[] {
  if (address === undefined) return [];
  const isEverywhere = address.host === "0.0.0.0" || address.host === "::";
  return [hostname(), ...(isEverywhere ? machineAddresses() : [address.host])];
}

function invalid(message: string, hint: string): ProductError {
  return new ProductError(configurationErrors.settingInvalid, { message, hint });
}
