// Goal: waiting times and tokens are counted for requests to models, and for no others.
// Method: a request log with requests in every state.

import { expect, test } from "vitest";
import { requestsSample } from "../../../source/application/local-server/metric-samples.ts";
import { RequestLog } from "../../../source/request-log/request-log.ts";

const client = { address: "127.0.0.1", agent: undefined };

test("running requests are sampled, finished ones are not", () => {
  const log = new RequestLog();
  const open = (startedAt: number, model: string | undefined) => {
    const record = log.open({ startedAt, method: "POST", path: "/api/chat", client });
    if (model !== undefined) log.update(record, { model });
    return record;
  };
  expect(requestsSample(log, 1000, false)).toEqual({
    longestWaitMs: 0,
    contextTokens: 0,
    areRecorded: false,
  });
  open(400, "tiny");
  open(700, "tiny");
  open(100, undefined);
  log.update(open(200, "tiny"), { promptTokens: 30, completionTokens: 12 });
  log.update(open(250, "tiny"), { promptTokens: 100 });
  const ended = open(10, "tiny");
  log.close(ended, 200, 900);
  expect(requestsSample(log, 1000, true)).toEqual({
    longestWaitMs: 600,
    contextTokens: 142,
    areRecorded: true,
  });
});
