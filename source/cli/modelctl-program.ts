// modelctl as a program: all its commands, in the order of its help.

import { runDefinition, sessionsDefinition, startDefinition } from "./commands/chat.definition.ts";
import {
  cpDefinition,
  createDefinition,
  downloadDefinition,
  exportDefinition,
  importDefinition,
  listDefinition,
  pullDefinition,
  rmDefinition,
  searchDefinition,
  showDefinition,
} from "./commands/models.definition.ts";
import {
  clearCacheDefinition,
  createKeyDefinition,
  listCacheDefinition,
  listKeysDefinition,
  logsDefinition,
  psDefinition,
  revokeKeyDefinition,
  serveDefinition,
  stopDefinition,
} from "./commands/server.definition.ts";
import {
  buildEngineDefinition,
  completeDefinition,
  completionDefinition,
  doctorDefinition,
  showConfigDefinition,
  versionDefinition,
} from "./commands/tools.definition.ts";
import { command, type Program } from "./program/definition.ts";

export const modelctlProgram: Program = {
  name: "modelctl",
  title: "the terminal home for language models",
  start: command(startDefinition, async () => (await import("./commands/run.ts")).start),
  groups: [
    {
      title: "Chat",
      commands: [
        command(runDefinition, async () => (await import("./commands/run.ts")).run),
        command(sessionsDefinition, async () => (await import("./commands/sessions.ts")).sessions),
      ],
    },
    {
      title: "Models",
      commands: [
        command(listDefinition, async () => (await import("./commands/list.ts")).list),
        command(showDefinition, async () => (await import("./commands/show.ts")).show),
        command(searchDefinition, async () => (await import("./commands/search.ts")).search),
        command(pullDefinition, async () => (await import("./commands/pull.ts")).pull),
        command(createDefinition, async () => (await import("./commands/create.ts")).create),
        command(cpDefinition, async () => (await import("./commands/cp.ts")).cp),
        command(rmDefinition, async () => (await import("./commands/rm.ts")).rm),
        command(exportDefinition, async () => (await import("./commands/export.ts")).exportCommand),
        command(importDefinition, async () => (await import("./commands/import.ts")).importCommand),
        command(downloadDefinition, async () => (await import("./commands/download.ts")).download),
      ],
    },
    {
      title: "Server",
      commands: [
        command(serveDefinition, async () => (await import("./commands/serve.ts")).serve),
        command(psDefinition, async () => (await import("./commands/ps.ts")).ps),
        command(stopDefinition, async () => (await import("./commands/stop.ts")).stop),
        command(logsDefinition, async () => (await import("./commands/logs.ts")).logs),
        command(listCacheDefinition, async () => (await import("./commands/cache.ts")).listCache),
        command(clearCacheDefinition, async () => (await import("./commands/cache.ts")).clearCache),
        command(createKeyDefinition, async () => (await import("./commands/keys.ts")).createKey),
        command(listKeysDefinition, async () => (await import("./commands/keys.ts")).listKeys),
        command(revokeKeyDefinition, async () => (await import("./commands/keys.ts")).revokeKey),
      ],
    },
    {
      title: "Tools",
      commands: [
        command(doctorDefinition, async () => (await import("./commands/doctor.ts")).doctor),
        command(
          buildEngineDefinition,
          async () => (await import("./commands/engine.ts")).engineBuild,
        ),
        command(
          showConfigDefinition,
          async () => (await import("./commands/config.ts")).configShow,
        ),
        command(
          completionDefinition,
          async () => (await import("./commands/completion.ts")).completion,
        ),
        command(versionDefinition, async () => (await import("./commands/completion.ts")).version),
        command(
          completeDefinition,
          async () => (await import("./commands/completion.ts")).complete,
        ),
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
