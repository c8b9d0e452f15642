// A coding agent that `modelctl launch` starts: its program, and how it is pointed at a server.

/** The server and model that an agent is to use. */
export interface Endpoint {
  /** Without a path and a trailing slash. */
  url: string;
  model: string;
  /** Tokens of the model's window. */
  contextLength: number;
  /** For a server that requires one; it is passed by environment only. */
  key: string | undefined;
  /** Folder for this agent's files of ours, which stays. */
  folder: string;
}

/** What one run of an agent gets; the user's own files of the agent stay as they are. */
export interface AgentSetup {
  environment: Readonly<Record<string, string>>;
  /** Come before the user's. */
  arguments?: readonly string[];
  /** Texts of files in the endpoint's folder, by name. */
  files?: Readonly<Record<string, string>>;
}

export interface Agent {
  /** As typed after `launch`, and the program's name. */
  name: string;
  title: string;
  /** Command that installs the program. */
  install: readonly [program: string, ...words: string[]];
  /** Route that the agent calls. */
  route: "/v1/chat/completions" | "/v1/messages" | "/v1/responses";
  /** False for an agent that edits by the text of its answers. Defaults to true. */
  callsTools?: boolean;
  /** Tokens of its first prompt in an empty project, rounded up. */
  promptTokens: number;
  /** Version that was run against the server; undefined if none was. */
  tried?: string;
  /** Arguments that give it a single task and end it afterwards. */
  oneTask: (task: string) => readonly string[];
  setUp: (endpoint: Endpoint) => AgentSetup;
  /** The agent's own configuration, for using the server without `launch`. */
  ownConfiguration: (endpoint: Endpoint) => { file: string; text: string };
  /** What of its prompts is read again, and how that is avoided; a sentence for the documentation. */
  repeats: string;
}

/** Tokens with which agents work well: their prompt, some files, and the conversation. */
export const recommendedWindow = 32_768;

/** Variable with the server's key, for agents whose configuration can name one. */
export const keyVariable = "MODELCTL_KEY";

/** Agents refuse an empty key, also for a server that needs none. */
export function keyOf({ key }: Endpoint): string {
  return key ?? "modelctl";
}

/** Most tokens of an answer that an agent may ask for, so that the prompt keeps the larger part. */
export function answerTokens({ contextLength }: Endpoint): number {
  return Math.min(8192, Math.floor(contextLength / 4));
}

export function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
