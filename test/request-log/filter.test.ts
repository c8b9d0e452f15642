// The filter of the request log: matches and errors.
import { describe, expect, test } from "vitest";
import { parseFilter, parseTerm } from "../../source/request-log/filter.ts";
import type { RequestRecord } from "../../source/request-log/request-record.ts";

const now = Date.UTC(2030, 0, 31, 12);
const opening = {
  method: "POST",
  client: { address: "10.0.0.7", agent: "OpenAI/JS 7.1" },
  stream: false,
  state: "done",
} as const;

const records: RequestRecord[] = [
  {
    ...opening,
    id: "a",
    startedAt: now - 3_600_000,
    path: "/v1/chat/completions",
    status: 200,
    model: "tiny",
    keyId: "abcdefghijkl",
  },
  {
    ...opening,
    id: "b",
    startedAt: now - 600_000,
    path: "/api/chat",
    status: 503,
    model: "Gemma:2b",
    error: { code: "ENGINE_QUEUE_FULL", message: "server busy, please try again." },
  },
  {
    ...opening,
    id: "c",
    startedAt: now - 60_000,
    path: "/api/embed",
    status: 404,
    model: "none",
    error: { code: "STORE_MODEL_NOT_FOUND", message: "model 'none' not found" },
  },
  { ...opening, id: "d", startedAt: now - 1000, path: "/api/generate", state: "running" },
];
const said: Record<string, string> = { a: "What is the capital of France?" };

const found = (text: string) => {
  const filter = parseFilter(text, now);
  return records
    .filter((record) => filter(record, () => said[record.id] ?? ""))
    .map(({ id }) => id)
    .join("");
};

test.each([
  ["", "abcd"],
  ["status:5xx", "b"],
  ["status:200", "a"],
  ["status:4xx,5xx", "bc"],
  ["status:error", "bc"],
  ["status:ok", "a"],
  ["status:running", "d"],
  ["-status:5xx", "acd"],
  ["model:gemma", "b"],
  ["model:TINY", "a"],
  ['model:"gemma:2b"', "b"],
  ["model:gemma:2b", "b"],
  ["key:abcdefghijkl", "a"],
  ["key:mk_abcdefghijkl", "a"],
  ["path:/api", "bcd"],
  ["-path:/api", "a"],
  ["client:10.0.0.7 client:openai", "abcd"],
  ["since:10m", "bcd"],
  ["since:1h", "abcd"],
  ["since:90s", "cd"],
  ["since:2030-01-31T11:59:00Z", "cd"],
  [`since:${now - 1000}`, "d"],
  ["busy", "b"],
  ['"please try"', "b"],
  ["ENGINE_QUEUE_FULL", "b"],
  ["text:capital", "a"],
  ['"capital of" status:ok', "a"],
  ["-capital", "bcd"],
  ["path:/api status:error since:5m", "c"],
  ["nowhere", ""],
])("%s finds %j", (text, ids) => {
  expect(found(text)).toBe(ids);
});

describe("an invalid filter is refused", () => {
  test.each([
    ["status:6xx", "status", "5xx"],
    ["status:20", "status", "5xx"],
    ["since:soon", "since", "10m"],
    ["since:", "since", "10m"],
    ["stauts:200", "stauts", "Did you mean status?"],
    ["tiny:latest", "tiny", "double quotes"],
    ['"open', "double quote", "Close"],
    ['model:"open', "double quote", "Close"],
    ["status:,", "status", "5xx"],
  ])("%s", (text, what, hint) => {
    const refuse = () => parseFilter(text, now);
    expect(refuse).toThrow(
      expect.objectContaining({ code: "REQUEST_LOG_FILTER_INVALID", status: 400, param: "filter" }),
    );
    expect(sentenceOf(refuse)).toContain(what);
    expect(sentenceOf(refuse)).toContain(hint);
  });

  test("a single field names its parameter", () => {
    expect(() => parseTerm("status", "x", now)).toThrow(
      expect.objectContaining({ param: "status" }),
    );
    expect(() => parseTerm("constructor", "x", now)).toThrow(
      expect.objectContaining({ code: "REQUEST_LOG_FILTER_INVALID" }),
    );
  });
});

function sentenceOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return error instanceof Error && "sentence" in error ? String(error.sentence) : String(error);
  }
  return "";
}

test("a cancelled request is neither ok nor an error", () => {
  const client = { address: "10.0.0.7" };
  const cancelled = { by: "client", ...client } as const;
  const record = { ...opening, id: "e", startedAt: now, path: "/api/chat", client } as const;
  const left: RequestRecord = { ...record, state: "cancelled", status: 499, cancelled };
  const isFound = (text: string) => parseFilter(text, now)(left, () => "");
  expect(isFound("status:cancelled")).toBe(true);
  expect(isFound("status:499")).toBe(true);
  expect(isFound("status:ok,error,running")).toBe(false);
});
