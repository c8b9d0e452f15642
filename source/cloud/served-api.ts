// API that callers of an app can use, as its server answered when it was verified.
import { shownModel } from "../base/display-text.ts";
import type { AppConfig } from "./app-config.ts";
import { batchingServer } from "./inspection/batching-server.ts";
import type { Inspection } from "./inspection/inspection.ts";

export type ServedApi =
  /** OpenAI's API below `/v1`; the model answers chats. */
  | { kind: "openai"; model: string }
  /** Paths of its own that take POST requests. */
  | { kind: "endpoints"; paths: readonly string[] }
  /** Any other server. */
  | { kind: "http" };

/** Script of a revision, with its settings. */
export interface DeployedScript {
  inspection: Inspection;
  config: AppConfig;
}

/** Returns the API of a server that lists no model for chats. */
export function apiOfOtherServer({ inspection }: DeployedScript): ServedApi {
  const { endpoints = [] } = inspection;
  const paths = endpoints.filter(({ method }) => method === "POST").map(({ path }) => path);
  return paths.length === 0 ? { kind: "http" } : { kind: "endpoints", paths };
}

/** Derives the API from the script, for a server that has not answered yet. */
export function apiOfScript(script: DeployedScript): ServedApi {
  if (batchingServer(script.inspection.command) === undefined) return apiOfOtherServer(script);
  return { kind: "openai", model: wantedModel(script) ?? unknownModel };
}

/**
 * Returns the model that the script serves; a server may list others that it only could serve.
 *
 * @param models that the server lists
 * @returns undefined if it lists none
 */
export function servedModel(script: DeployedScript, models: readonly string[]): string | undefined {
  const wanted = shownModel(wantedModel(script) ?? "");
  return models.find((model) => shownModel(model) === wanted) ?? models[0];
}

const modelVariable = /(^|_)MODEL(_|$)/;
const unknownModel = "MODEL";

/** Returns the model on the script's command line, or in its variables. */
function wantedModel({ inspection, config }: DeployedScript): string | undefined {
  const { command, env_read } = inspection;
  const serve = command.indexOf("serve");
  const flag = command.indexOf("--model");
  const named = command[flag >= 0 ? flag + 1 : serve >= 0 ? serve + 1 : command.length];
  if (config.model !== undefined) return config.model;
  if (named !== undefined && named !== "" && !named.startsWith("-")) return named;
  const variable = env_read.find(({ name }) => modelVariable.test(name));
  if (variable === undefined) return undefined;
  return config.environment[variable.name] ?? variable.value ?? variable.default;
}
