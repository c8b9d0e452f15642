// modelctl mcp add, list, remove, test: servers with tools.
import { quoteShort, toOneLine } from "../../base/display-text.ts";
import { productPaths } from "../../configuration/paths.ts";
import { findServers } from "../../tools/find-servers.ts";
import {
  addServer as addToFile,
  removeServer as removeFromFile,
  type ServerEntry,
} from "../../tools/mcp-file.ts";
import { builtInNames, openServer } from "../../tools/open-servers.ts";
import { readStart, type ServerDefinition, serverName } from "../../tools/server-definition.ts";
import { usageError } from "../errors.ts";
import { interruptible } from "../interruptible.ts";
import { printDocument, warn } from "../output.ts";
import type { CommandFlags, Run } from "../program/definition.ts";
import { readSettings } from "../session-settings.ts";
import { formatTable } from "../table.ts";
import { openToolServers, trustOf } from "../tool-servers.ts";
import type { mcpCommands } from "./mcp.definition.ts";

export const addServer: Run<typeof mcpCommands.addServer> = async (
  [name],
  flags,
  _program,
  words,
) => {
  if (!serverName.test(name)) {
    throw usageError(
      `${quoteShort(name)} cannot name a tool server.`,
      "Use letters, digits, and _ . - between them, up to 64.",
    );
  }
  const entry = entryOf(flags, words);
  checkEntry(entry);
  const { toolServerFile } = productPaths();
  addToFile(toolServerFile, name, entry);
  process.stdout.write(`added ${name}\n`);
  process.stderr.write(`Check it: modelctl mcp test ${name}\n`);
};

export const listServers: Run<typeof mcpCommands.listServers> = async (_words, flags) => {
  const paths = productPaths();
  const trust = trustOf(paths);
  const untrusted = new Set<string>();
  const places = { ownFile: paths.toolServerFile, folder: process.cwd() };
  const { servers, problems } = await findServers(places, async (file) => {
    if (!trust.has(file)) untrusted.add(file.file);
    return true;
  });
  for (const problem of problems) warn(problem);
  const isAllowed = ({ file }: ServerDefinition) => !untrusted.has(file);
  if (flags.json) {
    return printDocument(
      servers.map((server) => ({ ...toJson(server), isAllowed: isAllowed(server) })),
    );
  }
  if (servers.length === 0) {
    const added = "Add one: modelctl mcp add NAME -- COMMAND";
    process.stderr.write(`No tool servers in mcp.json. ${added}\n`);
    process.stderr.write(`Built in: ${builtInNames.join(", ")} (modelctl run --tools files).\n`);
    return;
  }
  const rows = servers.map((server) => [
    server.name,
    isAllowed(server) ? "yes" : "asked first",
    server.shown,
    server.file,
  ]);
  process.stdout.write(formatTable(["name", "allowed", "command", "file"], rows));
};

export const removeServer: Run<typeof mcpCommands.removeServer> = async ([name]) => {
  removeFromFile(productPaths().toolServerFile, name);
  process.stdout.write(`removed ${name}\n`);
};

export const testServer: Run<typeof mcpCommands.testServer> = async ([name], flags) => {
  const { paths, values } = readSettings({});
  const servers = await openToolServers(paths);
  const options = { folder: process.cwd(), startTimeoutMs: values.tool_start_timeout };
  const server = await openServer(name, servers, options);
  try {
    await interruptible((signal) => server.start(signal));
    const { tools } = server;
    if (flags.json) return printDocument(tools.map(({ server: _server, ...tool }) => tool));
    const rows = tools.map((tool) => [
      tool.name,
      tool.isReadOnly ? "reads" : "changes",
      firstLine(tool.description),
    ]);
    process.stdout.write(formatTable(["tool", "effect", "description"], rows));
  } finally {
    await server.close();
  }
};

/** @throws ProductError `COMMAND_USAGE` */
function entryOf(
  { url, env = [], header = [] }: CommandFlags<typeof mcpCommands.addServer>,
  [command, ...args]: readonly string[],
): ServerEntry {
  if ((url === undefined) === (command === undefined)) {
    throw usageError(
      "mcp add needs a command after --, or --url, and not both.",
      "For example: modelctl mcp add notes -- npx -y @modelcontextprotocol/server-filesystem .",
    );
  }
  if (url !== undefined) {
    if (env.length > 0) throw usageError("--env is for a command.", "Use --header with --url.");
    const headers = pairs(
      header,
      /^([^\s:]+):\s*(.+)$/,
      "--header",
      "'Authorization: Bearer TOKEN'",
    );
    return { url, ...(header.length > 0 && { headers }) };
  }
  if (header.length > 0) throw usageError("--header is for --url.", "Use --env with a command.");
  const variables = pairs(env, /^([^\s=]+)=(.*)$/s, "--env", "NAME=VALUE");
  return { command: command ?? "", args, ...(env.length > 0 && { env: variables }) };
}

function pairs(typed: readonly string[], form: RegExp, flag: string, example: string) {
  return Object.fromEntries(
    typed.map((text) => {
      const [, name = "", value = ""] = form.exec(text) ?? [];
      if (name === "")
        throw usageError(`${flag} ${quoteShort(text)} is invalid.`, `Use ${example}.`);
      return [name, value];
    }),
  );
}

/** Refuses an entry that could never work; a variable may be set later. */
function checkEntry(entry: ServerEntry): void {
  const anyVariable = new Proxy<NodeJS.ProcessEnv>({}, { get: () => "http://set-later" });
  try {
    readStart(entry, anyVariable);
  } catch (error) {
    throw usageError(
      `This server is invalid: ${error instanceof Error ? error.message : String(error)}.`,
      "See modelctl mcp add --help.",
    );
  }
}

function toJson({ name, file, shown, start }: ServerDefinition) {
  return {
    name,
    file,
    kind: start.kind === "program" ? "stdio" : "http",
    [start.kind === "program" ? "command" : "url"]: shown,
  };
}

function firstLine(text: string): string {
  const line = toOneLine(text.trim().split(/\r?\n/, 1)[0] ?? "");
  return line.length > 100 ? `${line.slice(0, 99).toWellFormed()}…` : line;
}
