// A tool server that speaks MCP: starts it when needed, lists and calls its tools, ends it.
import {
  Client,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type Tool,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { toOneLine } from "../base/display-text.ts";
import { formatMilliseconds } from "../base/formats.ts";
import { packageVersion } from "../base/package-facts.ts";
import { type ErrorDefinition, ProductError } from "../base/product-error.ts";
import { unlessAborted } from "../base/unless-aborted.ts";
import { toolErrors } from "./errors.ts";
import { McpContext } from "./server-context.ts";
import type { ServerDefinition } from "./server-definition.ts";
import { ServerProcess } from "./server-process.ts";
import type {
  CallLimits,
  ServerContext,
  ServerState,
  ToolArguments,
  ToolDescription,
  ToolResult,
  ToolServer,
} from "./tool.ts";
import { readResult } from "./tool-result.ts";

export interface McpServerOptions {
  readonly startTimeoutMs: number;
  /** Called after a change of state or tools. */
  readonly onChange?: () => void;
}

/** A server that crashed is started again once: one that crashes at every start must not loop. */
const maxRestarts = 1;

interface Connection {
  readonly client: Client;
  readonly process: ServerProcess | undefined;
}

export class McpServer implements ToolServer {
  readonly name: string;
  readonly #definition: ServerDefinition;
  readonly #options: McpServerOptions;
  #state: ServerState = "off";
  #problem: string | undefined;
  #tools: readonly ToolDescription[] = [];
  #connection: Connection | undefined;
  /** A connection that is being made. */
  #opening: Connection | undefined;
  #starting: Promise<void> | undefined;
  #crashes = 0;
  #isClosed = false;

  constructor(definition: ServerDefinition, options: McpServerOptions) {
    this.name = definition.name;
    this.#definition = definition;
    this.#options = options;
  }

  get state(): ServerState {
    return this.#state;
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  get tools(): readonly ToolDescription[] {
    return this.#tools;
  }

  async start(signal?: AbortSignal): Promise<void> {
    if (this.#state === "ready") return;
    if (this.#crashes > maxRestarts) throw this.#error(toolErrors.serverFailed, this.#problem);
    this.#starting ??= this.#connect().finally(() => {
      this.#starting = undefined;
    });
    await (signal === undefined ? this.#starting : unlessAborted(this.#starting, signal));
  }

  async call(name: string, values: ToolArguments, limits: CallLimits): Promise<ToolResult> {
    await this.start(limits.signal);
    const connection = this.#connection;
    if (connection === undefined) throw this.#error(toolErrors.serverFailed, this.#problem);
    const { signal, timeoutMs } = limits;
    const options = { signal, timeout: timeoutMs, maxTotalTimeout: timeoutMs };
    try {
      const { content, structuredContent, isError } = await connection.client.callTool(
        { name, arguments: { ...values } },
        options,
      );
      const result = readResult(content, isError === true);
      if (result.text !== "" || result.images.length > 0) return result;
      const text = structuredContent === undefined ? "" : JSON.stringify(structuredContent);
      return { ...result, text };
    } catch (error) {
      signal.throwIfAborted();
      throw this.#callError(name, connection, timeoutMs, error);
    }
  }

  async context(): Promise<ServerContext> {
    await this.start();
    const { client } = this.#connection ?? {};
    if (client === undefined) throw this.#error(toolErrors.serverFailed, this.#problem);
    return new McpContext(this.name, client, this.#options.startTimeoutMs);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const connection = this.#connection ?? this.#opening;
    this.#connection = undefined;
    this.#change("off");
    await connection?.client.close().catch(() => undefined);
    await this.#starting?.catch(() => undefined);
  }

  async #connect(): Promise<void> {
    const { start } = this.#definition;
    const process = start.kind === "program" ? new ServerProcess(start) : undefined;
    const transport =
      start.kind === "program"
        ? (process ?? new ServerProcess(start))
        : new StreamableHTTPClientTransport(new URL(start.url), {
            requestInit: { headers: start.headers },
          });
    const client = new Client(
      { name: "modelctl", version: packageVersion() },
      { listChanged: { tools: { onChanged: (_error, tools) => this.#take(tools ?? []) } } },
    );
    const connection = { client, process };
    this.#opening = connection;
    this.#isClosed = false;
    this.#change("starting");
    const timeout = this.#options.startTimeoutMs;
    try {
      await client.connect(transport, { timeout });
      client.onclose = () => this.#onEnd(connection);
      const { tools } = await client.listTools(undefined, { timeout });
      if (this.#isClosed) throw new Error("The server was closed while it started.");
      this.#connection = connection;
      this.#problem = undefined;
      this.#tools = tools.map((tool) => this.#described(tool));
      this.#change("ready");
    } catch (error) {
      const failure = this.#startError(connection, error);
      await client.close().catch(() => undefined);
      this.#problem = failure.sentence;
      this.#change(this.#isClosed ? "off" : "failed");
      throw failure;
    } finally {
      this.#opening = undefined;
    }
  }

  /** A server that ends by itself is started again by the next call. */
  #onEnd(connection: Connection): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    this.#crashes += 1;
    this.#problem = `The tool server ${this.name} ${connection.process?.failure ?? "closed the connection"}.`;
    this.#change("failed");
  }

  #take(tools: readonly Tool[]): void {
    this.#tools = tools.map((tool) => this.#described(tool));
    this.#options.onChange?.();
  }

  #described({ name, description = "", inputSchema, annotations }: Tool): ToolDescription {
    const isReadOnly = annotations?.readOnlyHint === true;
    const origin = this.#definition.shown;
    return { server: this.name, origin, name, description, inputSchema, isReadOnly };
  }

  #change(state: ServerState): void {
    this.#state = state;
    this.#options.onChange?.();
  }

  #startError({ process }: Connection, error: unknown): ProductError {
    if (isLoginNeeded(error)) {
      return new ProductError(toolErrors.loginNeeded, {
        message: `The tool server ${this.name} at ${this.#definition.shown} needs a login.`,
        hint: "modelctl has no OAuth: put a token into its headers, such as Authorization.",
        cause: error,
      });
    }
    const reason = process?.failure ?? this.#reasonOf(error, this.#options.startTimeoutMs);
    return this.#error(
      toolErrors.serverFailed,
      `The tool server ${this.name} ${reason}.`,
      process?.lastLines,
      error,
    );
  }

  #callError(
    tool: string,
    { process }: Connection,
    timeoutMs: number,
    error: unknown,
  ): ProductError {
    if (process?.failure !== undefined) {
      const message = `The tool server ${this.name} ${process.failure} during the call of ${tool}.`;
      return this.#error(toolErrors.serverFailed, message, process.lastLines, error);
    }
    if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
      return this.#error(
        toolErrors.callTimeout,
        `The tool ${tool} of ${this.name} did not finish within ${formatMilliseconds(timeoutMs)}.`,
        undefined,
        error,
      );
    }
    const reason = toOneLine(error instanceof Error ? error.message : String(error));
    const message = `The tool ${tool} of ${this.name} failed: ${reason}`;
    return this.#error(toolErrors.callFailed, message, undefined, error);
  }

  #reasonOf(error: unknown, timeoutMs: number): string {
    if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
      return `did not answer within ${formatMilliseconds(timeoutMs)}`;
    }
    const { message, cause } = error instanceof Error ? error : { message: String(error) };
    // fetch hides the reason in the cause.
    const inner = cause instanceof Error && cause.message !== "" ? ` (${cause.message})` : "";
    return `cannot be reached: ${toOneLine(`${message}${inner}`)}`;
  }

  #error(
    definition: ErrorDefinition,
    message = `The tool server ${this.name} has failed.`,
    lines: readonly string[] = [],
    cause?: unknown,
  ): ProductError {
    const hint =
      lines.length === 0 ? undefined : `Its last lines: ${toOneLine(lines.slice(-5).join(" | "))}`;
    return new ProductError(definition, { message, hint, cause });
  }
}

function isLoginNeeded(error: unknown): boolean {
  return (
    error instanceof UnauthorizedError || (error instanceof SdkHttpError && error.status === 401)
  );
}
