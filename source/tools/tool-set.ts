// The tool servers that a chat may use: which exist, which are on, and which of their tools are off.
import { Observable } from "../base/store.ts";
import type { FoundServers } from "./find-servers.ts";
import type { McpFile } from "./mcp-file.ts";
import { builtInNames, type OpenServersOptions, openServer } from "./open-servers.ts";
import type { ServerDefinition } from "./server-definition.ts";
import type {
  ServerContext,
  ServerPrompt,
  ServerResource,
  ServerState,
  ToolDescription,
  ToolServer,
} from "./tool.ts";
import { cutResult } from "./tool-result.ts";
import { nameTools, type OfferedTool } from "./toolbox.ts";

export interface ToolSwitch {
  readonly tool: ToolDescription;
  readonly isOn: boolean;
}

export interface ServerSwitch {
  readonly name: string;
  /** Command line or address, as configured; `built in`. */
  readonly origin: string;
  readonly isOn: boolean;
  readonly state: ServerState;
  /** Sentence about a failed server. */
  readonly problem: string | undefined;
  /** None before it has started. */
  readonly tools: readonly ToolSwitch[];
}

/** Something that a server offers besides tools. */
export type Offered<Thing> = Thing & { readonly server: string };

export interface ToolSetOptions extends Omit<OpenServersOptions, "onChange"> {
  /** A longer text of a resource is cut for the model, with a note. */
  readonly maxResultBytes: number;
  /** @param mayUse decides about a project's file */
  readonly find: (mayUse: (file: McpFile) => Promise<boolean>) => Promise<FoundServers>;
}

/** Tells its listeners about changes of switches, states and tools. */
export class ToolSet extends Observable {
  readonly #options: ToolSetOptions;
  #known: readonly ServerDefinition[] = [];
  readonly #opened = new Map<string, ToolServer>();
  readonly #on = new Set<string>();
  /** Tools that are off, by server and name. */
  readonly #off = new Set<string>();
  #isFound = false;

  constructor(options: ToolSetOptions) {
    super();
    this.#options = options;
  }

  /**
   * Reads which servers exist, once.
   *
   * @returns sentences about mistakes in the files
   */
  async find(mayUse: (file: McpFile) => Promise<boolean>): Promise<readonly string[]> {
    if (this.#isFound) return [];
    const { servers, problems } = await this.#options.find(mayUse);
    this.#isFound = true;
    this.#known = servers;
    this.tell();
    return problems;
  }

  /** Tools that are on, of servers that have started, under the names that the model uses. */
  get offered(): readonly OfferedTool[] {
    return nameTools(this.servers.flatMap(({ tools }) => tools.filter((tool) => this.isOn(tool))));
  }

  /** The servers that are on. */
  get servers(): readonly ToolServer[] {
    return [...this.#on].flatMap((name) => this.#opened.get(name) ?? []);
  }

  /** All servers, those of mcp.json first. */
  get switches(): readonly ServerSwitch[] {
    const names = this.#known.map(({ name }) => name);
    return [...new Set([...names, ...builtInNames])].map((name) => {
      const isOn = this.#on.has(name);
      const { state = "off", problem, tools = [] } = this.#opened.get(name) ?? {};
      return {
        name,
        origin: this.#known.find((known) => known.name === name)?.shown ?? "built in",
        isOn,
        state,
        problem,
        tools: tools.map((tool) => ({ tool, isOn: isOn && this.isOn(tool) })),
      };
    });
  }

  /** False for a tool that was switched off. */
  isOn({ server, name }: Pick<ToolDescription, "server" | "name">): boolean {
    return !this.#off.has(keyOf(server, name));
  }

  /**
   * Switches a server on, without starting it.
   *
   * @throws ProductError `TOOLS_SERVER_UNKNOWN`
   */
  async switchOn(name: string): Promise<ToolServer> {
    const { folder, startTimeoutMs } = this.#options;
    const onChange = () => this.tell();
    const server =
      this.#opened.get(name) ??
      (await openServer(name, this.#known, { folder, startTimeoutMs, onChange }));
    this.#opened.set(name, server);
    this.#on.add(name);
    this.tell();
    return server;
  }

  /** Switches a server off, and ends it. */
  async switchOff(name: string): Promise<void> {
    const server = this.#opened.get(name);
    this.#on.delete(name);
    // Switched on again, it starts anew, whatever happened before.
    this.#opened.delete(name);
    this.tell();
    await server?.close();
  }

  switchTool({ server, name }: Pick<ToolDescription, "server" | "name">, isOn: boolean): void {
    if (isOn) this.#off.delete(keyOf(server, name));
    else this.#off.add(keyOf(server, name));
    this.tell();
  }

  /** Starts the servers that are on; those that fail say why in their state. */
  async start(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.start().catch(() => undefined)));
    this.tell();
  }

  /** Resources of the servers that are on; those that fail have none. */
  async resources(): Promise<readonly Offered<ServerResource>[]> {
    return await this.#fromAll((context) => context.resources());
  }

  /** @throws ProductError `TOOLS_SERVER_UNKNOWN`, `TOOLS_CALL_FAILED`, and as `ToolServer.start` */
  async read(server: string, uri: string): Promise<string> {
    const context = await (await this.switchOn(server)).context?.();
    return cutResult((await context?.read(uri)) ?? "", this.#options.maxResultBytes);
  }

  /** Prompts of the servers that are on; those that fail have none. */
  async prompts(): Promise<readonly Offered<ServerPrompt>[]> {
    return await this.#fromAll((context) => context.prompts());
  }

  /** @throws as `read` */
  async prompt(
    { server, name }: Pick<Offered<ServerPrompt>, "server" | "name">,
    values: Readonly<Record<string, string>>,
  ): Promise<string> {
    const context = await (await this.switchOn(server)).context?.();
    return (await context?.prompt(name, values)) ?? "";
  }

  async #fromAll<Thing>(
    ask: (context: ServerContext) => Promise<readonly Thing[]>,
  ): Promise<readonly Offered<Thing>[]> {
    const all = this.servers.map(async (server) => {
      const context = await server.context?.().catch(() => undefined);
      const things = context === undefined ? [] : await ask(context).catch(() => []);
      return things.map((thing) => ({ ...thing, server: server.name }));
    });
    return (await Promise.all(all)).flat();
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#opened.values(), (server) => server.close()));
  }
}

function keyOf(server: string, name: string): string {
  return `${server}:${name}`;
}
