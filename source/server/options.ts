// Reads `options` and `keep_alive`, which both APIs take.
import { parseDuration } from "../configuration/duration.ts";
import {
  type ModelParameters,
  type ParameterKind,
  parameterKinds,
} from "../store/model-parameters.ts";
import { invalidField } from "./errors.ts";

const names: Record<ParameterKind, string> = {
  integer: "integer",
  number: "number",
  boolean: "boolean",
  strings: "array of strings",
};

/**
 * @param log told about names that do not exist, which are ignored
 * @throws ProductError `SERVER_FIELD_INVALID` naming the option and its type
 */
export function parseOptions(
  options: Record<string, unknown> | undefined,
  log: (text: string) => void,
): ModelParameters {
  const parameters: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(options ?? {})) {
    if (value === null) continue; // leaves the default
    if (!isParameter(name)) {
      log(`option ${JSON.stringify(name)} is unknown and ignored`);
      continue;
    }
    const { kind } = parameterKinds[name];
    const read = readers[kind](value);
    if (read === undefined) {
      throw invalidField(`options.${name}`, `option "${name}" must be of type ${names[kind]}`);
    }
    parameters[name] = read;
  }
  checkRanges(parameters as ModelParameters);
  return parameters as ModelParameters;
}

function isParameter(name: string): name is keyof ModelParameters {
  return Object.hasOwn(parameterKinds, name);
}

const readers: Record<ParameterKind, (value: unknown) => unknown> = {
  integer: (value) => (isNumber(value) ? Math.trunc(value) : undefined),
  number: (value) => (isNumber(value) ? value : undefined),
  boolean: (value) => (typeof value === "boolean" ? value : undefined),
  strings: (value) =>
    Array.isArray(value) && value.every((item) => typeof item === "string") ? value : undefined,
};

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

const longestKeepAliveMs = 100 * 365 * 86_400_000;

/** Values that no sampler can work with. */
function checkRanges(parameters: ModelParameters): void {
  if (parameters.repeat_penalty === 0) {
    throw invalidField("options.repeat_penalty", 'option "repeat_penalty" must be above 0');
  }
  const atLeastZero = ["temperature", "top_k", "top_p", "min_p", "repeat_penalty"] as const;
  for (const name of atLeastZero) {
    const value = parameters[name];
    if (value !== undefined && value < 0) {
      throw invalidField(
        `options.${name}`,
        `option "${name}" must not be negative, but is ${value}`,
      );
    }
  }
}

/**
 * Milliseconds, Infinity for good, undefined where the request says nothing.
 *
 * @throws ProductError `SERVER_FIELD_INVALID`
 */
export function parseKeepAlive(value: string | number | undefined): number | undefined {
  if (value === undefined) return undefined;
  const milliseconds = parseDuration(value);
  if (milliseconds === undefined) {
    throw invalidField(
      "keep_alive",
      `keep_alive is ${JSON.stringify(value)}, but must be seconds or a duration such as "10m"; negative keeps the model for good.`,
    );
  }
  // Longer than a calendar reaches is for good.
  return milliseconds > longestKeepAliveMs ? Number.POSITIVE_INFINITY : milliseconds;
}
