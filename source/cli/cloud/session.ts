// Settings of a deployctl command: from flags, variables and the profile.
import path from "node:path";
import {
  type Profile,
  type Profiles,
  profileNamed,
  readProfiles,
} from "../../configuration/cloud-profiles.ts";
import {
  type CloudSettingName,
  type CloudSettings,
  cloudSettings,
} from "../../configuration/cloud-settings.ts";
import { cloudPaths } from "../../configuration/paths.ts";
import type { Flags } from "./flags.ts";

export interface Session {
  flags: Flags;
  settings: CloudSettings;
  /** State folder of this machine's server. */
  stateFolder: string;
  profileFile: string;
  profiles: Profiles;
  profileName: string;
  profile: Profile;
}

/** @throws ProductError `CONFIGURATION_FILE_INVALID`, `CONFIGURATION_PROFILE_UNKNOWN` */
export function openSession(flags: Flags): Session {
  const paths = cloudPaths();
  const profiles = readProfiles(paths.profileFile);
  const profileName = flags.profile ?? (process.env.DEPLOYCTL_PROFILE || profiles.current);
  const profile = profileNamed(profiles, profileName);
  const settings = cloudSettings({
    flag: (name) => flags[flagOf(name)],
    environment: process.env,
    profileName,
    profile,
  });
  const stateFolder = path.resolve(settings["state-dir"]?.value ?? paths.stateFolder);
  return {
    flags,
    settings,
    stateFolder,
    profileFile: paths.profileFile,
    profiles,
    profileName,
    profile,
  };
}

type FlagOf<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<FlagOf<Rest>>}`
  : Name;

/** Returns the flag of a setting: `stateDir` for `state-dir`. */
export function flagOf<Name extends CloudSettingName>(name: Name): FlagOf<Name> {
  return name.replaceAll(/-./g, (it) => it.charAt(1).toUpperCase()) as FlagOf<Name>;
}

export function settingOf({ settings }: Session, name: CloudSettingName): string | undefined {
  return settings[name]?.value;
}
