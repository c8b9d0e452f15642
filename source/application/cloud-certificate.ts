// Where this machine's server keeps the certificate authority that it has made.
import path from "node:path";
import { authorityFile as authorityFileIn } from "../cloud/gateway/tls/self-signed.ts";

export function tlsFolder(stateFolder: string): string {
  return path.join(stateFolder, "tls");
}

/** It is there once a server was started with a self-signed certificate. */
export function authorityFile(stateFolder: string): string {
  return authorityFileIn(tlsFolder(stateFolder));
}
