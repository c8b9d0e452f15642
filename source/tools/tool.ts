// Tools as the chat knows them, whoever offers them, and their results.

export interface ToolDescription {
  /** The server that offers it. */
  readonly server: string;
  /** Command line or address of the server, as configured. */
  readonly origin: string;
  /** The server's own name of it. */
  readonly name: string;
  /** The server's text, unchanged: for the model, and as the subject of approvals. */
  readonly description: string;
  /** JSON schema of its arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** True if its server says that it changes nothing. */
  readonly isReadOnly: boolean;
  /** True for a tool that no permission covers: each call is asked about. */
  readonly alwaysAsks?: boolean;
}

export type ToolArguments = Readonly<Record<string, unknown>>;

export interface ToolImage {
  readonly base64: string;
  /** `image/png` */
  readonly type: string;
}

export interface ToolResult {
  readonly text: string;
  readonly images: readonly ToolImage[];
  /** True if the tool reports a failure in its text. */
  readonly isError: boolean;
}

export interface CallLimits {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** What the person typed in this chat. Defaults to nothing. */
  readonly typed?: readonly string[];
}

export type ServerState = "off" | "starting" | "ready" | "failed";

/** A text that a server offers, to be attached to a message. */
export interface ServerResource {
  readonly uri: string;
  readonly title: string;
  readonly description: string;
}

/** A message that a server proposes. */
export interface ServerPrompt {
  readonly name: string;
  readonly description: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly description: string;
    readonly isRequired: boolean;
  }[];
}

/** Resources and prompts, which a server offers besides tools. */
export interface ServerContext {
  resources(): Promise<readonly ServerResource[]>;
  /** @throws ProductError `TOOLS_CALL_FAILED` */
  read(uri: string): Promise<string>;
  prompts(): Promise<readonly ServerPrompt[]>;
  /** Returns the text of a prompt. @throws ProductError `TOOLS_CALL_FAILED` */
  prompt(name: string, values: Readonly<Record<string, string>>): Promise<string>;
}

/** A source of tools: an MCP server, or the built-in tools. */
export interface ToolServer {
  readonly name: string;
  readonly state: ServerState;
  /** Sentence about a failed server. */
  readonly problem: string | undefined;
  /** Tools that it offers now; none before it is started. */
  readonly tools: readonly ToolDescription[];
  /**
   * Starts it if it does not run.
   *
   * @throws ProductError `TOOLS_SERVER_FAILED`, `TOOLS_LOGIN_NEEDED`
   */
  start(signal?: AbortSignal): Promise<void>;
  /** Starts it if it does not run; absent for built-in tools. @throws as `start` */
  context?(): Promise<ServerContext>;
  /** @throws ProductError as `start`, and `TOOLS_CALL_TIMEOUT`, `TOOLS_CALL_FAILED`; the signal's reason */
  call(name: string, values: ToolArguments, limits: CallLimits): Promise<ToolResult>;
  /** Ends it; never fails. */
  close(): Promise<void>;
}
