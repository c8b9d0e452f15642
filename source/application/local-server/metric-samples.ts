// Models and requests of a server, as its metrics sample them.
import { memoryNeed } from "../../engine/scheduler/memory-plan.ts";
import type { Scheduler } from "../../engine/scheduler/scheduler.ts";
import type { LoadedModelSample, RequestsSample } from "../../metrics/machine-monitor.ts";
import type { RequestLog } from "../../request-log/request-log.ts";

export function loadedSamples({ models }: Pick<Scheduler, "models">): LoadedModelSample[] {
  return models.map((loaded) => {
    const { model, names, facts, settings, users, state, expiresAt, fraction } = loaded;
    // Each slot answers one request; all wait while the model is being loaded.
    const running = facts === undefined ? 0 : Math.min(users, settings.slots);
    return {
      name: model.name,
      names: [...names],
      state,
      running,
      waiting: users - running,
      ramBytes: facts?.memory.ramBytes ?? 0,
      vramBytes: facts?.memory.vramBytes ?? 0,
      slots: settings.slots,
      contextLength: settings.contextLength,
      cacheBytes: memoryNeed(model, settings).cacheBytes,
      cacheType: settings.kvCacheType,
      expiresAt,
      loadFraction: fraction,
    };
  });
}

export function requestsSample(
  { running }: Pick<RequestLog, "running">,
  now: number,
  areRecorded: boolean,
): RequestsSample {
  let longestWaitMs = 0;
  let contextTokens = 0;
  for (const { startedAt, model, promptTokens, completionTokens } of running) {
    // Requests without a model do not queue.
    if (promptTokens === undefined && model !== undefined) {
      longestWaitMs = Math.max(longestWaitMs, now - startedAt);
    }
    contextTokens += (promptTokens ?? 0) + (completionTokens ?? 0);
  }
  return { longestWaitMs, contextTokens, areRecorded };
}
