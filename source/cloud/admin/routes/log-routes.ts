// Logs of replicas and events of apps, as they are and as they come.
import type { FastifyInstance } from "fastify";
import { AsyncQueue } from "../../../base/async-queue.ts";
import type { AppKey } from "../../state/app-records.ts";
import type { EventLog } from "../../state/event-log.ts";
import type { EventDocument } from "../documents.ts";
import { type Query, readAppReference, readCount, readFlag } from "../read-query.ts";
import type { AdminServices } from "../services.ts";
import { connectionSignal, streamDocuments } from "../stream-documents.ts";

export function registerLogs(server: FastifyInstance, services: AdminServices): void {
  const { store, engine, log, organisation } = services;
  server.get<{ Params: { app: string }; Querystring: Query }>(
    "/apps/:app/logs",
    async (request, reply) => {
      const { query } = request;
      const key = readAppReference(request.params.app, organisation);
      store.apps.get(key);
      const signal = connectionSignal(reply);
      const lines = engine.logs({
        ...key,
        revision:
          query.revision === undefined ? undefined : revisionOf(services, key, query.revision),
        replica: query.replica,
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
    const key = query.app === undefined ? {} : readAppReference(query.app, organisation);
    const sinceMs = readCount(query, "since") ?? 0;
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
