// Data source of the deploy and console screens: the admin API and this machine.
import { shownModel } from "../../base/display-text.ts";
import { profileNamed } from "../../configuration/cloud-profiles.ts";
import { loadSettings } from "../../configuration/load-settings.ts";
import { productPaths } from "../../configuration/paths.ts";
import type { CloudAccess, CloudTarget, LocalModel } from "../../ui/app/cloud-access.ts";
import type { Flags } from "./flags.ts";
import { ScreenDrafts } from "./screen-drafts.ts";
import { screenScripts } from "./screen-scripts.ts";
import { ScreenServer } from "./screen-server.ts";
import { openSession, type Session, settingOf } from "./session.ts";

/**
 * @param flags of a server and its settings; they apply to the current profile
 * @throws ProductError `CONFIGURATION_FILE_INVALID`, `CONFIGURATION_PROFILE_UNKNOWN`
 */
export function createCloudAccess(flags: Flags): CloudAccess {
  // Commands must not write over the screen.
  const quiet: Flags = { ...flags, quiet: true };
  const current = openSession(quiet);
  const sessionOf = (profile: string | undefined): Session =>
    profile === undefined || profile === current.profileName
      ? openSession(quiet)
      : openSession({ quiet: true, profile });
  const server = (profile?: string) => {
    const session = sessionOf(profile);
    return new ScreenServer(session, targetOf(session, current.profileName));
  };
  return {
    drafts: new ScreenDrafts(productPaths().state),
    targets: async () => targets(current, sessionOf),
    server,
    scripts: screenScripts(sessionOf),
    localModels,
  };
}

function targets(
  { profiles, profileName }: Session,
  sessionOf: (profile: string) => Session,
): CloudTarget[] {
  const names = Object.keys(profiles.profiles).filter((name) => name !== profileName);
  profileNamed(profiles, profileName);
  return [profileName, ...names].map((name) => targetOf(sessionOf(name), profileName));
}

function targetOf(session: Session, currentProfile: string): CloudTarget {
  const server = settingOf(session, "server");
  return {
    profile: session.profileName,
    isCurrent: session.profileName === currentProfile,
    isLocal: server === undefined,
    place: server ?? "this machine",
    organisation: settingOf(session, "org"),
    environment: settingOf(session, "environment"),
    machineType: settingOf(session, "machine-type"),
  };
}

async function localModels(): Promise<LocalModel[]> {
  const { ModelLibrary } = await import("../../application/models/model-library.ts");
  const paths = productPaths();
  const { values } = loadSettings({ environment: process.env, file: paths.configurationFile });
  const { models } = await new ModelLibrary(values, paths).catalog.listModels();
  return models.map(({ name, sizeBytes }) => ({
    name: shownModel(name),
    sizeBytes,
  }));
}
