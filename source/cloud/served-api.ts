// What callers of an app can use, as its server answered when it was verified.
import { batchingServer } from "./inspection/batching-server.ts";
import type { Inspection } from "./inspection/inspection.ts";

export type ServedApi =
  /** OpenAI's API below `/v1`, so the app can chat. */
  | { kind: "openai"; model: string }
  /** Paths of its own that take POST requests. */
  | { kind: "endpoints"; paths: readonly string[] }
  /** Any other server. */
  | { kind: "http" };

/** @param models that the server lists under `/v1/models`; empty if it lists none */
export function apiOfServer({ endpoints }: Inspection, models: readonly string[]): ServedApi {
  const [model] = models;
  if (model !== undefined) return { kind: "openai", model };
  const paths = (endpoints ?? []).filter(({ method }) => method === "POST");
  if (paths.length === 0) return { kind: "http" };
  return { kind: "endpoints", paths: paths.map(({ path }) => path) };
}

/** Derives the API from the script, for a server that has not answered yet. */
export function apiOfScript(inspection: Inspection): ServedApi {
  const isModelServer = batchingServer(inspection.command) !== undefined;
  return apiOfServer(inspection, isModelServer ? [servedModel(inspection)] : []);
}

const modelVariable = /(^|_)MODEL(_|$)/;
const unknownModel = "MODEL";

/** Returns the model on the script's command line, or a placeholder. */
export function servedModel({ command, env_read }: Inspection): string {
  const serve = command.indexOf("serve");
  const flag = command.indexOf("--model");
  const named = command[flag >= 0 ? flag + 1 : serve >= 0 ? serve + 1 : command.length];
  if (named !== undefined && named !== "" && !named.startsWith("-")) return named;
  const variable = env_read.find(({ name }) => modelVariable.test(name));
  return variable?.value ?? variable?.default ?? unknownModel;
}
