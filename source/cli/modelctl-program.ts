// modelctl as a program: all its commands, in the order of its help.

import { chatCommands, startCommand } from "./commands/chat.definition.ts";
import { mcpCommands } from "./commands/mcp.definition.ts";
import { modelCommands } from "./commands/models.definition.ts";
import { cacheCommands, keyCommands, serverCommands } from "./commands/server.definition.ts";
import { completeCommand, sharedCommands, toolCommands } from "./commands/tools.definition.ts";
import { command, commands, type Program } from "./program/definition.ts";

export const modelctlProgram: Program = {
  name: "modelctl",
  title: "the terminal home for language models",
  start: command(startCommand, async () => (await import("./commands/run.ts")).start),
  groups: [
    {
      title: "Chat",
      commands: commands(chatCommands, {
        run: () => import("./commands/run.ts"),
        launch: () => import("./commands/launch.ts"),
        sessions: () => import("./commands/sessions.ts"),
      }),
    },
    {
      title: "Tool servers",
      commands: commands(mcpCommands, () => import("./commands/mcp.ts")),
    },
    {
      title: "Models",
      commands: commands(modelCommands, {
        list: () => import("./commands/list.ts"),
        show: () => import("./commands/show.ts"),
        search: () => import("./commands/search.ts"),
        recommend: () => import("./commands/recommend.ts"),
        pull: () => import("./commands/pull.ts"),
        create: () => import("./commands/create.ts"),
        cp: () => import("./commands/cp.ts"),
        rm: () => import("./commands/rm.ts"),
        exportModel: () => import("./commands/export.ts"),
        importModels: () => import("./commands/import.ts"),
        download: () => import("./commands/download.ts"),
      }),
    },
    {
      title: "Server",
      commands: [
        ...commands(serverCommands, {
          serve: () => import("./commands/serve.ts"),
          ps: () => import("./commands/ps.ts"),
          bench: () => import("./commands/bench.ts"),
          stop: () => import("./commands/stop.ts"),
          logs: () => import("./commands/logs.ts"),
        }),
        ...commands(cacheCommands, () => import("./commands/cache.ts")),
        ...commands(keyCommands, () => import("./commands/keys.ts")),
      ],
    },
    {
      title: "Tools",
      commands: [
        ...commands(toolCommands, {
          doctor: () => import("./commands/doctor.ts"),
          engineBuild: () => import("./commands/engine.ts"),
          update: () => import("./commands/update.ts"),
          configShow: () => import("./commands/config.ts"),
        }),
        ...commands(sharedCommands, () => import("./commands/completion.ts")),
        ...commands(completeCommand, () => import("./commands/completion.ts")),
      ],
    },
  ],
  commonFlags: {},
  notes: `Without a command, modelctl takes the flags of \`modelctl run\`.

Exit codes
  0 ok, 1 unexpected, 2 usage, 3 not found, 4 refused, 5 port or name taken,
  6 model failed to load, 7 timeout, 8 server unreachable, 130 interrupted

Docs: docs/cli.md`,
};
