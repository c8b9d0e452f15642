// Requests to every route in the server's OpenAPI document, with hostile values in some places.
import { isRecord } from "../../source/base/json.ts";
import type { Dice } from "./dice.ts";
import { hostileText, hostileValue } from "./hostile-values.ts";
import { sampleObject } from "./sample-values.ts";

export interface Operation {
  method: string;
  path: string;
  /** Of the body; undefined where the route takes none. */
  schema: Record<string, unknown> | undefined;
  parameters: ReadonlyArray<{ name: string; in: string }>;
}

export interface ApiRequest {
  method: string;
  /** Path and query. */
  target: string;
  body: unknown;
}

/** Reads the reply of `/openapi.json`. */
export function operationsIn({ text }: { text: string }): Operation[] {
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, unknown>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const { parameters = [], requestBody } = Object(operation);
      const schema = requestBody?.content?.["application/json"]?.schema;
      return { method: method.toUpperCase(), path, parameters, schema };
    }),
  );
}

/** Returns a valid request to a route, with up to three hostile values. */
export function makeRequest(
  dice: Dice,
  { method, path, schema, parameters }: Operation,
): ApiRequest {
  const value = () => encodeURIComponent(hostileText(dice).slice(0, 2000).toWellFormed());
  const query = dice
    .some(parameters.filter((each) => each.in === "query" && each.name !== "follow"))
    .map(({ name }) => `${name}=${value()}`)
    .join("&");
  const target = path.replaceAll(/\{\w+\}/g, value) + (query === "" ? "" : `?${query}`);
  if (schema === undefined) {
    return { method, target, body: method === "GET" ? undefined : hostileText(dice) };
  }
  return { method, target, body: spoil(dice, sampleObject(dice, schema)) };
}

/** Puts hostile values into up to three places at any depth; rarely, into the JSON text itself. */
function spoil(dice: Dice, body: object): unknown {
  for (let left = dice.below(4); left > 0; left -= 1) replaceSomewhere(dice, body);
  if (dice.chance(0.03)) return "[".repeat(100_000);
  if (dice.chance(0.03)) return JSON.stringify(body).slice(0, dice.below(200));
  return dice.chance(0.02) ? hostileValue(dice) : body;
}

function replaceSomewhere(dice: Dice, place: object): void {
  const keys = Object.keys(place);
  if (keys.length === 0) return;
  const key = dice.pick(keys);
  const inner: unknown = Reflect.get(place, key);
  const isDeeper = (isRecord(inner) || Array.isArray(inner)) && dice.chance(0.6);
  if (isDeeper) replaceSomewhere(dice, inner);
  else Reflect.set(place, key, hostileValue(dice));
}

/** Returns a curl command that repeats a request. */
export function curlOf(url: string, { method, target, body }: ApiRequest): string {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const data = body === undefined ? "" : ` --data-binary '${text.replaceAll("'", "'\\''")}'`;
  return `curl -X ${method} '${url}${target}'${data}`;
}
