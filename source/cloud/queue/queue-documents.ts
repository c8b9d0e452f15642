// Documents of queued requests in fal's form, for their callers.
import type { LogLine } from "../engines/engine.ts";
import type { AppKey } from "../state/app-records.ts";
import type { QueuedRequest } from "./queue-store.ts";

/** Log line as fal's clients read it. */
interface FalLog {
  timestamp: string;
  message: string;
  level: "STDOUT" | "STDERR" | "INFO";
  source: "USER";
}

/** @param baseUrl address of the queue that the caller asked */
export function requestUrls(
  baseUrl: string,
  { organisation, app, id }: AppKey & { id: string },
): { response_url: string; status_url: string; cancel_url: string } {
  const url = `${baseUrl}/${organisation}/${app}/requests/${id}`;
  return { response_url: url, status_url: `${url}/status`, cancel_url: `${url}/cancel` };
}

export interface StatusFacts {
  baseUrl: string;
  position: number;
  /** Undefined: not asked for. */
  logs: readonly LogLine[] | undefined;
}

/** fal's clients require `logs` in every status. */
export function statusDocument(
  request: QueuedRequest,
  { baseUrl, position, logs }: StatusFacts,
): Record<string, unknown> {
  const { id, state, status = 0, startedAt, endedAt, errorType, error } = request;
  const common = {
    request_id: id,
    ...requestUrls(baseUrl, request),
    logs: logs === undefined ? null : logs.map(falLog),
  };
  if (state === "running") return { status: "IN_PROGRESS", ...common };
  if (state !== "done") return { status: "IN_QUEUE", queue_position: position, ...common };
  const seconds =
    startedAt === undefined || endedAt === undefined ? undefined : (endedAt - startedAt) / 1000;
  const hasFailed = status >= 400;
  return {
    status: "COMPLETED",
    ...common,
    metrics: { ...(seconds !== undefined && { inference_time: seconds }) },
    ...(hasFailed && {
      error: error ?? `Invalid status code: ${status}`,
      error_type: errorType ?? "runner_error",
    }),
  };
}

function falLog({ ts, text, stream }: LogLine): FalLog {
  const level = stream === "event" ? "INFO" : stream === "stderr" ? "STDERR" : "STDOUT";
  return { timestamp: new Date(ts).toISOString(), message: text, level, source: "USER" };
}
