// Prints how an agent would be launched, without starting or changing anything.
import path from "node:path";
import {
  type Agent,
  type AgentSetup,
  type Endpoint,
  keyVariable,
  recommendedWindow,
} from "../agents/agent.ts";
import { exitCodes } from "../base/product-error.ts";
import { quoteForShell } from "../base/quoting.ts";
import { defaultHost, defaultPort, urlOf } from "../configuration/address.ts";
import { plannedWindow } from "./agent-window.ts";
import { usageError } from "./errors.ts";
import type { Flags } from "./flags.ts";
import { agentFolder } from "./launch-agent.ts";
import { findRunningServer } from "./running-server.ts";
import { type CommandSettings, connectUrl } from "./session-settings.ts";

export interface PlannedLaunch {
  agent: Agent;
  model: string | undefined;
  /** The user's own arguments for the agent. */
  words: readonly string[];
  flags: Flags & { printConfig?: boolean };
  settings: CommandSettings;
}

/** @throws ProductError `COMMAND_USAGE` without a model; errors of a running server */
export async function explainLaunch(launch: PlannedLaunch): Promise<number> {
  const { agent, model, words, flags } = launch;
  if (model === undefined) {
    throw usageError("launch needs a model.", `For example: modelctl launch ${agent.name} MODEL`);
  }
  const endpoint = await plannedEndpoint(launch, model);
  if (flags.printConfig) {
    const { file, text } = agent.ownConfiguration(endpoint);
    process.stderr.write(`Add to ${file}:\n`);
    process.stdout.write(text);
    return exitCodes.ok;
  }
  const setup = agent.setUp(endpoint);
  for (const [name, text] of Object.entries(setup.files ?? {})) {
    const lines = text.trimEnd().replaceAll(/^/gm, "#   ");
    process.stdout.write(`# ${path.join(endpoint.folder, name)}:\n${lines}\n`);
  }
  process.stdout.write(commandText(agent, setup, endpoint, words));
  return exitCodes.ok;
}

/** Returns the endpoint of the running server, or of the one that would be started. */
async function plannedEndpoint(
  { agent, flags, settings }: PlannedLaunch,
  model: string,
): Promise<Endpoint> {
  const client = await findRunningServer(flags, settings);
  const usual = { host: defaultHost, port: defaultPort, scheme: "http", path: "" } as const;
  return {
    url: client?.connection.url ?? connectUrl(flags) ?? urlOf(settings.address ?? usual),
    model,
    contextLength:
      client === undefined ? recommendedWindow : await plannedWindow(client, agent, model),
    key: flags.key,
    folder: agentFolder(settings.paths, agent),
  };
}

/**
 * Returns a command for a POSIX shell, a variable on each line. The key is shown as `$MODELCTL_KEY`.
 *
 * @param more the user's own arguments
 */
export function commandText(
  { name }: Agent,
  { environment, arguments: words = [] }: AgentSetup,
  { key }: Endpoint,
  more: readonly string[],
): string {
  const variables = Object.entries(environment).map(([variable, value]) => {
    const quoted = key !== undefined && value === key ? `"$${keyVariable}"` : quoteForShell(value);
    return `${variable}=${quoted} \\\n`;
  });
  return `${variables.join("")}${[name, ...words, ...more].map(quoteForShell).join(" ")}\n`;
}
