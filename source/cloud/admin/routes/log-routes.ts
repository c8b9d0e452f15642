// Routes of replica logs and app events, stored and live.
import type { FastifyInstance } from "fastify";
import { AsyncQueue } from "../../../base/async-queue.ts";
import { quoteShort } from "../../../base/display-text.ts";
import { ProductError } from "../../../base/product-error.ts";
import { cloudErrors } from "../../errors.ts";
import { type AppKey, appName } from "../../state/app-records.ts";
import type { EventLog } from "../../state/event-log.ts";
import { accessOf } from "../access.ts";
import type { EventDocument } from "../documents.ts";
import { type Query, readCount, readFlag } from "../read-query.ts";
import type { AdminServices } from "../services.ts";
import { streamDocuments } from "../stream-documents.ts";

/** Other writers of a revision's log: the build, and the control plane. */
const writers: ReadonlySet<string> = new Set(["build", "control"]);

export function registerLogs(server: FastifyInstance, services: AdminServices): void {
  const { store, engine, log } = services;
  server.get<{ Params: { app: string }; Querystring: Query }>(
    "/apps/:app/logs",
    async (request, reply) => {
      const { query } = request;
      const key = accessOf(request, services).app(request.params.app);
      store.apps.get(key);
      const revision =
        query.revision === undefined ? undefined : revisionOf(services, key, query.revision);
      const { replica } = query;
      if (replica !== undefined) await checkReplica(services, { ...key, revision, replica });
      const filter = {
        ...{ ...key, revision, replica },
        sinceMs: readCount(query, "since"),
        search: query.search,
        lines: readCount(query, "lines"),
        follow: readFlag(query, "follow"),
      };
      return await streamDocuments(reply, log, (signal) => engine.logs({ ...filter, signal }));
    },
  );
  server.get<{ Querystring: Query }>("/events", async (request, reply) => {
    const { query } = request;
    const access = accessOf(request, services);
    const app = query.app === undefined ? undefined : access.app(query.app);
    const sinceMs = readCount(query, "since") ?? 0;
    // A deleted app still has events; an app that never existed is a mistyped name.
    if (app !== undefined && store.events.list(app).length === 0) store.apps.get(app);
    const key = app ?? (access.isServerWide ? {} : { organisation: access.organisation });
    const follows = readFlag(query, "follow");
    return await streamDocuments(reply, log, (signal) =>
      follows
        ? followEvents(store.events, key, sinceMs, signal)
        : store.events.list({ ...key, sinceMs }),
    );
  });
}

function revisionOf({ store }: AdminServices, key: AppKey, revision: string): string {
  return store.revisions.get({ ...key, revision }).revision;
}

/**
 * Accepts a replica with a record, which is kept for a day, or with lines, which are kept for a
 * week.
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
  const place = revision === undefined ? `App ${appName(wanted)}` : `Revision ${revision}`;
  throw new ProductError(cloudErrors.replicaUnknown, {
    message: `${place} has no replica ${quoteShort(replica)}.`,
    hint: `Run \`deployctl apps runners ${app} --state all\` to see replicas of the last day.`,
  });
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
