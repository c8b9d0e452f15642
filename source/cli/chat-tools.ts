// Tools of a chat: servers that --tools names, and who decides about calls.
import path from "node:path";
import { quoteShort, shownModel } from "../base/display-text.ts";
import { ProductError } from "../base/product-error.ts";
import type { ChatTools } from "../chat/chat-backend.ts";
import type { ApiClient } from "../client/api-client.ts";
import { showModel } from "../client/chat-calls.ts";
import { Approvals } from "../tools/approvals.ts";
import { fitsCommand } from "../tools/built-in/run-command.ts";
import { toolErrors } from "../tools/errors.ts";
import type { ToolDescription, ToolServer } from "../tools/tool.ts";
import { ToolSet } from "../tools/tool-set.ts";
import { type CallQuestion, Toolbox } from "../tools/toolbox.ts";
import { usageError } from "./errors.ts";
import type { Flags } from "./flags.ts";
import { warn } from "./output.ts";
import type { CommandSettings } from "./session-settings.ts";
import { findToolServers, mayUseProject } from "./tool-servers.ts";

/** Without `ask`, calls that --allow does not name end the answer. */
export interface CommandTools extends ChatTools {
  readonly toolbox: Toolbox;
  /** Calls for one message. */
  readonly maxCalls: number;
  /** @throws ProductError `TOOLS_MODEL_WITHOUT_TOOLS`; errors of the client */
  checkModel(client: ApiClient, model: string): Promise<void>;
}

/**
 * Servers start with the first message.
 *
 * @returns undefined without --tools
 * @throws as `openScreenTools`
 */
export async function openChatTools(
  flags: Flags,
  settings: CommandSettings,
): Promise<CommandTools | undefined> {
  const tools = await openScreenTools(flags, settings);
  return tools.set.servers.length === 0 ? undefined : tools;
}

/**
 * Opens the servers that --tools names; others can be switched on later.
 *
 * @throws ProductError `COMMAND_USAGE`, `TOOLS_SERVER_UNKNOWN`
 */
export async function openScreenTools(
  flags: Flags,
  settings: CommandSettings,
): Promise<CommandTools> {
  const named = splitNames(flags.tools);
  const allowed = splitNames(flags.allow);
  const { allowCommand: commands = [] } = flags;
  if (named.length === 0) {
    if (allowed.length > 0) {
      throw usageError("--allow needs --tools.", "For example: --tools files --allow read_file");
    }
    if (commands.length > 0) throw commandsWithoutShell();
  }
  const { paths, values } = settings;
  const set = new ToolSet({
    find: (mayUse) => findToolServers(paths, mayUse),
    folder: process.cwd(),
    startTimeoutMs: values.tool_start_timeout,
    maxResultBytes: values.max_tool_result,
  });
  if (named.length > 0) {
    for (const problem of await set.find((file) => mayUseProject(paths, file))) warn(problem);
    for (const name of named) await set.switchOn(name);
  }
  checkCommandFlags(set.servers, allowed, commands);
  const names = new AllowedNames(allowed, commands, set);
  const approvals = new Approvals(path.join(paths.state, "allowed-tools.json"));
  const toolbox = new Toolbox({
    servers: () => set.servers,
    isOn: (tool) => set.isOn(tool),
    approvals,
    decide: async (question, signal) => {
      if (names.include(question)) return { kind: "once" };
      if (tools.ask === undefined) throw callRefused(question);
      return await tools.ask(question, signal);
    },
    onProblem: (sentence) => tools.tell(sentence),
    callTimeoutMs: values.tool_call_timeout,
    maxResultBytes: values.max_tool_result,
    allowsReading: values.allow_reading_tools,
  });
  const tools: CommandTools = {
    set,
    toolbox,
    tell: warn,
    find: (confirm) => set.find((file) => mayUseProject(paths, file, confirm)),
    maxCalls: values.max_tool_calls,
    ask: undefined,
    forgetChat: () => approvals.forgetChat(),
    checkModel,
  };
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
  readonly #set: Pick<ToolSet, "servers">;
  /** Descriptions when the tools were used first: a changed one is not what was allowed. */
  readonly #descriptions = new Map<string, string>();

  constructor(
    names: readonly string[],
    commands: readonly string[],
    set: Pick<ToolSet, "servers">,
  ) {
    this.#names = new Set(names);
    this.#commands = commands;
    this.#set = set;
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
    const same = this.#set.servers
      .flatMap(({ tools }) => tools)
      .filter((tool) => tool.name === name);
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
