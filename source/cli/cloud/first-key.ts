// Saves an admin key in the profile of a new server, for use by other programs.
import type { AdminClient } from "../../cloud/admin/admin-client.ts";
import { writeProfiles } from "../../configuration/cloud-profiles.ts";
import { cloudPaths } from "../../configuration/cloud-settings.ts";
import { tell } from "./print.ts";
import type { Session } from "./session.ts";

/**
 * Only where the server has no key at all, and is the profile's own. A key in the profile that
 * belonged to an earlier state of this server is useless.
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
