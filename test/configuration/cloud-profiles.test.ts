// deployctl's profiles, and the precedence of flags, variables and profile.
import { statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import {
  profileNamed,
  profileNameFault,
  readProfiles,
  removedSettingsOf,
  writeProfiles,
} from "../../source/configuration/cloud-profiles.ts";
import { cloudSettings } from "../../source/configuration/cloud-settings.ts";
import { temporaryFolder } from "../support/model-store.ts";

let file: string;

beforeEach(() => {
  file = path.join(temporaryFolder(), "below", "profiles.toml");
});

describe("the profile file", () => {
  test("may be missing: then there is one empty profile", () => {
    expect(readProfiles(file)).toEqual({ current: "local", profiles: { local: {} } });
  });

  test("is read as written, only by its owner", () => {
    const profiles = {
      current: "work",
      profiles: { local: {}, work: { server: "https://host:8481", key: 'dk_"\\\n' } },
    };
    writeProfiles(file, profiles);
    expect(readProfiles(file)).toEqual(profiles);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(path.dirname(file)).mode & 0o077).toBe(0);
  });

  test.each([
    ["current = ", "cannot be read"],
    ["current = 3", "does not name a current profile"],
    ["profiles = 3", "not a table"],
    ["[profiles]\nwork = 3", "not a table"],
    ['[profiles.work]\ncolour = "red"', "unknown setting 'colour'"],
  ])("with %j is refused with its name", (text, reason) => {
    writeProfiles(file, { current: "local", profiles: {} });
    writeFileSync(file, text);
    expect(() => readProfiles(file)).toThrow(
      expect.objectContaining({
        code: "CONFIGURATION_FILE_INVALID",
        message: expect.stringContaining(reason),
      }),
    );
  });

  test("may have settings that were removed; they are named, and dropped by the next change", () => {
    writeProfiles(file, { current: "local", profiles: {} });
    expect(removedSettingsOf(file, "work", {})).toEqual([]);
    writeFileSync(file, '[profiles.work]\ngateway-workers = "2"\nlisten = "127.0.0.1:1"\n');
    expect(removedSettingsOf(file, "work", {})).toEqual(["gateway-workers"]);
    expect(removedSettingsOf(file, "local", {})).toEqual([]);
    const variables = { DEPLOYCTL_GATEWAY_WORKERS: "2" };
    expect(removedSettingsOf(file, "local", variables)).toEqual(["gateway-workers"]);
    expect(readProfiles(file).profiles.work).toEqual({ listen: "127.0.0.1:1" });
  });

  test("lists its profiles", () => {
    const profiles = { current: "local", profiles: { local: {}, work: {} } };
    expect(() => profileNamed(profiles, "toString")).toThrow(
      expect.objectContaining({ hint: "Known profiles: local, work." }),
    );
  });

  test("has profiles with simple names", () => {
    expect(profileNameFault("work-1.eu")).toBeUndefined();
    for (const name of ["", "-a", "a b", "a/b", "ä", "a".repeat(64)]) {
      expect(profileNameFault(name)).toBeTypeOf("string");
    }
  });
});

test("flags override variables, which override the profile; empty values are ignored", () => {
  const found = cloudSettings({
    flag: (name) => (name === "org" ? "flagged" : undefined),
    environment: {
      DEPLOYCTL_ORG: "variable",
      DEPLOYCTL_MACHINE_TYPE: "any",
      DEPLOYCTL_LISTEN: "",
      DEPLOYCTL_STATE_DIR: "/state",
      // For callers of apps; the profile's admin key applies.
      DEPLOYCTL_KEY: "dk_of_callers",
    },
    profileName: "work",
    profile: { org: "profiled", listen: "127.0.0.1:9000", key: "dk_1" },
  });
  expect(found).toEqual({
    org: { value: "flagged", origin: "--org" },
    "machine-type": { value: "any", origin: "DEPLOYCTL_MACHINE_TYPE" },
    listen: { value: "127.0.0.1:9000", origin: "profile work" },
    "state-dir": { value: "/state", origin: "DEPLOYCTL_STATE_DIR" },
    key: { value: "dk_1", origin: "profile work" },
  });
  const own = { DEPLOYCTL_ADMIN_KEY: "dk_2" };
  const { key } = cloudSettings({
    ...{ environment: own, profileName: "work", profile: { key: "dk_1" } },
    flag: () => undefined,
  });
  expect(key).toEqual({ value: "dk_2", origin: "DEPLOYCTL_ADMIN_KEY" });
});
