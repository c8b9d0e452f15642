// deployctl as a program: all its commands, in the order in which help tells of them.
import type { Program } from "../program.ts";
import type { CommandDefinition } from "./command-definition.ts";
import { accessCommands } from "./command-groups/access-commands.ts";
import { appCommands, runnerCommands } from "./command-groups/app-commands.ts";
import { scriptCommands } from "./command-groups/script-commands.ts";
import { lookingCommands, serverCommands } from "./command-groups/server-commands.ts";
import { settingCommands } from "./command-groups/setting-commands.ts";
import { flagTable } from "./flags.ts";

const startCommand: CommandDefinition = {
  name: "",
  words: "",
  completes: "none",
  summary: "on a terminal the screens for deployments, elsewhere this text",
  flags: ["inline", "screen-reader", "theme"],
  load: async () => (await import("./commands/open-screens.ts")).openScreens,
};

export const deployctlProgram: Program<typeof flagTable> = {
  name: "deployctl",
  title: "private endpoints from a script",
  flagTable,
  commands: [
    ...serverCommands,
    ...scriptCommands,
    ...appCommands,
    ...runnerCommands,
    ...accessCommands,
    ...lookingCommands,
    ...settingCommands,
  ],
  start: startCommand,
  commonFlags: ["json", "quiet", "no-color", "profile", "server", "key", "ca", "state-dir"],
  notes: `FILE.py holds a function with @deployctl.app or @fal.function; ::NAME names one of several.
APP is a name, or ORGANISATION/APP. run and deploy start the control plane when none runs.

deployctl COMMAND --help tells a command's flags. --version
Flags win over DEPLOYCTL_* variables, those over the profile.

Exit codes: 0 ok, 1 unexpected, 2 usage, 3 not found, 4 no or a wrong key, 5 conflict,
6 build, start or verification failed, 7 timeout, 8 server unreachable, 9 no capacity, 130 interrupted`,
};
