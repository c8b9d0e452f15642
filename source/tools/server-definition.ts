// Tool servers as mcp.json describes them, in the form that Claude, Cursor and VS Code share.
import { isRecord } from "../base/json.ts";

/** Starts a program that speaks MCP on its standard input and output. */
export interface ProgramDefinition {
  readonly kind: "program";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A server at an address (streamable HTTP). */
export interface AddressDefinition {
  readonly kind: "address";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface ServerDefinition {
  readonly name: string;
  /** The file that names it. */
  readonly file: string;
  readonly start: ProgramDefinition | AddressDefinition;
  /** Its command line or address with the variables as written: their values may be secret. */
  readonly shown: string;
}

/** Names appear in commands, mentions and the names of tools. */
export const serverName = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

/** `${NAME}`, or `${NAME:-default}`. */
const variable = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/**
 * Reads one entry of `mcpServers`.
 *
 * @throws Error with a reason such as `command must be a text`
 */
export function readStart(
  entry: unknown,
  environment: NodeJS.ProcessEnv,
): Pick<ServerDefinition, "start" | "shown"> {
  const start = readEntry(entry, (text) => expandVariables(text, environment));
  if (start.kind === "address" && !/^https?:$/.test(URL.parse(start.url)?.protocol ?? "")) {
    throw new Error("url must be an http or https address");
  }
  const written = readEntry(entry, (text) => text);
  const shown =
    written.kind === "address" ? written.url : [written.command, ...written.args].join(" ");
  return { start, shown };
}

function readEntry(
  entry: unknown,
  expand: (text: string) => string,
): ProgramDefinition | AddressDefinition {
  if (!isRecord(entry)) throw new Error("it must be an object");
  const { command, args = [], env = {}, url, headers = {} } = entry;
  if (command !== undefined && url !== undefined) throw new Error("it has both command and url");
  if (url !== undefined) {
    return {
      kind: "address",
      url: expand(textIn(url, "url")),
      headers: textsIn(headers, "headers", expand),
    };
  }
  if (command === undefined) throw new Error("it needs command or url");
  if (!Array.isArray(args)) throw new Error("args must be a list of texts");
  return {
    kind: "program",
    command: expand(textIn(command, "command")),
    args: args.map((value, index) => expand(textIn(value, `args[${index}]`))),
    env: textsIn(env, "env", expand),
  };
}

function textIn(value: unknown, field: string): string {
  if (typeof value !== "string" || value === "") throw new Error(`${field} must be a text`);
  if (value.includes("\0")) throw new Error(`${field} contains a zero byte`);
  return value;
}

function textsIn(
  value: unknown,
  field: string,
  expand: (text: string) => string,
): Record<string, string> {
  if (!isRecord(value)) throw new Error(`${field} must be an object of texts`);
  return Object.fromEntries(
    Object.entries(value).map(([name, text]) => {
      if (typeof text !== "string") throw new Error(`${field}.${name} must be a text`);
      return [name, expand(text)];
    }),
  );
}

/** @throws Error for a variable that is not set and has no default */
function expandVariables(text: string, environment: NodeJS.ProcessEnv): string {
  return text.replace(variable, (_all, name: string, byDefault: string | undefined) => {
    const value = environment[name] ?? byDefault;
    if (value === undefined) throw new Error(`the environment variable ${name} is not set`);
    return value;
  });
}
