// deployctl login, and profile list, show, key, set, unset, use, delete.
import path from "node:path";
import { AdminClient } from "../../../cloud/admin/admin-client.ts";
import { isLoopback } from "../../../configuration/address.ts";
import {
  defaultProfile,
  type Profiles,
  profileNamed,
  profileNameFault,
  readProfiles,
  writeProfiles,
} from "../../../configuration/cloud-profiles.ts";
import {
  type CloudSettingName,
  cloudSettingNames,
  cloudSettingTexts,
  isCloudSettingName,
  variableOf,
} from "../../../configuration/cloud-settings.ts";
import { cloudPaths } from "../../../configuration/paths.ts";
import { readSecretLine } from "../../confirm.ts";
import { usageError } from "../../errors.ts";
import { warn } from "../../output.ts";
import type { Run } from "../../program/definition.ts";
import { formatTable } from "../../table.ts";
import { printAnswer } from "../print.ts";
import { readPairs } from "../read-values.ts";
import { openSession, settingOf } from "../session.ts";
import { authorityIn, serverUrl } from "../target.ts";
import type { profileCommands } from "./settings.definition.ts";

export const login: Run<typeof profileCommands.login> = async ([address], flags) => {
  const url = serverUrl(address);
  const { protocol, hostname } = new URL(url);
  if (protocol === "http:" && !isLoopback(hostname.replace(/^\[|\]$/g, ""))) {
    warn("The address is plain HTTP: the key is sent unencrypted.");
  }
  const name = flags.profile ?? hostname.replaceAll(/[^A-Za-z0-9._-]/g, "-");
  const fault = profileNameFault(name);
  if (fault !== undefined) throw usageError(`A profile's name ${fault}.`, "Use --profile NAME.");
  const key =
    flags.key ?? (process.env[variableOf("key")] || (await readSecretLine("Admin key: ")));
  const ca = flags.ca === undefined ? undefined : path.resolve(flags.ca);
  const client = new AdminClient({ url, key, certificateAuthority: ca && authorityIn(ca) });
  const { organisation, version } = await client.status();
  change((all) => {
    all.profiles[name] = {
      ...all.profiles[name],
      server: url,
      key,
      ...(ca !== undefined && { ca }),
    };
    all.current = name;
  });
  printAnswer(flags, {
    document: { profile: name, server: url, organisation, version },
    text: `profile ${name} now uses ${url} (organisation ${organisation}) and is the current profile\n`,
    names: [name],
  });
};

export const listProfiles: Run<typeof profileCommands.listProfiles> = async (_words, flags) => {
  const { profiles, current } = readProfiles(cloudPaths().profileFile);
  const rows = Object.entries(profiles).map(([name, profile]) => [
    name === current ? `${name} *` : name,
    profile.server ?? "this machine",
    profile.org ?? "-",
    profile.key === undefined ? "no" : "yes",
  ]);
  printAnswer(flags, {
    document: { current, profiles: Object.keys(profiles) },
    text: formatTable(["profile", "server", "org", "key"], rows),
    names: Object.keys(profiles),
  });
};

/** Prints the settings in force and the source of each. */
export const showProfile: Run<typeof profileCommands.showProfile> = async ([name], flags) => {
  const session = openSession(name === undefined ? flags : { ...flags, profile: name });
  const settings = cloudSettingNames.flatMap((setting) => {
    const found = session.settings[setting];
    return found === undefined
      ? []
      : [{ name: setting, value: shown(setting, found.value), origin: found.origin }];
  });
  const rows = settings.map((setting) => [setting.name, setting.value, setting.origin]);
  printAnswer(flags, {
    document: { profile: session.profileName, file: session.profileFile, settings },
    text: `${formatTable(["setting", "value", "from"], rows)}profile ${session.profileName}, file ${session.profileFile}\n`,
    names: [session.profileName],
  });
};

/** Prints only the key, for `export DEPLOYCTL_KEY=$(deployctl profile key)`. */
export const showProfileKey: Run<typeof profileCommands.showProfileKey> = async (_words, flags) => {
  const session = openSession(flags);
  const key = settingOf(session, "key");
  if (key === undefined) {
    throw usageError(
      `Profile ${session.profileName} has no key.`,
      "Run deployctl up to create one, or deployctl login to save one.",
    );
  }
  printAnswer(flags, { document: { key }, text: `${key}\n`, names: [key] });
};

export const setProfile: Run<typeof profileCommands.setProfile> = async (
  [name, ...pairs],
  flags,
) => {
  const fault = profileNameFault(name);
  if (fault !== undefined) throw usageError(`A profile's name ${fault}.`, "For example: work");
  const values = readPairs("profile set", pairs);
  const settings = Object.entries(values).map(
    ([setting, value]) => [settingNamed(setting), value] as const,
  );
  change((all) => {
    all.profiles[name] = { ...all.profiles[name], ...Object.fromEntries(settings) };
  });
  const names = Object.keys(values);
  printAnswer(flags, {
    document: { profile: name, set: names },
    text: `set ${names.join(", ")} in profile ${name}\n`,
    names: [name],
  });
};

export const unsetProfile: Run<typeof profileCommands.unsetProfile> = async (
  [name, ...settings],
  flags,
) => {
  const known = settings.map(settingNamed);
  change((all) => {
    const kept = Object.entries(profileNamed(all, name)).filter(
      ([setting]) => !known.some((gone) => gone === setting),
    );
    all.profiles[name] = Object.fromEntries(kept);
  });
  printAnswer(flags, {
    document: { profile: name, unset: known },
    text: `unset ${known.join(", ")} in profile ${name}\n`,
    names: [name],
  });
};

export const useProfile: Run<typeof profileCommands.useProfile> = async ([name], flags) => {
  change((all) => {
    profileNamed(all, name);
    all.current = name;
  });
  printAnswer(flags, {
    document: { current: name },
    text: `profile ${name} is now the current profile\n`,
    names: [name],
  });
};

export const deleteProfile: Run<typeof profileCommands.deleteProfile> = async ([name], flags) => {
  change((all) => {
    profileNamed(all, name);
    delete all.profiles[name];
    if (all.current === name) all.current = defaultProfile;
  });
  printAnswer(flags, {
    document: { profile: name, deleted: true },
    text: `deleted profile ${name}\n`,
    names: [name],
  });
};

function change(edit: (profiles: Profiles) => void): void {
  const { profileFile } = cloudPaths();
  const profiles = readProfiles(profileFile);
  edit(profiles);
  writeProfiles(profileFile, profiles);
}

function settingNamed(name: string): CloudSettingName {
  if (isCloudSettingName(name)) return name;
  const all = cloudSettingNames.map((known) => `${known} (${cloudSettingTexts[known]})`);
  throw usageError(`Unknown setting '${name}'.`, `Known settings: ${all.join("; ")}.`);
}

function shown(name: CloudSettingName, value: string): string {
  return name === "key" ? `${value.slice(0, 6)}…` : value;
}
