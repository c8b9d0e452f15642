// A record of the server's request log as its clients read it, and as a line for a person.
import { toOneLine } from "../base/display-text.ts";
import { formatMilliseconds } from "../base/time-format.ts";

/** The facts in one line about a request. Times are milliseconds; unknown ones are absent. */
export interface RequestEntry {
  id: string;
  /** Since 1970. */
  startedAt: number;
  method: string;
  path: string;
  state: "running" | "done";
  status?: number | undefined;
  model?: string | undefined;
  keyId?: string | undefined;
  error?: { code: string; message: string } | undefined;
  promptTokens?: number | undefined;
  cachedTokens?: number | undefined;
  /** `slot`, `checkpoint` or `memory`; without any, `not kept` or `none`. */
  cachedFrom?: string | undefined;
  /** Why it is `none`, in words. */
  cacheMiss?: string | undefined;
  completionTokens?: number | undefined;
  loadMs?: number | undefined;
  queueMs?: number | undefined;
  firstTokenMs?: number | undefined;
  tokensPerSecond?: number | undefined;
  totalMs?: number | undefined;
}

/** Fields that make an entry; the others are taken as they are. */
export function isRequestEntry(value: unknown): value is RequestEntry {
  if (value === null || typeof value !== "object") return false;
  const { id, startedAt, method, path, state } = value as Record<string, unknown>;
  const texts = [id, method, path];
  return (
    texts.every((text) => typeof text === "string") &&
    typeof startedAt === "number" &&
    (state === "running" || state === "done")
  );
}

const widths = { status: 3, total: 8, request: 28, model: 18 };
/** Shorter times are not worth showing. */
const worthTellingMs = 1;

/**
 * Status, time, request and model in columns, then what else there is to tell:
 * `200    1.24 s  POST /v1/chat/completions  tiny  34 + 120 tokens, first after 45 ms  r-1f`.
 */
export function formatRequestLine(entry: RequestEntry): string {
  const { status, totalMs, method, path, model = "", id, keyId, error } = entry;
  const columns = [
    (status === undefined ? "…" : String(status)).padEnd(widths.status),
    (totalMs === undefined ? "" : formatMilliseconds(totalMs)).padStart(widths.total),
    `${method} ${path}`.padEnd(widths.request),
    model.padEnd(widths.model),
    figures(entry),
    id,
    keyId === undefined ? "" : `key ${keyId}`,
    error === undefined ? "" : `${error.code}: ${error.message}`,
  ];
  return toOneLine(columns.filter((column) => column !== "").join("  ")).trimEnd();
}

/** Returns where the cached tokens came from, or why there are none; undefined if unknown. */
export function cacheSource({
  cachedTokens = 0,
  cachedFrom,
  cacheMiss,
}: Pick<RequestEntry, "cachedTokens" | "cachedFrom" | "cacheMiss">): string | undefined {
  if (cachedTokens > 0 || cachedFrom === "not kept") return cachedFrom;
  return cacheMiss;
}

function figures(entry: RequestEntry): string {
  const { promptTokens, cachedTokens = 0, completionTokens } = entry;
  const source = cacheSource(entry);
  const isTold = cachedTokens > 0 || source !== undefined;
  const { loadMs, queueMs, firstTokenMs, tokensPerSecond } = entry;
  const answer = completionTokens === undefined ? "" : ` + ${completionTokens}`;
  const told = (words: string, milliseconds: number | undefined) =>
    milliseconds === undefined || milliseconds < worthTellingMs
      ? ""
      : `${words} ${formatMilliseconds(milliseconds)}`;
  return [
    promptTokens === undefined ? "" : `${promptTokens}${answer} tokens`,
    isTold ? `${cachedTokens} cached${source === undefined ? "" : ` (${source})`}` : "",
    told("loaded in", loadMs),
    told("queued", queueMs),
    told("first after", firstTokenMs),
    tokensPerSecond === undefined ? "" : `${tokensPerSecond.toFixed(1)} tokens/s`,
  ]
    .filter((part) => part !== "")
    .join(", ");
}
