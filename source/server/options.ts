// Reads `options` and `keep_alive`, shared by all APIs.
import { quoteShort } from "../base/display-text.ts";
import { parseDuration } from "../base/duration.ts";
import { nearestName } from "../base/nearest-name.ts";
import {
  cacheTypes,
  isParameterName,
  type ModelParameters,
  type ParameterKind,
  type ParameterName,
  parameterKinds,
  removedParameters,
  specTypes,
  splitModes,
} from "../store/model-parameters.ts";
import { rangeProblem, readJsonValue } from "../store/parameter-values.ts";
import { invalidField } from "./errors.ts";
import { ignoredText } from "./unknown-fields.ts";

const names: Record<ParameterKind, string> = {
  integer: "integer",
  number: "number",
  boolean: "boolean",
  strings: "array of strings",
  "cache type": `${cacheTypes.slice(0, -1).join(", ")} or ${cacheTypes.at(-1)}`,
  "split mode": `${splitModes.slice(0, -1).join(", ")} or ${splitModes.at(-1)}`,
  "spec type": `${specTypes.slice(0, -1).join(", ")} or ${specTypes.at(-1)}`,
  shares: 'numbers such as "3,1"',
  model: "name of a model",
};

/**
 * Fractions of integer options are cut off; null leaves the default.
 *
 * @param warn called with a sentence on unknown names, which are ignored
 * @throws ProductError `SERVER_FIELD_INVALID` naming the option and its type or range
 */
export function parseOptions(
  options: Record<string, unknown> | undefined,
  warn: (sentence: string) => void,
): ModelParameters {
  const parameters: Partial<Record<ParameterName, unknown>> = {};
  const ignored: string[] = [];
  for (const [name, value] of Object.entries(options ?? {})) {
    if (value === null) continue;
    if (isParameterName(name)) parameters[name] = readOption(name, value);
    else ignored.push(name);
  }
  if (ignored.length > 0) warn(ignoredText("option", ignored, ignoredHint));
  return parameters as ModelParameters;
}

function ignoredHint(name: string): string {
  if (removedParameters.has(name)) return "no longer exists";
  const nearest = nearestName(name, Object.keys(parameterKinds));
  return nearest === undefined ? "unknown" : `did you mean ${nearest}?`;
}

function readOption(name: ParameterName, given: unknown): unknown {
  const { kind } = parameterKinds[name];
  const value = readJsonValue(kind, given);
  if (value === undefined) {
    throw invalidField(`options.${name}`, `option "${name}" must be of type ${names[kind]}`);
  }
  const problem = typeof value === "number" ? rangeProblem(name, value) : undefined;
  if (problem === undefined) return value;
  throw invalidField(`options.${name}`, `option "${name}" ${problem}`);
}

const longestKeepAliveMs = 100 * 365 * 86_400_000;

/**
 * Returns milliseconds; Infinity never unloads, undefined if the request has no such field.
 *
 * @throws ProductError `SERVER_FIELD_INVALID`
 */
export function parseKeepAlive(value: string | number | undefined): number | undefined {
  if (value === undefined) return undefined;
  const milliseconds = parseDuration(value);
  if (milliseconds === undefined) {
    const shown = typeof value === "string" ? quoteShort(value) : String(value);
    throw invalidField(
      "keep_alive",
      `keep_alive is ${shown}, but must be seconds or a duration such as "10m"; a negative value never unloads the model.`,
    );
  }
  // Beyond any date means never.
  return milliseconds > longestKeepAliveMs ? Number.POSITIVE_INFINITY : milliseconds;
}
