// The parameters that a stored model carries: those we know, and whatever else was written there.
import { isRecord } from "../../base/json-record.ts";
import {
  isCacheType,
  isParameterName,
  type ModelParameters,
  type ParameterName,
  parameterKinds,
} from "../model-parameters.ts";
import { rangeProblem } from "../parameter-values.ts";

export interface StoredParameters {
  parameters: ModelParameters;
  /** Names we do not know, and values of another kind than they should be; kept as they are. */
  otherValues: Record<string, unknown>;
}

/** @throws Error when it is no JSON object */
export function parseParameters(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  if (!isRecord(value)) throw new Error("the parameters are not an object");
  return value;
}

export function sortParameters(raw: Record<string, unknown>): StoredParameters {
  const known: Array<[string, unknown]> = [];
  const otherValues: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(raw)) {
    const read = isParameterName(name) ? readValue(name, value) : undefined;
    if (read === undefined) otherValues[name] = value;
    else known.push([name, read]);
  }
  // Each value was read by the kind of its name.
  return { parameters: Object.fromEntries(known) as ModelParameters, otherValues };
}

/** Undefined when the value is not of the parameter's kind. */
function readValue(name: ParameterName, value: unknown): unknown {
  switch (parameterKinds[name].kind) {
    case "boolean":
      return typeof value === "boolean" ? value : undefined;
    case "strings":
      if (typeof value === "string") return [value];
      return Array.isArray(value) && value.every((item) => typeof item === "string")
        ? value
        : undefined;
    case "cache type":
      return isCacheType(value) ? value : undefined;
    case "number":
      return typeof value === "number" ? inRange(name, value) : undefined;
    case "integer":
      // Ollama cuts the fraction off.
      return typeof value === "number" ? inRange(name, Math.trunc(value)) : undefined;
  }
}

function inRange(name: ParameterName, value: number): number | undefined {
  return rangeProblem(name, value) === undefined ? value : undefined;
}
