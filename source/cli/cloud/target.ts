// The server of a command: this machine's, which is started if needed, or a named one.
import { readFileSync } from "node:fs";
import path from "node:path";
import {
  adminSocket,
  findControlPlane,
  startSupervisor,
  untilEnded,
} from "../../application/cloud-host/cloud-server.ts";
import { isSupervised } from "../../application/cloud-host/server-processes.ts";
import { describeError, ProductError } from "../../base/product-error.ts";
import { AdminClient } from "../../cloud/admin/admin-client.ts";
import { environmentUnknown, mainEnvironment } from "../../cloud/app-name.ts";
import { cloudErrors } from "../../cloud/errors.ts";
import { writeProfiles } from "../../configuration/cloud-profiles.ts";
import { type CloudSettingName, cloudSettingNames } from "../../configuration/cloud-settings.ts";
import { cloudPaths } from "../../configuration/paths.ts";
import { usageError } from "../errors.ts";
import { type Flags, serverFlags } from "./flags.ts";
import { tell } from "./print.ts";
import { appReference, parseWebUrl } from "./read-values.ts";
import { flagOf, openSession, type Session, settingOf } from "./session.ts";

/** deployctl's entry file, also within modelctl. */
export const entryFile = path.join(
  import.meta.dirname,
  import.meta.filename.endsWith(".ts") ? "../deployctl.ts" : "deployctl.js",
);

/** Settings for a server in the background. */
const passedOn = cloudSettingNames.filter((name) => flagOf(name) in serverFlags);

/** Relative to the current folder, which a server in the background does not share. */
const files: readonly CloudSettingName[] = ["tls-cert", "tls-key"];

/** True when commands go to this machine's server. */
export function isLocal(session: Session): boolean {
  return settingOf(session, "server") === undefined;
}

/** Returns a client of the server, without starting one. @throws ProductError `CLOUD_KEY_REFUSED` */
export function clientOf(session: Session): AdminClient {
  const url = settingOf(session, "server");
  if (url === undefined) return new AdminClient({ socketPath: adminSocket(session.stateFolder) });
  const key = keyFor(session);
  if (key === undefined) {
    throw new ProductError(cloudErrors.keyRefused, {
      message: `The server ${url} requires an admin key.`,
      hint: `Run deployctl login ${url}, or set DEPLOYCTL_ADMIN_KEY.`,
    });
  }
  return new AdminClient({ url: serverUrl(url), key, certificateAuthority: authority(session) });
}

/** Returns the admin key. A profile's key is only sent to the profile's server. */
function keyFor({ settings, profileName }: Session): string | undefined {
  const ofProfile = `profile ${profileName}`;
  const isForeign = settings.key?.origin === ofProfile && settings.server?.origin !== ofProfile;
  return isForeign ? undefined : settings.key?.value;
}

/** Opens what a command on one app needs. @throws ProductError `COMMAND_USAGE` for another word */
export function openApp(flags: Flags, word: string) {
  const session = openSession(flags);
  const app = appReference(session, word);
  return { session, app, client: clientOf(session) };
}

/** Like `clientOf`, after starting this machine's server if none runs. */
export async function startedClientOf(session: Session): Promise<AdminClient> {
  if (isLocal(session)) await ensureCloudServer(session);
  return clientOf(session);
}

const startingSupervisor =
  "The supervisor has ended; starting a new one. The gateway and the control plane keep running.";

/** Starts this machine's server, or its supervisor, if none runs. @returns true if it did */
export async function ensureCloudServer(session: Session): Promise<boolean> {
  const { stateFolder, flags } = session;
  let running = await findControlPlane(stateFolder);
  // A server without a supervisor gets a new one.
  if (running?.isReady && (running.controlPlane === undefined || isSupervised(stateFolder))) {
    return false;
  }
  if (running?.isStopping) {
    tell(flags, "The control plane is stopping; starting another one after it.");
    await untilEnded(running, stateFolder);
    running = undefined;
  }
  if (running === undefined) tell(flags, "Starting the control plane…");
  else if (!isSupervised(stateFolder)) tell(flags, startingSupervisor);
  const words = ["up", "--foreground", ...upArguments(session)];
  const status = await startSupervisor({ entry: entryFile, words, stateFolder });
  if (running === undefined) {
    tell(flags, `Ready at ${status.baseUrl}.`);
    tellEncryption(session, status.gateway);
  }
  await saveFirstKey(session, clientOf(session));
  return true;
}

/** Reports HTTPS that no setting asked for. */
function tellEncryption(session: Session, gateway: string): void {
  const isAsked =
    settingOf(session, "tls") !== undefined || settingOf(session, "tls-cert") !== undefined;
  if (isAsked || !gateway.startsWith("https:")) return;
  tell(
    session.flags,
    "HTTPS is on, as other machines can reach this address. Callers must trust the server's own authority: deployctl tls trust.",
  );
}

/** @throws ProductError `COMMAND_USAGE` */
export function serverUrl(text: string): string {
  const url = parseWebUrl(text);
  if (url?.pathname === "/") return url.origin;
  throw usageError(`${text} is not a server address.`, "Use one such as https://host:8481.");
}

function authority(session: Session): string | undefined {
  const file = settingOf(session, "ca");
  return file === undefined ? undefined : authorityIn(file);
}

/** Reads a file with certificates. @throws ProductError `COMMAND_USAGE` */
export function authorityIn(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const reason = describeError(error);
    throw usageError(`The certificate authority cannot be read: ${reason}.`, "Check --ca.");
  }
}

/** Returns the arguments for a control plane in the background. */
export function upArguments(session: Session): string[] {
  const { flags, stateFolder, profileName } = session;
  const words = passedOn.flatMap((name) => {
    const value = settingOf(session, name);
    if (value === undefined) return [];
    return [`--${name}`, files.includes(name) ? path.resolve(value) : value];
  });
  if (flags.insecureHttp) words.push("--insecure-http");
  return ["--profile", profileName, "--state-dir", stateFolder, ...words];
}

/**
 * Saves an admin key in the profile of a new server, for other programs. Replaces the profile's key, which
 * is of an earlier state of the server. Does nothing if the server has keys, or is not the profile's.
 */
export async function saveFirstKey(session: Session, client: AdminClient): Promise<void> {
  const { flags, profiles, profile, profileName, profileFile, stateFolder } = session;
  const ownFolder = profile["state-dir"] ?? cloudPaths().stateFolder;
  if (profile.server !== undefined || stateFolder !== ownFolder) return;
  if ((await client.keys()).length > 0) return;
  const { token } = await client.createKey({
    scope: "admin",
    description: `profile ${profileName}`,
  });
  profiles.profiles[profileName] = { ...profile, key: token };
  writeProfiles(profileFile, profiles);
  tell(flags, `Saved an admin key in profile ${profileName} (${profileFile}).`);
}

/**
 * Returns the environment that a list is limited to; undefined for all.
 *
 * @throws ProductError `CLOUD_ENVIRONMENT_UNKNOWN`, as an empty list would hide a mistyped name
 */
export async function listedEnvironment(session: Session): Promise<string | undefined> {
  const environment = settingOf(session, "environment");
  if (environment === undefined || environment === mainEnvironment) return environment;
  const there = await clientOf(session).environments();
  if (there.some(({ name }) => name === environment)) return environment;
  throw environmentUnknown(environment, there);
}
