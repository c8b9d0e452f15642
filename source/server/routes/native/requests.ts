// GET /api/requests and /api/requests/{id}: what was asked of the server, and how it went.
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
import type { RequestRecord } from "../../../request-log/request-record.ts";
import { canAccess } from "../../access.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { invalidField, serverErrors } from "../../errors.ts";
import { followLines } from "../../follow-lines.ts";
import { readSwitch } from "../../read-switch.ts";

const text = Type.Optional(Type.String());

const RequestsQuery = Type.Object({
  /** A whole filter, such as `status:5xx model:tiny since:10m`; the fields below narrow it further. */
  filter: text,
  status: text,
  model: text,
  key: text,
  path: text,
  client: text,
  text,
  since: text,
  /** Only the newest ones. */
  limit: text,
  /** `true`: the reply goes on with a line for each change. */
  follow: text,
});
type RequestsQuery = Static<typeof RequestsQuery>;

export function registerRequests(app: FastifyInstance, dependencies: ServerDependencies): void {
  const { requestLog, transcripts, stopping } = dependencies;
  app.get<{ Querystring: RequestsQuery }>(
    "/api/requests",
    { schema: { querystring: RequestsQuery } },
    async (request, reply) => {
      const { query } = request;
      const isShown = filterOf(request, dependencies);
      const found = requestLog.records.filter(isShown);
      const newest = found.slice(-readLimit(query.limit));
      const isFollowed = readSwitch("follow", query.follow) && request.method === "GET";
      if (!isFollowed) return { requests: newest };
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
  app.get<{ Params: { id: string } }>("/api/requests/:id", async (request) => {
    const { id } = request.params;
    const record = requestLog.find(id);
    if (record !== undefined && canAccess(request, record)) {
      return { ...record, ...transcripts.get(id) };
    }
    throw new ProductError(serverErrors.requestUnknown, {
      message: `request ${quoteShort(id)} not found: it is none, or the log has forgotten it.`,
      hint: "GET /api/requests lists the requests and their ids.",
      param: "id",
    });
  });
}

/** @throws ProductError `REQUEST_LOG_FILTER_INVALID` */
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
  throw invalidField("limit", `'limit' is ${quoteShort(value)}, but must be a number from 1 on.`);
}
