// Tool servers of this command: from mcp.json, and from the project after a person's yes.
import path from "node:path";
import { showControls } from "../base/display-text.ts";
import type { ProductPaths } from "../configuration/paths.ts";
import { type FoundServers, findServers } from "../tools/find-servers.ts";
import type { McpFile } from "../tools/mcp-file.ts";
import { ProjectTrust } from "../tools/project-trust.ts";
import { isYes } from "./confirm.ts";
import { warn } from "./output.ts";

/** Prints problems of the files, and asks about a project's file that is new or changed. */
export async function openToolServers(paths: ProductPaths): Promise<FoundServers["servers"]> {
  const places = { ownFile: paths.toolServerFile, folder: process.cwd() };
  const trust = trustOf(paths);
  const { servers, problems } = await findServers(places, async (file) => {
    if (trust.has(file)) return true;
    process.stderr.write(describeProject(file));
    if (!(await isYes("Use them? [y/N] "))) {
      warn(`The servers of ${file.file} are not used.`);
      return false;
    }
    trust.add(file);
    return true;
  });
  for (const problem of problems) warn(problem);
  return servers;
}

/** Permissions for projects' files. */
export function trustOf(paths: ProductPaths): ProjectTrust {
  return new ProjectTrust(path.join(paths.state, "trusted-projects.json"));
}

function describeProject({ file, servers }: McpFile): string {
  const rows = servers.map(({ name, shown }) => `  ${name}: ${showControls(shown)}\n`);
  return `${showControls(file)} names these tool servers, which run as you:\n${rows.join("")}`;
}
