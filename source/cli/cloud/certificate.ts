// The certificate authority of this machine's server that callers have to trust, if it has one.
import { existsSync } from "node:fs";
import { authorityFile } from "../../application/cloud-certificate.ts";
import { type Session, settingOf } from "./session.ts";

/** @returns undefined for plain HTTP, and for certificates that somebody else has signed */
export function certificateOf(session: Session, url: string): string | undefined {
  if (!url.startsWith("https:")) return undefined;
  if (settingOf(session, "server") !== undefined) return settingOf(session, "ca");
  const file = authorityFile(session.stateFolder);
  return existsSync(file) ? file : undefined;
}
