// Fields of requests that nothing reads: those that cannot change an answer, and unknown ones.
import type { FastifyInstance } from "fastify";
import { type TOptional, type TUnknown, Type } from "typebox";
import { quoteShort } from "../base/display-text.ts";
import { isRecord } from "../base/json.ts";
import { nearestName } from "../base/nearest-name.ts";
import { parameterKinds } from "../store/model-parameters.ts";
import type { ServerDependencies } from "./dependencies.ts";
import { warningsOf } from "./warnings.ts";

export const withoutEffectText = "Accepted, without effect.";

/** Declares fields that are accepted with any value, since the answer is the same. */
export function withoutEffect<Name extends string>(
  ...names: readonly Name[]
): Record<Name, TOptional<TUnknown>> {
  const field = Type.Optional(Type.Unknown({ description: withoutEffectText }));
  return Object.fromEntries(names.map((name) => [name, field])) as Record<Name, typeof field>;
}

/** Warns of fields that the route's schema does not have, such as misspelt ones. */
export function warnOfUnknownFields(
  app: FastifyInstance,
  dependencies: Pick<ServerDependencies, "requestLog" | "log">,
): void {
  app.addHook("preHandler", async (request, reply) => {
    const known = propertiesOf(request.routeOptions.schema?.body);
    if (known === undefined || !isRecord(request.body)) return;
    const unknown = Object.keys(request.body).filter((name) => !Object.hasOwn(known, name));
    if (unknown.length === 0) return;
    warningsOf(dependencies, reply)(ignoredText("field", unknown, (name) => hintOf(name, known)));
  });
}

/** A parameter of the model may be a field of its own on one route, and an option on another. */
function hintOf(name: string, known: Record<string, unknown>): string {
  const parameters = Object.hasOwn(known, "options") ? Object.keys(parameterKinds) : [];
  const nearest = nearestName(name, [...Object.keys(known), ...parameters]);
  if (nearest === undefined) return "unknown";
  if (nearest === name) return "put it into options";
  return `did you mean ${Object.hasOwn(known, nearest) ? nearest : `options.${nearest}`}?`;
}

function propertiesOf(schema: unknown): Record<string, unknown> | undefined {
  return isRecord(schema) && isRecord(schema.properties) ? schema.properties : undefined;
}

const maxNames = 5;

/**
 * `Ignored options: "temprature" (did you mean temperature?), "mirostat" (no longer exists).`
 *
 * @param names as the client wrote them; long ones are shortened
 * @param hintOf explains why a name is ignored
 */
export function ignoredText(
  kind: "field" | "option",
  names: readonly string[],
  hintOf: (name: string) => string,
): string {
  const shown = names.slice(0, maxNames).map((name) => `${quoteShort(name)} (${hintOf(name)})`);
  const others = names.length - shown.length;
  const all = [...shown, ...(others > 0 ? [`and ${others} more`] : [])];
  return `Ignored ${names.length === 1 ? kind : `${kind}s`}: ${all.join(", ")}.`;
}
