// The request log: kept records, their limit, and followers.
import { expect, test } from "vitest";
import { RequestLog } from "../../source/request-log/request-log.ts";
import type { RequestRecord } from "../../source/request-log/request-record.ts";

const fields = (path: string) => ({
  startedAt: 1000,
  method: "POST",
  path,
  client: { address: "127.0.0.1", agent: undefined },
});

test("a record lasts from its opening to its close, with the duration", () => {
  const log = new RequestLog();
  const record = log.open(fields("/api/chat"));
  expect(record).toMatchObject({ state: "running", path: "/api/chat" });
  expect(record.status).toBeUndefined();
  expect(log.running).toEqual([record]);
  log.update(record, { model: "tiny", promptTokens: 5 });
  log.close(record, 200, 1250);
  expect(record).toMatchObject({ state: "done", status: 200, totalMs: 250, model: "tiny" });
  expect(log.running).toEqual([]);
});

test("a second close changes nothing", () => {
  const log = new RequestLog();
  const record = log.open(fields("/"));
  log.close(record, 499, 1100);
  log.close(record, 200, 1900);
  expect(record).toMatchObject({ status: 499, totalMs: 100 });
});

test("a cancelled request keeps who cancelled it first, whatever its reply's status", () => {
  const log = new RequestLog();
  const record = log.open(fields("/api/chat"));
  const byApi = { by: "api", address: "10.0.0.2", agent: "x".repeat(5000) } as const;
  log.cancel(record, byApi);
  log.cancel(record, { by: "client", address: "10.0.0.3" });
  expect(record.state).toBe("running");
  log.close(record, 200, 1100);
  expect(record).toMatchObject({ state: "cancelled", status: 499, cancelled: { by: "api" } });
  expect(record.cancelled?.agent).toHaveLength(1000);
  const ended = log.open(fields("/api/chat"));
  log.close(ended, 200, 1100);
  log.cancel(ended, byApi);
  expect([ended.state, ended.cancelled]).toEqual(["done", undefined]);
});

test("ids differ, even from dropped records", () => {
  const log = new RequestLog(3);
  const ids = Array.from({ length: 100 }, () => log.open(fields("/")).id);
  expect(new Set(ids).size).toBe(100);
});

test("the newest records are kept, oldest first", () => {
  const log = new RequestLog(3);
  for (const path of ["a", "b", "c", "d", "e"]) log.open(fields(path));
  expect(log.records.map(({ path }) => path)).toEqual(["c", "d", "e"]);
});

test("a running request stays until it ends, however many follow", () => {
  const log = new RequestLog(2);
  const long = log.open(fields("long"));
  for (const path of ["a", "b", "c"]) log.close(log.open(fields(path)), 200, 1001);
  expect(log.records.map(({ path }) => path)).toEqual(["b", "c"]);
  expect(log.running).toEqual([long]);
  expect(log.find(long.id)).toBe(long);
  log.close(long, 200, 1100);
  expect([log.running, log.find(long.id)]).toEqual([[], undefined]);
});

test("the returned list is a copy", () => {
  const log = new RequestLog();
  log.open(fields("a"));
  log.records.pop();
  expect(log.records).toHaveLength(1);
});

test("followers get every change until they leave", () => {
  const log = new RequestLog();
  const heard: Array<RequestRecord["state"]> = [];
  const leave = log.follow(({ state }) => heard.push(state));
  const record = log.open(fields("/"));
  log.update(record, { slot: 1 });
  log.close(record, 200, 1001);
  leave();
  log.open(fields("/"));
  expect(heard).toEqual(["running", "running", "done"]);
});
