// Tools of a chat: servers that --tools names, and who decides about calls.
import path from "node:path";
import { quoteShort } from "../base/display-text.ts";
import { ProductError } from "../base/product-error.ts";
import { Approvals } from "../tools/approvals.ts";
import { toolErrors } from "../tools/errors.ts";
import { unknownServer } from "../tools/mcp-file.ts";
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
  if (named.length === 0) {
    if (allowed.length === 0) return undefined;
    throw usageError("--allow needs --tools.", "For example: --tools files --allow read_file");
  }
  const { paths, values } = settings;
  const known = await openToolServers(paths);
  const { McpServer } = await import("../tools/mcp-server.ts");
  const servers = [...new Set(named)].map((name) => {
    const definition = known.find((server) => server.name === name);
    if (definition !== undefined) {
      return new McpServer(definition, { startTimeoutMs: values.tool_start_timeout });
    }
    throw unknownServer(
      name,
      known.map((server) => server.name),
    );
  });
  const names = new AllowedNames(allowed, servers);
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
  const tools: ChatTools = { toolbox, maxCalls: values.max_tool_calls, ask: undefined };
  return tools;
}

/** Tools that --allow names. */
class AllowedNames {
  readonly #names: ReadonlySet<string>;
  readonly #servers: readonly ToolServer[];
  /** Descriptions when the tools were used first: a changed one is not what was allowed. */
  readonly #descriptions = new Map<string, string>();

  constructor(names: readonly string[], servers: readonly ToolServer[]) {
    this.#names = new Set(names);
    this.#servers = servers;
  }

  include({ tool, isFromText }: CallQuestion): boolean {
    if (isFromText || !this.#isNamed(tool)) return false;
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

function callRefused(question: CallQuestion): ProductError {
  const { server, name } = question.tool;
  const reason = question.isFromText
    ? "it was written as plain text, and such calls need a person's yes"
    : "--allow does not name it";
  return new ProductError(toolErrors.callRefused, {
    message: `The model's call of ${quoteShort(name)} of ${server} was not run: ${reason}.`,
    hint: question.isFromText
      ? "Ask in a chat: modelctl run MODEL --plain --tools NAME"
      : `Allow it with --allow ${server}:${name}, or decide in a chat.`,
  });
}
