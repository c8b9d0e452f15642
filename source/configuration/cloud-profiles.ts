// deployctl's profiles: named settings in one TOML file that only its owner can read.

import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parse, stringify } from "smol-toml";
import { isRecord } from "../base/json.ts";
import { ProductError } from "../base/product-error.ts";
import {
  type CloudSettingName,
  isCloudSettingName,
  removedSettings,
  variableOf,
} from "./cloud-settings.ts";
import { configurationErrors } from "./errors.ts";

export type Profile = Partial<Record<CloudSettingName, string>>;

export interface Profiles {
  /** Used when none is named. */
  current: string;
  profiles: Record<string, Profile>;
}

export const defaultProfile = "local";

/**
 * Reads the profiles. Without a file there is one, which is empty.
 *
 * @throws ProductError `CONFIGURATION_FILE_INVALID`
 */
export function readProfiles(file: string): Profiles {
  if (!existsSync(file)) return { current: defaultProfile, profiles: { [defaultProfile]: {} } };
  const { current = defaultProfile, profiles = {} } = parseFile(file);
  if (typeof current !== "string") throw invalid(file, "does not name a current profile");
  if (!isRecord(profiles)) throw invalid(file, "has a 'profiles' entry that is not a table");
  const read = Object.entries(profiles).map(([name, values]) => [
    name,
    readProfile(file, name, values),
  ]);
  return { current, profiles: { [defaultProfile]: {}, ...Object.fromEntries(read) } };
}

/** Returns removed settings that a profile or the environment still has; they have no effect. */
export function removedSettingsOf(
  file: string,
  profileName: string,
  environment: NodeJS.ProcessEnv,
): string[] {
  const { profiles } = existsSync(file) ? parseFile(file) : {};
  const profile = isRecord(profiles) ? profiles[profileName] : undefined;
  return removedSettings.filter((name) => {
    return environment[variableOf(name)] || (isRecord(profile) && Object.hasOwn(profile, name));
  });
}

function parseFile(file: string): Record<string, unknown> {
  try {
    return parse(readFileSync(file, "utf8"));
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    throw invalid(file, `cannot be read: ${reason}`, error);
  }
}

/** Replaces the file as a whole, with mode 0600. */
export function writeProfiles(file: string, profiles: Profiles): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const unfinished = `${file}.${randomBytes(6).toString("hex")}`;
  const head = "# Written by deployctl profile and deployctl login. Keys in here are secret.\n";
  writeFileSync(unfinished, head + stringify({ ...profiles }), { mode: 0o600, flag: "wx" });
  chmodSync(unfinished, 0o600);
  renameSync(unfinished, file);
}

/** @throws ProductError `CONFIGURATION_PROFILE_UNKNOWN` */
export function profileNamed({ profiles }: Profiles, name: string): Profile {
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile !== undefined) return profile;
  throw new ProductError(configurationErrors.profileUnknown, {
    message: `Profile '${name}' does not exist.`,
    hint: `Known profiles: ${Object.keys(profiles).join(", ")}.`,
  });
}

/** Returns why a profile's name is invalid, as the end of a sentence; undefined for a valid one. */
export function profileNameFault(name: string): string | undefined {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(name)
    ? undefined
    : "may contain letters, digits, dots, hyphens and underscores, and must begin with a letter or digit";
}

function readProfile(file: string, name: string, values: unknown): Profile {
  if (!isRecord(values)) throw invalid(file, `has a profile '${name}' that is not a table`);
  const profile: Profile = {};
  for (const [setting, value] of Object.entries(values)) {
    if (removedSettings.includes(setting)) continue;
    if (!isCloudSettingName(setting)) {
      throw invalid(file, `has an unknown setting '${setting}' in profile '${name}'`);
    }
    profile[setting] = String(value);
  }
  return profile;
}

function invalid(file: string, fault: string, cause?: unknown): ProductError {
  return new ProductError(configurationErrors.fileInvalid, {
    message: `The profile file ${file} ${fault}.`,
    hint: "Fix or move the file.",
    cause,
  });
}
