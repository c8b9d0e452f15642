// Tools of a chat: servers that --tools names, and who decides about calls.
import path from "node:path";
import { quoteShort, shownModel } from "../base/display-text.ts";
import { ProductError } from "../base/product-error.ts";
import type { ApiClient } from "../client/api-client.ts";
import { showModel } from "../client/chat-calls.ts";
import { Approvals } from "../tools/approvals.ts";
import { fitsCommand } from "../tools/built-in/run-command.ts";
import { toolErrors } from "../tools/errors.ts";
import { openServer } from "../tools/open-servers.ts";
import type { ToolDescription, ToolServer } from "../tools/tool.ts";
import { type CallQuestion, type Decide, Toolbox } from "../tools/toolbox.ts";
import { usageError } from "./errors.ts";
import type { Flags } from "./flags.ts";
import { warn } from "./output.ts";
import type { CommandSettings } from "./session-settings.ts";
import { openToolServers } from "./tool-servers.ts";

export interface ChatTools {
  readonly toolbox: Toolbox;
  /** Calls for one message. */
  readonly maxCalls: number;
  /** Asks a person; without it, calls that --allow does not name end the answer. */
  ask: Decide | undefined;
  /** @throws ProductError `TOOLS_MODEL_WITHOUT_TOOLS`; errors of the client */
  checkModel(client: ApiClient, model: string): Promise<void>;
}

/**
 * Servers start with the first message.
 *
 * @returns undefined without --tools
 * @throws ProductError `COMMAND_USAGE`, `TOOLS_SERVER_UNKNOWN`
 */
export async function openChatTools(
  flags: Flags,
  settings: CommandSettings,
): Promise<ChatTools | undefined> {
  const named = splitNames(flags.tools);
  const allowed = splitNames(flags.allow);
  const { allowCommand: commands = [] } = flags;
  if (named.length === 0) {
    if (allowed.length > 0) {
      throw usageError("--allow needs --tools.", "For example: --tools files --allow read_file");
    }
    if (commands.length > 0) throw commandsWithoutShell();
    return undefined;
  }
  const { paths, values } = settings;
  const known = await openToolServers(paths);
  const options = { folder: process.cwd(), startTimeoutMs: values.tool_start_timeout };
  const servers = await Promise.all(
    [...new Set(named)].map((name) => openServer(name, known, options)),
  );
  checkCommandFlags(servers, allowed, commands);
  const names = new AllowedNames(allowed, commands, servers);
  const toolbox = new Toolbox({
    servers,
    approvals: new Approvals(path.join(paths.state, "allowed-tools.json")),
    decide: async (question, signal) => {
      if (names.include(question)) return { kind: "once" };
      if (tools.ask === undefined) throw callRefused(question);
      return await tools.ask(question, signal);
    },
    onProblem: warn,
    callTimeoutMs: values.tool_call_timeout,
    maxResultBytes: values.max_tool_result,
    allowsReading: values.allow_reading_tools,
  });
  const tools: ChatTools = { toolbox, maxCalls: values.max_tool_calls, ask: undefined, checkModel };
  return tools;
}

async function checkModel(client: ApiClient, model: string): Promise<void> {
  const { capabilities } = await showModel(client, model);
  if (capabilities.includes("tools")) return;
  throw new ProductError(toolErrors.modelWithoutTools, {
    message: `${shownModel(model)} calls no tools: its chat template has no place for them.`,
    hint: "Leave --tools out, or choose a model whose capabilities in modelctl show include tools.",
  });
}

/** Running commands is not a tool to be allowed as a whole. @throws ProductError `COMMAND_USAGE` */
function checkCommandFlags(
  servers: readonly ToolServer[],
  allowed: readonly string[],
  commands: readonly string[],
): void {
  const asking = servers.flatMap(({ tools }) => tools.filter(({ alwaysAsks }) => alwaysAsks));
  if (commands.length > 0 && asking.length === 0) throw commandsWithoutShell();
  if (commands.some((pattern) => pattern.trim() === "")) {
    throw usageError("--allow-command is empty.", "For example: --allow-command 'npm test'");
  }
  const named = asking.find(({ server, name }) =>
    allowed.some((text) => text === name || text === `${server}:${name}`),
  );
  if (named === undefined) return;
  throw usageError(
    `--allow cannot name ${named.name}: it runs any command.`,
    "Name commands, for example: --allow-command 'git status'",
  );
}

function commandsWithoutShell(): ProductError {
  return usageError(
    "--allow-command needs --tools shell.",
    "For example: --tools shell --allow-command 'git status'",
  );
}

/** Tools that --allow names, and commands that --allow-command does. */
class AllowedNames {
  readonly #names: ReadonlySet<string>;
  readonly #commands: readonly string[];
  readonly #servers: readonly ToolServer[];
  /** Descriptions when the tools were used first: a changed one is not what was allowed. */
  readonly #descriptions = new Map<string, string>();

  constructor(
    names: readonly string[],
    commands: readonly string[],
    servers: readonly ToolServer[],
  ) {
    this.#names = new Set(names);
    this.#commands = commands;
    this.#servers = servers;
  }

  include({ tool, arguments: values, isFromText }: CallQuestion): boolean {
    if (isFromText) return false;
    if (tool.alwaysAsks) {
      const { command } = values;
      return (
        typeof command === "string" &&
        this.#commands.some((pattern) => fitsCommand(pattern, command))
      );
    }
    if (!this.#isNamed(tool)) return false;
    const name = `${tool.server}:${tool.name}`;
    const description = JSON.stringify([tool.description, tool.inputSchema]);
    const first = this.#descriptions.get(name) ?? description;
    this.#descriptions.set(name, first);
    return first === description;
  }

  #isNamed({ server, name }: ToolDescription): boolean {
    if (this.#names.has(`${server}:${name}`)) return true;
    if (!this.#names.has(name)) return false;
    const same = this.#servers.flatMap(({ tools }) => tools).filter((tool) => tool.name === name);
    return same.length === 1;
  }
}

function splitNames(typed: readonly string[] = []): string[] {
  return typed.flatMap((text) => text.split(",")).filter((name) => name.trim() !== "");
}

function callRefused({ tool, arguments: values, isFromText }: CallQuestion): ProductError {
  const { server, name, alwaysAsks } = tool;
  const refused = (reason: string, hint: string) =>
    new ProductError(toolErrors.callRefused, {
      message: `The model's call of ${quoteShort(name)} of ${server} was not run: ${reason}.`,
      hint,
    });
  if (isFromText) {
    return refused(
      "it was written as plain text, and such calls need a person's yes",
      "Ask in a chat: modelctl run MODEL --plain --tools NAME",
    );
  }
  if (alwaysAsks) {
    const command = typeof values.command === "string" ? values.command : "";
    return refused(
      `--allow-command does not name ${quoteShort(command)}`,
      "Allow it with --allow-command PATTERN, or decide in a chat.",
    );
  }
  return refused(
    "--allow does not name it",
    `Allow it with --allow ${server}:${name}, or decide in a chat.`,
  );
}
