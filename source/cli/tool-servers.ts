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
  const mayUse = (file: McpFile) => mayUseProject(paths, file);
  const { servers, problems } = await findToolServers(paths, mayUse);
  for (const problem of problems) warn(problem);
  return servers;
}

/** @param mayUse decides about a project's file */
export async function findToolServers(
  paths: ProductPaths,
  mayUse: (file: McpFile) => Promise<boolean>,
): Promise<FoundServers> {
  return await findServers({ ownFile: paths.toolServerFile, folder: process.cwd() }, mayUse);
}

/**
 * Asks about a project's file, once for each content.
 *
 * @param confirm defaults to a question in the terminal
 */
export async function mayUseProject(
  paths: ProductPaths,
  file: McpFile,
  confirm?: (question: string) => Promise<boolean>,
): Promise<boolean> {
  const trust = trustOf(paths);
  if (trust.has(file)) return true;
  const isAgreed =
    confirm === undefined
      ? await askInTerminal(file)
      : await confirm(`${describeProject(file)}Use them?`);
  if (isAgreed) trust.add(file);
  return isAgreed;
}

/** Tells of the servers without a terminal, too, where nobody can agree. */
async function askInTerminal(file: McpFile): Promise<boolean> {
  process.stderr.write(describeProject(file));
  const isAgreed = await isYes("Use them? [y/N] ");
  if (!isAgreed) warn(`The servers of ${file.file} are not used.`);
  return isAgreed;
}

/** Permissions for projects' files. */
export function trustOf(paths: ProductPaths): ProjectTrust {
  return new ProjectTrust(path.join(paths.state, "trusted-projects.json"));
}

function describeProject({ file, servers }: McpFile): string {
  const rows = servers.map(({ name, shown }) => `  ${name}: ${showControls(shown)}\n`);
  return `${showControls(file)} names these tool servers, which run as you:\n${rows.join("")}`;
}
