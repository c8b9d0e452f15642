// Finds the tool servers of a person and of the project in a folder.
import path from "node:path";
import { type McpFile, readMcpFile } from "./mcp-file.ts";
import type { ServerDefinition } from "./server-definition.ts";

export interface FoundServers {
  readonly servers: readonly ServerDefinition[];
  /** Sentences about files and entries that are not used. */
  readonly problems: readonly string[];
}

export interface ServerPlaces {
  /** mcp.json in the configuration folder. */
  readonly ownFile: string;
  /** Folder that may have a .mcp.json. */
  readonly folder: string;
}

export function projectFile(folder: string): string {
  return path.join(path.resolve(folder), ".mcp.json");
}

/**
 * @param mayUse decides about the project's file: others may have written it, and it names programs to
 *   run
 */
export async function findServers(
  { ownFile, folder }: ServerPlaces,
  mayUse: (file: McpFile) => Promise<boolean>,
): Promise<FoundServers> {
  const own = readMcpFile(ownFile);
  const project = readMcpFile(projectFile(folder));
  const servers = [...(own?.servers ?? [])];
  const problems = [...(own?.problems ?? []), ...(project?.problems ?? [])];
  if (project !== undefined && project.servers.length > 0 && (await mayUse(project))) {
    for (const server of project.servers) {
      if (!servers.some(({ name }) => name === server.name)) servers.push(server);
      else
        problems.push(
          `${project.file} names ${server.name} again: the server of ${ownFile} is used.`,
        );
    }
  }
  return { servers, problems };
}
