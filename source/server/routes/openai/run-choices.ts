// Runs the choices of a request in parallel and merges their events into one stream.
import type { FastifyRequest } from "fastify";
import type { CanonicalEvent, CanonicalRequest } from "../../../engine/request.ts";
import type { ResolvedModel } from "../../../store/model-catalog.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { requestCanceled, runRequest } from "../../run-request.ts";
import { withField } from "./error-field.ts";

export interface ChoiceEvent {
  choice: number;
  event: CanonicalEvent;
}

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

/**
 * Yields the events of all choices as they come. A failure ends the others, and so does leaving the
 * loop.
 *
 * @param signal aborted when the client leaves
 * @throws ProductError of the store, the prompt or the engine; `ENGINE_CANCELLED`
 */
export async function* runChoices(
  dependencies: ServerDependencies,
  request: FastifyRequest,
  choices: readonly CanonicalRequest[],
  model: ResolvedModel,
  signal: AbortSignal,
): AsyncGenerator<ChoiceEvent> {
  const ended = new AbortController();
  const both = AbortSignal.any([signal, ended.signal]);
  const runs = choices.map((canonical) =>
    runRequest(dependencies, request, canonical, model, both),
  );
  const next = new Map(runs.map((run, choice) => [choice, nextOf(run, choice)]));
  try {
    while (next.size > 0) {
      const { choice, run, result } = await Promise.race(next.values());
      if (result.done) {
        next.delete(choice);
        continue;
      }
      const event = result.value;
      if (event.type === "done" && event.reason === "cancelled") throw requestCanceled();
      yield { choice, event };
      next.set(choice, nextOf(run, choice));
    }
    if (signal.aborted) throw requestCanceled();
  } catch (error) {
    const [first] = choices;
    throw first === undefined ? error : withField(error, first);
  } finally {
    ended.abort();
    await Promise.allSettled([...next.values(), ...runs.map((run) => run.return(undefined))]);
  }
}

async function nextOf(run: AsyncGenerator<CanonicalEvent>, choice: number) {
  return { choice, run, result: await run.next() };
}
