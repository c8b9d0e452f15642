// deployctl as a program: all its commands, in the order of its help.
import {
  completeDefinition,
  completionDefinition,
  versionDefinition,
} from "../commands/tools.definition.ts";
import { command, type Program } from "../program/definition.ts";
import {
  appRunnersDefinition,
  deleteAppDefinition,
  listAppsDefinition,
  pauseAppDefinition,
  resumeAppDefinition,
  scaleAppDefinition,
  showAppDefinition,
} from "./commands/apps.definition.ts";
import {
  engineManifestDefinition,
  showEngineDefinition,
  useEngineDefinition,
} from "./commands/engine.definition.ts";
import {
  createKeyDefinition,
  listKeysDefinition,
  revokeKeyDefinition,
  rotateKeyDefinition,
} from "./commands/keys.definition.ts";
import { logsDefinition, usageDefinition } from "./commands/logs.definition.ts";
import {
  deleteRevisionDefinition,
  listRevisionsDefinition,
  pinRevisionDefinition,
  rollbackDefinition,
  rolloutDefinition,
  setRevisionDefinition,
  unpinRevisionDefinition,
} from "./commands/revisions.definition.ts";
import {
  execRunnerDefinition,
  killRunnerDefinition,
  listRunnersDefinition,
  runnerLogsDefinition,
  stopRunnerDefinition,
} from "./commands/runners.definition.ts";
import {
  deployDefinition,
  initDefinition,
  inspectDefinition,
  runDefinition,
} from "./commands/scripts.definition.ts";
import {
  doctorDefinition,
  downDefinition,
  startDefinition,
  statusDefinition,
  upDefinition,
} from "./commands/server.definition.ts";
import {
  installServiceDefinition,
  removeServiceDefinition,
  showServiceDefinition,
} from "./commands/service.definition.ts";
import {
  backUpStateDefinition,
  checkStateDefinition,
  deleteProfileDefinition,
  listProfilesDefinition,
  loginDefinition,
  profileKeyDefinition,
  restoreStateDefinition,
  setProfileDefinition,
  showProfileDefinition,
  tlsTrustDefinition,
  unsetProfileDefinition,
  useProfileDefinition,
} from "./commands/settings.definition.ts";
import {
  listSecretsDefinition,
  listVariablesDefinition,
  setSecretDefinition,
  setVariablesDefinition,
  unsetSecretDefinition,
  unsetVariableDefinition,
} from "./commands/variables.definition.ts";
import { commonFlags } from "./flags.ts";

export const deployctlProgram: Program = {
  name: "deployctl",
  title: "private endpoints from a script",
  start: command(
    startDefinition,
    async () => (await import("./commands/open-screens.ts")).openScreens,
  ),
  groups: [
    {
      title: "Server",
      commands: [
        command(upDefinition, async () => (await import("./commands/up.ts")).up),
        command(downDefinition, async () => (await import("./commands/down.ts")).down),
        command(statusDefinition, async () => (await import("./commands/status.ts")).status),
        command(
          installServiceDefinition,
          async () => (await import("./commands/service.ts")).installService,
        ),
        command(
          removeServiceDefinition,
          async () => (await import("./commands/service.ts")).uninstallService,
        ),
        command(
          showServiceDefinition,
          async () => (await import("./commands/service.ts")).showService,
        ),
      ],
    },
    {
      title: "Scripts",
      commands: [
        command(initDefinition, async () => (await import("./commands/init.ts")).init),
        command(inspectDefinition, async () => (await import("./commands/inspect.ts")).inspect),
        command(runDefinition, async () => (await import("./commands/run.ts")).run),
        command(deployDefinition, async () => (await import("./commands/deploy.ts")).deploy),
        command(rollbackDefinition, async () => (await import("./commands/revisions.ts")).rollback),
      ],
    },
    {
      title: "Apps",
      commands: [
        command(listAppsDefinition, async () => (await import("./commands/apps.ts")).listApps),
        command(showAppDefinition, async () => (await import("./commands/apps.ts")).showApp),
        command(scaleAppDefinition, async () => (await import("./commands/apps.ts")).scaleApp),
        command(pauseAppDefinition, async () => (await import("./commands/apps.ts")).pauseApp),
        command(resumeAppDefinition, async () => (await import("./commands/apps.ts")).resumeApp),
        command(deleteAppDefinition, async () => (await import("./commands/apps.ts")).deleteApp),
        command(
          listRevisionsDefinition,
          async () => (await import("./commands/revisions.ts")).listRevisions,
        ),
        command(
          setRevisionDefinition,
          async () => (await import("./commands/revisions.ts")).setRevision,
        ),
        command(
          deleteRevisionDefinition,
          async () => (await import("./commands/revisions.ts")).deleteRevision,
        ),
        command(
          pinRevisionDefinition,
          async () => (await import("./commands/revisions.ts")).pinRevision,
        ),
        command(
          unpinRevisionDefinition,
          async () => (await import("./commands/revisions.ts")).unpinRevision,
        ),
        command(rolloutDefinition, async () => (await import("./commands/revisions.ts")).rollout),
        command(appRunnersDefinition, async () => (await import("./commands/apps.ts")).appRunners),
      ],
    },
    {
      title: "Runners",
      commands: [
        command(
          listRunnersDefinition,
          async () => (await import("./commands/runners.ts")).listRunners,
        ),
        command(
          stopRunnerDefinition,
          async () => (await import("./commands/runners.ts")).stopRunner,
        ),
        command(
          killRunnerDefinition,
          async () => (await import("./commands/runners.ts")).killRunner,
        ),
        command(
          runnerLogsDefinition,
          async () => (await import("./commands/runners.ts")).runnerLogs,
        ),
        command(
          execRunnerDefinition,
          async () => (await import("./commands/runners.ts")).execRunner,
        ),
      ],
    },
    {
      title: "Keys, secrets and variables",
      commands: [
        command(createKeyDefinition, async () => (await import("./commands/keys.ts")).createKey),
        command(listKeysDefinition, async () => (await import("./commands/keys.ts")).listKeys),
        command(revokeKeyDefinition, async () => (await import("./commands/keys.ts")).revokeKey),
        command(rotateKeyDefinition, async () => (await import("./commands/keys.ts")).rotateKey),
        command(setSecretDefinition, async () => (await import("./commands/secrets.ts")).setSecret),
        command(
          listSecretsDefinition,
          async () => (await import("./commands/secrets.ts")).listSecrets,
        ),
        command(
          unsetSecretDefinition,
          async () => (await import("./commands/secrets.ts")).unsetSecret,
        ),
        command(
          listVariablesDefinition,
          async () => (await import("./commands/env.ts")).listVariables,
        ),
        command(
          setVariablesDefinition,
          async () => (await import("./commands/env.ts")).setVariables,
        ),
        command(
          unsetVariableDefinition,
          async () => (await import("./commands/env.ts")).unsetVariable,
        ),
      ],
    },
    {
      title: "Logs and usage",
      commands: [
        command(logsDefinition, async () => (await import("./commands/logs.ts")).logs),
        command(usageDefinition, async () => (await import("./commands/usage.ts")).usage),
      ],
    },
    {
      title: "Engine",
      commands: [
        command(useEngineDefinition, async () => (await import("./commands/engine.ts")).useEngine),
        command(
          showEngineDefinition,
          async () => (await import("./commands/engine.ts")).showEngine,
        ),
        command(
          engineManifestDefinition,
          async () => (await import("./commands/engine-manifest.ts")).engineManifest,
        ),
      ],
    },
    {
      title: "Settings and tools",
      commands: [
        command(loginDefinition, async () => (await import("./commands/login.ts")).login),
        command(
          listProfilesDefinition,
          async () => (await import("./commands/profile.ts")).listProfiles,
        ),
        command(
          showProfileDefinition,
          async () => (await import("./commands/profile.ts")).showProfile,
        ),
        command(
          profileKeyDefinition,
          async () => (await import("./commands/profile.ts")).showProfileKey,
        ),
        command(
          setProfileDefinition,
          async () => (await import("./commands/profile.ts")).setProfile,
        ),
        command(
          unsetProfileDefinition,
          async () => (await import("./commands/profile.ts")).unsetProfile,
        ),
        command(
          useProfileDefinition,
          async () => (await import("./commands/profile.ts")).useProfile,
        ),
        command(
          deleteProfileDefinition,
          async () => (await import("./commands/profile.ts")).deleteProfile,
        ),
        command(tlsTrustDefinition, async () => (await import("./commands/tls.ts")).tlsTrust),
        command(checkStateDefinition, async () => (await import("./commands/state.ts")).checkState),
        command(
          backUpStateDefinition,
          async () => (await import("./commands/state.ts")).backUpState,
        ),
        command(
          restoreStateDefinition,
          async () => (await import("./commands/state.ts")).restoreState,
        ),
        command(doctorDefinition, async () => (await import("./commands/doctor.ts")).doctor),
        command(
          completionDefinition,
          async () => (await import("../commands/completion.ts")).completion,
        ),
        command(versionDefinition, async () => (await import("../commands/completion.ts")).version),
        command(
          completeDefinition,
          async () => (await import("./commands/completion.ts")).complete,
        ),
      ],
    },
  ],
  commonFlags,
  notes: `APP is a name, or ORGANISATION/APP. Flags win over DEPLOYCTL_* variables, variables over the profile.
The console takes --inline, --screen-reader and --theme.

Exit codes
  0 ok, 1 unexpected, 2 usage, 3 not found, 4 no or a wrong key, 5 conflict,
  6 build, start or verification failed, 7 timeout, 8 server unreachable, 9 no capacity, 130 interrupted

Docs: docs/deployctl.md`,
};
