// Logs of replicas and events of apps, as they are and as they come.
import type { FastifyInstance } from "fastify";
import { AsyncQueue } from "../../../base/async-queue.ts";
import { ProductError } from "../../../base/product-error.ts";
import { quoteShort } from "../../../base/seen-text.ts";
import { cloudErrors } from "../../errors.ts";
import { type AppKey, appName } from "../../state/app-records.ts";
import type { EventLog } from "../../state/event-log.ts";
import type { EventDocument } from "../documents.ts";
import { reachOf } from "../reach.ts";
import { type Query, readCount, readFlag } from "../read-query.ts";
import type { AdminServices } from "../services.ts";
import { connectionSignal, streamDocuments } from "../stream-documents.ts";

/** Who else writes into a revision's log: the engine that makes it, and the control plane. */
const writers: ReadonlySet<string> = new Set(["build", "control"]);

export function registerLogs(server: FastifyInstance, services: AdminServices): void {
  const { store, engine, log } = services;
  server.get<{ Params: { app: string }; Querystring: Query }>(
    "/apps/:app/logs",
    async (request, reply) => {
      const { query } = request;
      const key = reachOf(request, services).app(request.params.app);
      store.apps.get(key);
      const revision =
        query.revision === undefined ? undefined : revisionOf(services, key, query.revision);
      const { replica } = query;
      if (replica !== undefined) await checkReplica(services, { ...key, revision, replica });
      const signal = connectionSignal(reply);
      const lines = engine.logs({
        ...{ ...key, revision, replica },
        sinceMs: readCount(query, "since"),
        search: query.search,
        lines: readCount(query, "lines"),
        follow: readFlag(query, "follow"),
        signal,
      });
      return await streamDocuments(reply, lines, { signal, log });
    },
  );
  server.get<{ Querystring: Query }>("/events", async (request, reply) => {
    const { query } = request;
    const reach = reachOf(request, services);
    const app = query.app === undefined ? undefined : reach.app(query.app);
    const sinceMs = readCount(query, "since") ?? 0;
    // One that was deleted has events still; one that never was has a mistyped name.
    if (app !== undefined && store.events.list(app).length === 0) store.apps.get(app);
    const key = app ?? (reach.isWhole ? {} : { organisation: reach.organisation });
    const signal = connectionSignal(reply);
    const events = readFlag(query, "follow")
      ? followEvents(store.events, key, sinceMs, signal)
      : allOf(store.events.list({ ...key, sinceMs }));
    return await streamDocuments(reply, events, { signal, log });
  });
}

function revisionOf({ store }: AdminServices, key: AppKey, revision: string): string {
  return store.revisions.get({ ...key, revision }).revision;
}

/**
 * A replica's record goes after a day, its lines stay for a week: either tells that there was one.
 *
 * @throws ProductError `CLOUD_REPLICA_UNKNOWN`
 */
async function checkReplica(
  { store, engine }: AdminServices,
  wanted: AppKey & { revision: string | undefined; replica: string },
): Promise<void> {
  const { organisation, app, revision, replica } = wanted;
  if (writers.has(replica)) return;
  const record = store.replicas.find(replica);
  const isOfApp = record?.organisation === organisation && record.app === app;
  if (isOfApp && (revision ?? record.revision) === record.revision) return;
  for await (const _line of engine.logs({ ...wanted, lines: 1, follow: false })) return;
  const place = revision === undefined ? appName(wanted) : `revision ${revision}`;
  throw new ProductError(cloudErrors.replicaUnknown, {
    message: `There is no replica ${quoteShort(replica)} of ${place}.`,
    hint: `deployctl apps runners ${app} --state all shows those of the last day.`,
  });
}

async function* allOf<T>(items: T[]): AsyncGenerator<T> {
  yield* items;
}

async function* followEvents(
  events: EventLog,
  key: Partial<AppKey>,
  sinceMs: number,
  signal: AbortSignal,
): AsyncGenerator<EventDocument> {
  const queue = new AsyncQueue<EventDocument>();
  const stop = events.follow((event) => {
    if (key.organisation !== undefined && event.organisation !== key.organisation) return;
    if (key.app === undefined || event.app === key.app) queue.push(event);
  });
  const end = () => queue.end();
  signal.addEventListener("abort", end);
  try {
    yield* events.list({ ...key, sinceMs });
    yield* queue;
  } finally {
    stop();
    signal.removeEventListener("abort", end);
  }
}
