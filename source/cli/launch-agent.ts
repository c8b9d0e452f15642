// Starts a coding agent on a model of the server: checks, the agent's files, its process.
import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { Agent, AgentSetup, Endpoint } from "../agents/agent.ts";
import { agentErrors } from "../agents/errors.ts";
import { makeFolder } from "../base/make-folder.ts";
import { describeError, ProductError } from "../base/product-error.ts";
import { systemCode, writeRefusal } from "../base/write-refusal.ts";
import { ApiClient, ServerRefusal } from "../client/api-client.ts";
import { followMetrics } from "../client/metrics.ts";
import { requireProgram, runProgram } from "./agent-program.ts";
import { checkTools, openWindow } from "./agent-window.ts";
import { interruptible } from "./interruptible.ts";
import type { CommandSettings } from "./session-settings.ts";

export interface Launch {
  agent: Agent;
  model: string;
  /** The user's own arguments for the agent. */
  words: readonly string[];
  /** The server's key, if it needs one. */
  key: string | undefined;
  paths: CommandSettings["paths"];
}

/** Folder of our files for an agent, which stays. */
export function agentFolder({ data }: CommandSettings["paths"], { name }: Agent): string {
  return path.join(data, "agents", name);
}

/**
 * Runs the agent until it ends, and keeps the server running meanwhile.
 *
 * @param client of the running server
 * @returns the agent's exit code
 * @throws ProductError of the checks; errors of the server
 */
export async function launchAgent(client: ApiClient, launch: Launch): Promise<number> {
  const { agent, model, words, key, paths } = launch;
  const program = requireProgram(agent);
  const { ownerToken: _, ...connection } = client.connection;
  const { url, authority } = connection;
  // As the agent: without the rights of the server's owner.
  const guest = new ApiClient({ ...connection, ...(key !== undefined && { key }) });
  const leave = holdServer(client);
  try {
    const window = await interruptible(async (signal) => {
      await explained(url, launch, () => checkTools(guest, agent, model));
      return await openWindow(client, agent, model, signal);
    });
    try {
      for (const note of window.notes) process.stderr.write(`${note}\n`);
      const folder = agentFolder(paths, agent);
      const endpoint: Endpoint = { url, model, contextLength: window.contextLength, key, folder };
      const setup = agent.setUp(endpoint);
      await writeFiles(folder, setup);
      return await runProgram(program, [...(setup.arguments ?? []), ...words], {
        ...(authority !== undefined && { NODE_EXTRA_CA_CERTS: authority }),
        ...setup.environment,
      });
    } finally {
      // The exit code is the agent's, even if the server has ended before it.
      await window.release().catch((error) => process.stderr.write(`${describeError(error)}\n`));
    }
  } finally {
    leave();
  }
}

/** Keeps a server in the background from ending, as an open screen does, until the result is called. */
function holdServer(client: ApiClient): () => void {
  const leaving = new AbortController();
  const hold = async () => {
    for await (const _ of followMetrics(client, leaving.signal)); // only the connection matters
  };
  // A server that ends meanwhile is reported after the agent.
  hold().catch(() => {});
  return () => leaving.abort();
}

/** Says what to do when the agent would be refused: for want of a key, or a file by its path. */
async function explained<T>(
  url: string,
  { agent: { title }, model }: Launch,
  call: () => Promise<T>,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof ServerRefusal)) throw error;
    if (error.code === "STORE_FILE_NOT_ALLOWED") {
      const sentence = `${title} may not read the file ${model} through the server. Give it a name with modelctl create NAME in its folder, and launch with the name.`;
      throw new ServerRefusal(error.status, error.code, sentence);
    }
    if (error.status !== 401) throw error;
    const sentence = `The server at ${url} requires a key from ${title}. Create one with modelctl keys create, and set MODELCTL_KEY to it.`;
    throw new ServerRefusal(error.status, error.code, sentence);
  }
}

/** @throws ProductError `AGENT_FOLDER_UNWRITABLE` */
async function writeFiles(folder: string, { files = {} }: AgentSetup): Promise<void> {
  try {
    await makeFolder(folder);
    for (const [name, text] of Object.entries(files)) {
      await writeFile(path.join(folder, name), text, { mode: 0o600 });
    }
  } catch (error) {
    const reason = writeRefusal(folder, systemCode(error));
    if (reason === undefined) throw error;
    throw new ProductError(agentErrors.folderUnwritable, {
      message: `The agent's folder ${folder} cannot be written: ${reason}.`,
      hint: "Check its permissions, or choose another data folder with XDG_DATA_HOME.",
      cause: error,
    });
  }
}
