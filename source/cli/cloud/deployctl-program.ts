// deployctl as a program: all its commands, in the order of its help.
import { completeCommand, sharedCommands } from "../commands/tools.definition.ts";
import { command, commands, type Program } from "../program/definition.ts";
import { appCommands } from "./commands/apps.definition.ts";
import { engineCommands } from "./commands/engine.definition.ts";
import { environmentCommands } from "./commands/environments.definition.ts";
import { keyCommands } from "./commands/keys.definition.ts";
import { logCommands } from "./commands/logs.definition.ts";
import { queueCommands } from "./commands/queue.definition.ts";
import { revisionCommands, rollbackCommand } from "./commands/revisions.definition.ts";
import { runnerCommands } from "./commands/runners.definition.ts";
import { scriptCommands } from "./commands/scripts.definition.ts";
import { doctorCommand, serverCommands, startCommand } from "./commands/server.definition.ts";
import { serviceCommands } from "./commands/service.definition.ts";
import { profileCommands, stateCommands, tlsCommand } from "./commands/settings.definition.ts";
import { trafficCommands } from "./commands/traffic.definition.ts";
import { variableCommands } from "./commands/variables.definition.ts";
import { commonFlags } from "./flags.ts";

export const deployctlProgram: Program = {
  name: "deployctl",
  title: "private endpoints from a script",
  start: command(
    startCommand.openScreens,
    async () => (await import("./commands/open-screens.ts")).openScreens,
  ),
  groups: [
    {
      title: "Server",
      commands: [
        ...commands(serverCommands, () => import("./commands/server.ts")),
        ...commands(serviceCommands, () => import("./commands/service.ts")),
      ],
    },
    {
      title: "Scripts",
      commands: [
        ...commands(scriptCommands, {
          init: () => import("./commands/init.ts"),
          inspect: () => import("./commands/inspect.ts"),
          run: () => import("./commands/run.ts"),
          deploy: () => import("./commands/deploy.ts"),
        }),
        ...commands(rollbackCommand, () => import("./commands/revisions.ts")),
      ],
    },
    {
      title: "Apps",
      commands: [
        ...commands(appCommands, () => import("./commands/apps.ts")),
        ...commands(revisionCommands, () => import("./commands/revisions.ts")),
        ...commands(trafficCommands, () => import("./commands/traffic.ts")),
        ...commands(environmentCommands, () => import("./commands/environments.ts")),
      ],
    },
    {
      title: "Runners",
      commands: commands(runnerCommands, () => import("./commands/runners.ts")),
    },
    {
      title: "Queue",
      commands: commands(queueCommands, () => import("./commands/queue.ts")),
    },
    {
      title: "Keys, secrets and variables",
      commands: [
        ...commands(keyCommands, () => import("./commands/keys.ts")),
        ...commands(variableCommands, () => import("./commands/variables.ts")),
      ],
    },
    {
      title: "Logs and usage",
      commands: commands(logCommands, () => import("./commands/logs.ts")),
    },
    {
      title: "Engine",
      commands: commands(engineCommands, () => import("./commands/engine.ts")),
    },
    {
      title: "Settings and tools",
      commands: [
        ...commands(profileCommands, () => import("./commands/profile.ts")),
        ...commands(tlsCommand, () => import("./commands/tls.ts")),
        ...commands(stateCommands, () => import("./commands/state.ts")),
        ...commands(doctorCommand, () => import("./commands/doctor.ts")),
        ...commands(sharedCommands, () => import("../commands/completion.ts")),
        ...commands(completeCommand, () => import("./commands/completion.ts")),
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
