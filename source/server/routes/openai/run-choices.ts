// Runs the choices of a request in parallel.
import type { FastifyReply } from "fastify";
import type { CanonicalEvent, CanonicalRequest } from "../../../engine/request.ts";
import type { ResolvedModel } from "../../../store/model-catalog.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { requestCanceled, runRequest } from "../../run-request.ts";
import { withField } from "./error-field.ts";

/**
 * Returns `n` requests that differ only in their seed: it counts up from the request's or the
 * model's, so that the choices differ and the first equals a single one.
 */
export function repeatWithSeeds(
  canonical: CanonicalRequest,
  n: number,
  model: ResolvedModel,
): CanonicalRequest[] {
  const seed = canonical.parameters.seed ?? model.parameters.seed;
  return Array.from({ length: n }, (_, index) => {
    // Below 0 means a random seed.
    if (index === 0 || seed === undefined || seed < 0) return canonical;
    return { ...canonical, parameters: { ...canonical.parameters, seed: seed + index } };
  });
}

/** Takes an event of a choice; its choice runs on when this has settled. */
type TakeEvent = (event: CanonicalEvent, choice: number) => void | Promise<void>;

/** Runs all choices of a request, see `runChoices`. */
export type RunChoices = (take: TakeEvent) => Promise<void>;

/**
 * Resolves when all choices are complete. A failure of one, or of `take`, ends the others.
 *
 * @param signal aborted when the client leaves
 * @throws ProductError of the store, the prompt or the engine; `ENGINE_CANCELLED`
 */
export async function runChoices(
  dependencies: ServerDependencies,
  reply: FastifyReply,
  choices: readonly CanonicalRequest[],
  { model, signal }: { model: ResolvedModel; signal: AbortSignal },
  take: TakeEvent,
): Promise<void> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const runs = choices.map(async (canonical, choice) => {
    try {
      for await (const event of runRequest(dependencies, reply, canonical, model, either)) {
        if (event.type === "done" && event.reason === "cancelled") throw requestCanceled();
        await take(event, choice);
      }
    } catch (error) {
      failed.abort();
      throw withField(error, canonical);
    }
  });
  try {
    await Promise.all(runs);
  } finally {
    await Promise.allSettled(runs);
  }
  if (signal.aborted) throw requestCanceled();
}
