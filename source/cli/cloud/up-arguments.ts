// The arguments of a control plane in the background: flags of this call and its settings.
import path from "node:path";
import type { CloudSettingName } from "../../configuration/cloud-settings.ts";
import { type Session, settingOf } from "./session.ts";

const passedOn = [
  "org",
  "listen",
  "admin-listen",
  "base-url",
  "tls",
  "tls-cert",
  "tls-key",
  "behind-proxy",
  "port-range",
  "gateway-workers",
] as const satisfies readonly CloudSettingName[];

const files: readonly CloudSettingName[] = ["tls-cert", "tls-key"];

export function upArguments(session: Session): string[] {
  const { flags, stateFolder, profileName } = session;
  const words = passedOn.flatMap((name) => {
    const value = settingOf(session, name);
    if (value === undefined) return [];
    // It runs in another folder.
    return [`--${name}`, files.includes(name) ? path.resolve(value) : value];
  });
  if (flags.insecureHttp) words.push("--insecure-http");
  return ["--profile", profileName, "--state-dir", stateFolder, ...words];
}
