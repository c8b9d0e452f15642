// Tests that filters, pause and selection are independent, and that new requests move nothing in view.
// Uses the server's own filter syntax.

import { beforeEach, describe, expect, test } from "vitest";
import { readRequestFilter } from "../../../../source/request-log/filter.ts";
import type { RequestRecord } from "../../../../source/request-log/request-record.ts";
import {
  changeFilters,
  countNewRequests,
  currentRequest,
  initialRequestList,
  isFollowing,
  type ListFilters,
  listRequests,
  moveSelection,
  nextStatusClass,
  noFilters,
  type RequestListState,
  requestedModels,
} from "../../../../source/ui/screens/server/request-list.ts";
import { requestView } from "../../support/request-views.ts";

let list: RequestListState;
let entries: RequestRecord[];

beforeEach(() => {
  entries = [
    requestView({ id: "r-1", startedAt: 1 }),
    requestView({
      id: "r-2",
      startedAt: 2,
      status: 404,
      model: "nope:1b",
      error: { code: "X", message: "model not found" },
    }),
    requestView({ id: "r-3", startedAt: 3, path: "/api/embed", model: "bge-m3", keyId: "ci" }),
    requestView({ id: "r-4", startedAt: 4, state: "running", status: undefined }),
  ];
  list = initialRequestList;
});

test("modelctl's own requests are hidden until wanted, its polling always", () => {
  const client = { address: "127.0.0.1", agent: "modelctl" };
  entries = [
    requestView({ id: "r-1", startedAt: 1, client, path: "/api/tags", method: "GET" }),
    requestView({ id: "r-2", startedAt: 2, client, path: "/api/delete", method: "DELETE" }),
    requestView({ id: "r-3", startedAt: 3, client, path: "/api/chat" }),
    requestView({ id: "r-4", startedAt: 4, path: "/api/tags", method: "GET" }),
  ];
  expect(ids()).toEqual(["r-3", "r-4"]);
  expect(listed().total).toBe(2);
  list = { ...list, frozen: [] };
  expect(countNewRequests(list, entries)).toBe(2);
  list = { ...list, showsOwn: true, frozen: undefined };
  expect(ids()).toEqual(["r-1", "r-2", "r-3", "r-4"]);
});

function listed() {
  return listRequests(list, entries);
}

function ids(): string[] {
  return listed().shown.map(({ id }) => id);
}

function filter(change: Partial<ListFilters>): void {
  list = { ...list, ...changeFilters(list, change, readRequestFilter) };
}

function move(rows: number): void {
  list = { ...list, ...moveSelection(listed(), rows) };
}

function pause(): void {
  list = { ...list, frozen: entries };
}

function add(view: Partial<RequestRecord>): void {
  entries = [...entries, requestView(view)];
}

describe("filters", () => {
  test.each([
    ["", ["r-1", "r-2", "r-3", "r-4"]],
    ["status:404", ["r-2"]],
    ["status:4xx,running", ["r-2", "r-4"]],
    ["model:tiny", ["r-1", "r-4"]],
    ["key:ci", ["r-3"]],
    ["path:/api", ["r-3"]],
    ["-path:/api", ["r-1", "r-2", "r-4"]],
    ["!path:/api !status:404", ["r-1", "r-4"]],
    ["not found", ["r-2"]],
    ['"model not found"', ["r-2"]],
  ])("%j shows %j", (text, expected) => {
    filter({ text });
    expect(list.filterProblem).toBeUndefined();
    expect(ids()).toEqual(expected);
  });

  test("that are invalid are reported, and the previous one stays", () => {
    filter({ text: "status:404" });
    filter({ text: "status:potato" });
    expect(list.filterProblem).toContain("is not a valid status");
    expect(ids()).toEqual(["r-2"]);
    filter({ text: "stat" });
    expect(list.filterProblem).toBeUndefined();
  });

  test("of text, status and model are combined", () => {
    filter({ model: "tiny" });
    filter({ status: nextStatusClass(list.filters.status) });
    expect(list.filters.status).toBe("running");
    expect(ids()).toEqual(["r-4"]);
    filter({ text: "r-1" });
    expect(ids()).toEqual([]);
    filter(noFilters);
    expect(ids()).toHaveLength(4);
  });

  test("cycle through all classes of status", () => {
    const seen = Array.from({ length: 6 }, () => {
      filter({ status: nextStatusClass(list.filters.status) });
      return list.filters.status;
    });
    expect(seen).toEqual(["running", "ok", "cancelled", "4xx", "5xx", "all"]);
  });
});

describe("the selected request", () => {
  test("is the newest one until another is chosen, which then stays", () => {
    expect(listed().selected?.id).toBe("r-4");
    move(-2);
    expect(listed().selected?.id).toBe("r-2");
    add({ id: "r-5", startedAt: 5 });
    expect(listed().selected?.id).toBe("r-2");
    move(Number.POSITIVE_INFINITY);
    expect(listed().selected?.id).toBe("r-5");
  });

  test("stops at the ends, and follows new requests at the newest", () => {
    move(Number.NEGATIVE_INFINITY);
    expect(listed().selected?.id).toBe("r-1");
    expect(isFollowing(list)).toBe(false);
    move(100);
    expect(isFollowing(list)).toBe(true);
  });

  test("hidden by a filter is replaced by the newest visible one", () => {
    move(-1);
    filter({ text: "model:tiny" });
    expect(listed().selected?.id).toBe("r-4");
    filter({ text: "r-99" });
    expect(listed().selected).toBeUndefined();
  });
});

describe("a pause", () => {
  test("freezes the rows and counts new requests, whatever the filters", () => {
    pause();
    add({ id: "r-5", startedAt: 5 });
    add({ id: "r-6", startedAt: 6 });
    expect(ids()).toEqual(["r-1", "r-2", "r-3", "r-4"]);
    expect(countNewRequests(list, entries)).toBe(2);
    filter({ text: "model:tiny" });
    expect(ids()).toEqual(["r-1", "r-4"]);
    list = { ...list, frozen: undefined };
    expect(ids()).toEqual(["r-1", "r-4", "r-5", "r-6"]);
    expect(countNewRequests(list, entries)).toBe(0);
  });

  test("freezes a running row", () => {
    pause();
    entries = entries.map((view) => ({ ...view, completionTokens: 500 }));
    expect(listed().shown.at(-1)?.completionTokens).toBe(71);
  });
});

test("models are those with requests", () => {
  expect(requestedModels(entries)).toEqual(["bge-m3", "nope:1b", "tiny"]);
});

test("a request is updated as long as the log has it", () => {
  const [first] = entries;
  if (first === undefined) throw new Error("there are requests");
  entries = entries.map((view) => ({ ...view, completionTokens: 500 }));
  expect(currentRequest(entries, first).completionTokens).toBe(500);
  expect(currentRequest([], first)).toBe(first);
});
