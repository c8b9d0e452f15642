// The server that a command talks to: this machine's, or a named one.
import { readFileSync } from "node:fs";
import path from "node:path";
import {
  adminSocket,
  findControlPlane,
  startControlPlane,
  untilEnded,
} from "../../application/control-plane-process.ts";
import { isSupervised } from "../../application/server-processes.ts";
import { ProductError } from "../../base/product-error.ts";
import { AdminClient } from "../../cloud/admin/admin-client.ts";
import { cloudErrors } from "../../cloud/errors.ts";
import { usageError } from "../errors.ts";
import { saveFirstKey } from "./first-key.ts";
import { tell } from "./print.ts";
import { type Session, settingOf } from "./session.ts";
import { upArguments } from "./up-arguments.ts";

/** deployctl's own entry file, also where modelctl calls this: what starts the server. */
export const entryFile = path.join(
  import.meta.dirname,
  "..",
  `deployctl${path.extname(import.meta.filename)}`,
);

/** True when commands go to this machine's server. */
export function isLocal(session: Session): boolean {
  return settingOf(session, "server") === undefined;
}

/** A client of the server; commands over it fail when none runs. */
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

/** A profile's key is for the profile's own server, and is sent to no other. */
function keyFor({ settings, profileName }: Session): string | undefined {
  const ofProfile = `profile ${profileName}`;
  const isForeign = settings.key?.origin === ofProfile && settings.server?.origin !== ofProfile;
  return isForeign ? undefined : settings.key?.value;
}

/** The same, after starting this machine's server when none runs. */
export async function startedClientOf(session: Session): Promise<AdminClient> {
  if (isLocal(session)) await ensureControlPlane(session);
  return clientOf(session);
}

/** @returns whether one had to be started */
export async function ensureControlPlane(session: Session): Promise<boolean> {
  const { stateFolder, flags } = session;
  let running = await findControlPlane(stateFolder);
  // A server whose supervisor has died gets another one.
  if (running?.isReady && (running.controlPlane === undefined || isSupervised(stateFolder))) {
    return false;
  }
  if (running?.isStopping) {
    tell(flags, "The control plane is stopping; starting another one after it.");
    await untilEnded(running, stateFolder);
    running = undefined;
  }
  if (running === undefined) tell(flags, "Starting the control plane…");
  const words = ["up", "--foreground", ...upArguments(session)];
  const status = await startControlPlane({ entry: entryFile, words, stateFolder });
  if (running === undefined) {
    tell(flags, `Ready at ${status.baseUrl}.`);
    tellEncryption(session, status.gateway);
  }
  await saveFirstKey(session, clientOf(session));
  return running === undefined;
}

/** Tells that HTTPS was turned on where no setting asked for it. */
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
  const url = URL.parse(text);
  const isHttp = url?.protocol === "http:" || url?.protocol === "https:";
  if (url !== null && isHttp && url.pathname === "/" && url.search === "") return url.origin;
  throw usageError(`${text} is not a server address.`, "Use one such as https://host:8481.");
}

function authority(session: Session): string | undefined {
  const file = settingOf(session, "ca");
  return file === undefined ? undefined : authorityIn(file);
}

/** A file's certificates. @throws ProductError `COMMAND_USAGE` */
export function authorityIn(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw usageError(`The certificate authority cannot be read: ${reason}.`, "Check --ca.");
  }
}
