// modelctl launch: starts a coding agent on a model of this server.
import { type Agent, keyVariable } from "../../agents/agent.ts";
import { agents, findAgent } from "../../agents/agents.ts";
import { wholeReference } from "../../base/file-path.ts";
import { exitCodes } from "../../base/product-error.ts";
import type { ApiClient } from "../../client/api-client.ts";
import { listModels } from "../../client/models-store.ts";
import { agentsInstalledFirst, findProgram, requireProgram, runProgram } from "../agent-program.ts";
import { chooseLine, isYes } from "../confirm.ts";
import { connect } from "../connect.ts";
import { usageError } from "../errors.ts";
import { explainLaunch } from "../explain-launch.ts";
import { launchAgent } from "../launch-agent.ts";
import type { CommandFlags, Run } from "../program/definition.ts";
import { requireModel } from "../require-model.ts";
import { readSettings } from "../session-settings.ts";
import type { chatCommands } from "./chat.definition.ts";

type Flags = CommandFlags<typeof chatCommands.launch>;

export const launch: Run<typeof chatCommands.launch> = async (
  [named, typedModel],
  typed,
  _program,
  words,
) => {
  const settings = readSettings(typed);
  const key = typed.key ?? process.env[keyVariable];
  const flags: Flags = { ...typed, ...(key && { key }) };
  const agent = named === undefined ? await chooseAgent() : findAgent(named);
  if (agent === undefined) return exitCodes.interrupted;
  const whole = typedModel && wholeReference(typedModel, settings.values.hub_prefixes);
  if (flags.dryRun || flags.printConfig) {
    return await explainLaunch({ agent, model: whole, words, flags, settings });
  }
  await install(agent);
  const { client } = await connect(flags, settings, "shared", undefined);
  const model = whole ?? (await chooseModel(client));
  if (model === undefined) return exitCodes.interrupted;
  const { paths } = settings;
  await requireModel(client, model, flags);
  return await launchAgent(client, { agent, model, words, key: flags.key, paths });
};

/** Installed agents first. @throws ProductError `COMMAND_USAGE` without a terminal */
async function chooseAgent(): Promise<Agent | undefined> {
  const choices = agentsInstalledFirst();
  const rows = choices.map(({ agent: { title, install: command }, isInstalled }) => [
    title,
    isInstalled ? "installed" : `install with: ${command.join(" ")}`,
  ]);
  const names = agents.map(({ name }) => name).join(", ");
  const missing = usageError("launch needs an agent.", `Use one of ${names}.`);
  const index = await chooseLine("Agents", rows, missing);
  return index === undefined ? undefined : choices[index]?.agent;
}

/** @throws ProductError `AGENT_NOT_INSTALLED` unless the user installs it now */
async function install(agent: Agent): Promise<void> {
  if (findProgram(agent.name) !== undefined) return;
  const [program, ...words] = agent.install;
  const command = agent.install.join(" ");
  if (await isYes(`${agent.title} is not installed. Run ${command}? [y/N] `)) {
    await runProgram(program, words);
  }
  requireProgram(agent);
}

/** Returns the only model that calls tools, or the one that the user chooses. */
async function chooseModel(client: ApiClient): Promise<string | undefined> {
  const callsTools = (await listModels(client)).filter(
    ({ capabilities, store }) => capabilities.includes("tools") && store !== "built-in",
  );
  const missing = usageError(
    callsTools.length === 0 ? "No model here calls tools." : "launch needs a model.",
    "For example: modelctl launch codex MODEL; modelctl search finds models.",
  );
  if (callsTools.length === 0) throw missing;
  const names = callsTools.map(({ name }) => name);
  if (names.length === 1) return names[0];
  const rows = callsTools.map(({ name, parameterSize }) => [name, parameterSize]);
  const index = await chooseLine("Models that call tools", rows, missing);
  return index === undefined ? undefined : names[index];
}
