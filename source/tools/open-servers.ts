// Opens the servers that a chat names: those of mcp.json, and the built-in ones.
import type { BuiltInTool } from "./built-in/built-in-server.ts";
import { unknownServer } from "./mcp-file.ts";
import type { ServerDefinition } from "./server-definition.ts";
import type { ToolServer } from "./tool.ts";

/** Servers of the program itself, and their tools; a server of mcp.json may replace one. */
const builtIn: Readonly<Record<string, () => Promise<readonly BuiltInTool[]>>> = {
  files: async () => (await import("./built-in/file-tools.ts")).fileTools,
  web: async () => [(await import("./built-in/fetch-page.ts")).fetchPageTool()],
  shell: async () => [(await import("./built-in/run-command.ts")).runCommand],
};

export const builtInNames: readonly string[] = Object.keys(builtIn);

export interface OpenServersOptions {
  /** The working folder, for the built-in tools. */
  readonly folder: string;
  readonly startTimeoutMs: number;
  /** Called after a change of a server's state or tools. */
  readonly onChange?: () => void;
}

/**
 * Returns a server, which starts when its tools are asked for.
 *
 * @param known servers of mcp.json
 * @throws ProductError `TOOLS_SERVER_UNKNOWN`
 */
export async function openServer(
  name: string,
  known: readonly ServerDefinition[],
  { folder, ...options }: OpenServersOptions,
): Promise<ToolServer> {
  const definition = known.find((server) => server.name === name);
  if (definition !== undefined) {
    const { McpServer } = await import("./mcp-server.ts");
    return new McpServer(definition, options);
  }
  const tools = Object.hasOwn(builtIn, name) ? await builtIn[name]?.() : undefined;
  if (tools === undefined) {
    throw unknownServer(name, [...known.map((server) => server.name), ...builtInNames]);
  }
  const { BuiltInServer } = await import("./built-in/built-in-server.ts");
  return new BuiltInServer(name, tools, folder);
}
