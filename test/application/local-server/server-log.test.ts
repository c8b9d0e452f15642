// The server's log: lines for people or for programs, one for each request that ends.
import { expect, test } from "vitest";
import {
  createServerLog,
  logRequests,
} from "../../../source/application/local-server/server-log.ts";
import { RequestLog } from "../../../source/request-log/request-log.ts";

const fields = (path: string) => ({
  startedAt: 1000,
  method: "POST",
  path,
  client: { address: "127.0.0.1", agent: undefined },
});

function logged(format: "pretty" | "json", work: (log: RequestLog) => void): string[] {
  const lines: string[] = [];
  const requestLog = new RequestLog();
  const early = requestLog.open(fields("/early"));
  requestLog.close(early, 200, 1500);
  logRequests(
    requestLog,
    createServerLog(format, (line) => lines.push(line)),
  );
  work(requestLog);
  return lines;
}

function answer(log: RequestLog): void {
  const record = log.open(fields("/api/chat"));
  log.update(record, { model: "tiny", promptTokens: 12, completionTokens: 34, cachedTokens: 8 });
  log.update(record, { firstTokenMs: 45, tokensPerSecond: 98.25, keyId: "abcdefghijkl" });
  log.close(record, 200, 2240);
  log.update(record, { finishReason: "stop" });
}

test("pretty: a finished request is one line in columns", () => {
  expect(logged("pretty", answer)).toEqual([
    expect.stringMatching(/^\S+Z 200 +500 ms {2}POST \/early .*r-1\n$/),
    expect.stringMatching(
      /^\S+Z 200 +1\.24 s {2}POST \/api\/chat +tiny +12 \+ 34 tokens, 8 cached, first after 45 ms, 98\.3 tokens\/s {2}r-2 {2}key abcdefghijkl\n$/,
    ),
  ]);
});

test("pretty: the line says where the start of a prompt came from, or why it was computed", () => {
  const [, ...lines] = logged("pretty", (log) => {
    for (const facts of [
      { cachedTokens: 8, cachedFrom: "checkpoint" },
      { cachedTokens: 0, cachedFrom: "not kept" },
      { cachedTokens: 0, cachedFrom: "none", cacheMiss: "first prompt" },
      { cachedTokens: 0, cachedFrom: "none" },
    ]) {
      const record = log.open(fields("/api/chat"));
      log.update(record, { promptTokens: 12, completionTokens: 34, ...facts });
      log.close(record, 200, 1000);
    }
  });
  expect(lines.map((line) => /tokens.* {2}r/.exec(line)?.[0])).toEqual([
    "tokens, 8 cached (checkpoint)  r",
    "tokens, 0 cached (not kept)  r",
    "tokens, 0 cached (first prompt)  r",
    "tokens  r",
  ]);
});

test("pretty: text from clients cannot send control sequences or start a line", () => {
  const lines = logged("pretty", (log) => {
    const record = log.open(fields("/\u001b[2J\nfake"));
    log.update(record, { model: "a\r\nb", error: { code: "X", message: "bad\u0007" } });
    log.close(record, 400, 1000);
  });
  expect(lines[1]).toMatch(/^[^\p{Cc}]*\n$/u);
});

test("json: every line is an object with its time", () => {
  const lines: string[] = [];
  const log = createServerLog("json", (line) => lines.push(line));
  log.log("loading tiny");
  log.announce("modelctl is listening");
  const requestLog = new RequestLog();
  logRequests(requestLog, log);
  answer(requestLog);
  const objects = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(objects).toMatchObject([
    { message: "loading tiny" },
    { message: "modelctl is listening" },
    { message: "request", request: { id: "r-1", status: 200, model: "tiny", totalMs: 1240 } },
  ]);
  for (const { time } of objects) expect(new Date(String(time)).toISOString()).toBe(time);
});
