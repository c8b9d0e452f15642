// The request log: GET /api/requests and /api/requests/{id}, POST /api/cancel to end a running
// request of any API, POST /api/answer-now to end its thinking, POST /api/recording to record prompts, answers and bodies.
import type { FastifyInstance, FastifyRequest } from "fastify";
import { type Static, Type } from "typebox";
import { quoteShort } from "../../../base/display-text.ts";
import { ProductError } from "../../../base/product-error.ts";
import {
  allOf,
  filterFields,
  parseFilter,
  parseTerm,
  type RequestFilter,
} from "../../../request-log/filter.ts";
import type { Cancellation, RequestRecord } from "../../../request-log/request-record.ts";
import { canAccess, isOwner } from "../../access.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { invalidField, serverErrors } from "../../errors.ts";
import { followLines, isFollowed } from "../../follow-lines.ts";
import type { RunningRequest } from "../../plugins/request-records.ts";

const text = Type.Optional(Type.String());

const RequestsQuery = Type.Object({
  /** A filter such as `status:5xx model:tiny since:10m`; the fields below narrow it further. */
  filter: text,
  status: text,
  model: text,
  key: text,
  path: text,
  client: text,
  text,
  since: text,
  /** Limits the list to the newest ones. */
  limit: text,
  /** `true`: streams one line per change. */
  follow: text,
});
type RequestsQuery = Static<typeof RequestsQuery>;

export function registerRequests(app: FastifyInstance, dependencies: ServerDependencies): void {
  const { requestLog, transcripts, stopping } = dependencies;
  app.get<{ Querystring: RequestsQuery }>(
    "/requests",
    { schema: { querystring: RequestsQuery } },
    async (request, reply) => {
      const { query } = request;
      const isShown = filterOf(request, dependencies);
      const found = requestLog.records.filter(isShown);
      const newest = found.slice(-readLimit(query.limit));
      if (!isFollowed(request)) return { requests: newest };
      return await followLines(
        reply,
        {
          initial: newest.map((record) => [record.id, record] as const),
          subscribe: (tell) =>
            requestLog.follow((record) => {
              if (isShown(record)) tell(record.id, record);
            }),
        },
        stopping,
      );
    },
  );
  app.get<{ Params: { id: string } }>("/requests/:id", async (request) => {
    const { id } = request.params;
    const record = requestLog.find(id);
    if (record !== undefined && canAccess(request, record)) {
      return { ...record, ...transcripts.get(id) };
    }
    throw new ProductError(serverErrors.requestUnknown, {
      message: `request ${quoteShort(id)} not found: unknown id, or no longer in the log.`,
      hint: "GET /api/requests lists the requests and their ids.",
      param: "id",
    });
  });
}

/** Selects records that the caller may see. @throws ProductError `REQUEST_LOG_FILTER_INVALID` */
function filterOf(
  request: FastifyRequest<{ Querystring: RequestsQuery }>,
  { transcripts }: ServerDependencies,
): (record: RequestRecord) => boolean {
  const { query } = request;
  const now = Date.now();
  const filters: RequestFilter[] = [parseFilter(query.filter ?? "", now)];
  for (const name of filterFields) {
    const value = query[name as keyof RequestsQuery];
    if (value !== undefined) filters.push(parseTerm(name, value, now));
  }
  const isWanted = allOf(filters);
  return (record) => {
    const said = () => {
      const transcript = transcripts.get(record.id);
      return transcript === undefined ? "" : `${transcript.prompt}\n${transcript.answer}`;
    };
    return canAccess(request, record) && isWanted(record, said);
  };
}

function readLimit(value: string | undefined): number {
  if (value === undefined) return Number.POSITIVE_INFINITY;
  const limit = Number(value);
  if (/^\d+$/.test(value) && limit >= 1) return limit;
  throw invalidField("limit", `'limit' is ${quoteShort(value)}, but must be a positive number.`);
}

export const CancelBody = Type.Object({
  /** As in `x-request-id` and `GET /api/requests`. */
  id: Type.String(),
});
export type CancelBody = Static<typeof CancelBody>;

export function registerCancel(
  app: FastifyInstance,
  { requestLog }: Pick<ServerDependencies, "requestLog">,
): void {
  app.post<{ Body: CancelBody }>("/cancel", { schema: { body: CancelBody } }, async (request) => {
    const { id } = request.body;
    const { cancel } = runningRequest(request, requestLog);
    const record = requestLog.find(id);
    if (record !== undefined) requestLog.cancel(record, { by: "api", ...callerOf(request) });
    cancel.abort();
    return { id, status: "cancelled" };
  });
  app.post<{ Body: CancelBody }>(
    "/answer-now",
    { schema: { body: CancelBody } },
    async (request) => {
      runningRequest(request, requestLog).answerNow.abort();
      return { id: request.body.id, status: "answering" };
    },
  );
}

/** @throws ProductError `SERVER_REQUEST_NOT_FOUND` */
function runningRequest(
  request: FastifyRequest<{ Body: CancelBody }>,
  requestLog: ServerDependencies["requestLog"],
): RunningRequest {
  const { id } = request.body;
  // The log forgets old records; then the request's owner is unknown, and only managers may act on it.
  const isTheirs = canAccess(request, requestLog.find(id) ?? {});
  const running = isTheirs ? request.server.running.get(id) : undefined;
  if (running !== undefined) return running;
  throw new ProductError(serverErrors.requestNotFound, {
    message: `request ${quoteShort(id)} not found: it has ended or never existed.`,
    hint: "GET /api/requests lists the requests and their ids.",
    param: "id",
  });
}

function callerOf({ ip: address, headers, caller }: FastifyRequest): Omit<Cancellation, "by"> {
  const agent = headers["user-agent"];
  const keyId = caller?.keyId;
  return {
    address,
    ...(agent !== undefined && { agent }),
    ...(keyId !== undefined && { keyId }),
  };
}

const RecordingBody = Type.Object({
  /** `false` also deletes the recordings. */
  enabled: Type.Boolean(),
});
type RecordingBody = Static<typeof RecordingBody>;

/** Recording lasts until it is turned off or the server ends. */
export function registerRecording(
  app: FastifyInstance,
  { transcripts, ownerToken, log }: Pick<ServerDependencies, "transcripts" | "ownerToken" | "log">,
): void {
  app.post<{ Body: RecordingBody }>(
    "/recording",
    { schema: { body: RecordingBody } },
    async (request) => {
      // Without keys, anyone could otherwise read everybody's prompts.
      const hasManagingKey = request.caller?.keyId !== undefined && request.caller.mayManage;
      if (!hasManagingKey && !isOwner(request, ownerToken)) {
        throw new ProductError(serverErrors.keyForbidden, {
          message: "Recording requires the server's owner or a key with the role manage.",
          hint: "Press P in modelctl's Server screen.",
        });
      }
      const { enabled } = request.body;
      if (enabled !== transcripts.isRecording) {
        transcripts.record(enabled);
        log(`recording of prompts and answers is ${enabled ? "on" : "off"}`);
      }
      return { enabled };
    },
  );
}
