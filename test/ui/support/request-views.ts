// Sample records of a request log.

import type { RequestRecord } from "../../../source/request-log/request-record.ts";

type Change = { [Field in keyof RequestRecord]?: RequestRecord[Field] | undefined };

/** A finished chat request with round figures; what differs is named, undefined for absent. */
export function requestView(change: Change = {}): RequestRecord {
  const record = {
    id: "r-1",
    startedAt: 1_000_000,
    method: "POST",
    path: "/v1/chat/completions",
    model: "tiny",
    client: { address: "127.0.0.1", agent: "curl/8" },
    stream: true,
    parameters: { temperature: 0.7 },
    state: "done",
    status: 200,
    finishReason: "stop",
    promptTokens: 2014,
    cachedTokens: 1210,
    completionTokens: 71,
    slot: 1,
    loadMs: 0,
    queueMs: 20,
    promptMs: 800,
    completionMs: 1280,
    tokensPerSecond: 55,
    firstTokenMs: 840,
    totalMs: 2100,
    ...change,
  };
  return JSON.parse(JSON.stringify(record));
}
