// Parses filters for the request log. A filter is a line of terms that must all match:
//
//   status:5xx model:tiny -path:/v1/models since:10m "needle in a haystack"
//
// A term is `field:value` or a text to search for; a leading minus negates it; commas separate
// alternatives (`status:4xx,5xx`); a value with blanks or commas needs double quotes.

import { quoteShort } from "../base/display-text.ts";
import { parseTimeSpan } from "../base/duration.ts";
import { nearestName } from "../base/nearest-name.ts";
import { invalidFilter } from "./errors.ts";
import type { RequestRecord } from "./request-record.ts";

/** @param texts prompts and answers, if they are kept */
export type RequestFilter = (record: RequestRecord, texts: () => string) => boolean;

interface Field {
  /** Valid values, for errors. */
  expects: string;
  /** @returns undefined for an invalid value */
  read: (value: string, now: number) => RequestFilter | undefined;
}

const fields: Record<string, Field> = {
  status: {
    expects: "a status such as 404 or 5xx, or one of running, ok, error, cancelled",
    read: readStatus,
  },
  model: { expects: "a model", read: (value) => (record) => includes(record.model, value) },
  key: {
    expects: "a key's id",
    read: (value) => (record) => record.keyId === value.replace(/^mk_/, ""),
  },
  path: { expects: "a path", read: (value) => (record) => includes(record.path, value) },
  client: {
    expects: "an address or a program",
    read:
      (value) =>
      ({ client }) =>
        includes(client.address, value) || includes(client.agent, value),
  },
  text: { expects: "a text", read: (value) => holdsText(value) },
  since: { expects: "10m, 2h, 1d, or a time such as 2030-01-31T12:00:00Z", read: readSince },
};

export const filterFields: readonly string[] = Object.keys(fields);

/**
 * @param now milliseconds since 1970, for `since:10m`
 * @throws ProductError `REQUEST_LOG_FILTER_INVALID`
 */
export function parseFilter(text: string, now: number): RequestFilter {
  if (text.split('"').length % 2 === 0) {
    throw invalidFilter("filter", "The filter has an unclosed double quote.", "Close it.");
  }
  const term = /(-?)(?:([A-Za-z_]+):((?:"[^"]*"|[^\s"])*)|((?:"[^"]*"|[^\s"])+))/g;
  const filters = Array.from(
    text.matchAll(term),
    ([, minus, field = "text", value = "", plain]) => {
      const filter = parseTerm(field, plain ?? value, now, "filter");
      const opposite: RequestFilter = (record, texts) => !filter(record, texts);
      return minus === "-" ? opposite : filter;
    },
  );
  return allOf(filters);
}

/**
 * Parses one term of a filter.
 *
 * @param param request field that contained it, for errors
 * @throws ProductError `REQUEST_LOG_FILTER_INVALID`
 */
export function parseTerm(
  name: string,
  value: string,
  now: number,
  param: string = name,
): RequestFilter {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (field === undefined) {
    const near = nearestName(name, filterFields);
    throw invalidFilter(
      param,
      `Unknown filter field ${quoteShort(name)}.`,
      near === undefined
        ? `Use one of ${filterFields.join(", ")}; put a text with a colon in double quotes.`
        : `Did you mean ${near}?`,
    );
  }
  const alternatives = (value.match(/(?:"[^"]*"|[^,])+/g) ?? []).map((part) => {
    const filter = field.read(part.replaceAll('"', ""), now);
    if (filter !== undefined) return filter;
    throw invalidFilter(
      param,
      `${quoteShort(part)} is not a valid ${name}: it must be ${field.expects}.`,
      "Example: status:5xx model:tiny since:10m",
    );
  });
  if (alternatives.length === 0) {
    throw invalidFilter(param, `${name} has no value.`, `It must be ${field.expects}.`);
  }
  return (record, texts) => alternatives.some((filter) => filter(record, texts));
}

export function allOf(filters: readonly RequestFilter[]): RequestFilter {
  return (record, texts) => filters.every((filter) => filter(record, texts));
}

function readStatus(value: string): RequestFilter | undefined {
  const word = value.toLowerCase();
  switch (word) {
    case "running":
    case "cancelled":
      return ({ state }) => state === word;
    case "ok":
      return ({ status }) => status !== undefined && status < 400;
    case "error":
      return ({ state, status, error }) =>
        state !== "cancelled" && (error !== undefined || (status !== undefined && status >= 400));
  }
  if (!/^[1-5](\d\d|xx)$/i.test(value)) return undefined;
  const beginning = word.replaceAll("x", "");
  return ({ status }) => String(status ?? "").startsWith(beginning);
}

/** Reads a time span up to now, milliseconds since 1970 as in records, or a date. */
function readSince(value: string, now: number): RequestFilter | undefined {
  const spanMs = /[a-z]$/.test(value) ? parseTimeSpan(value) : undefined;
  const from =
    spanMs !== undefined
      ? now - spanMs
      : /^\d{10,}$/.test(value)
        ? Number(value)
        : Date.parse(value);
  return Number.isNaN(from) ? undefined : (record) => record.startedAt >= from;
}

function holdsText(value: string): RequestFilter {
  return (record, texts) => {
    const { id, path, model, warnings = [], error, client } = record;
    const { address, agent } = client;
    return [id, path, model, ...warnings, error?.code, error?.message, address, agent].some(
      (text) => includes(text, value),
    )
      ? true
      : includes(texts(), value);
  };
}

function includes(text: string | undefined, part: string): boolean {
  return text?.toLowerCase().includes(part.toLowerCase()) ?? false;
}

/**
 * Reads a filter such as `status:5xx model:tiny` for the screens, which have no prompts and answers to
 * search.
 *
 * @throws ProductError `REQUEST_LOG_FILTER_INVALID`
 */
export function readRequestFilter(text: string): (record: RequestRecord) => boolean {
  const filter = parseFilter(text, Date.now());
  return (record) => filter(record, () => "");
}
