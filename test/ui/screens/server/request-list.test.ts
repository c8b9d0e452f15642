// Goal: filters, pause and selection are independent; new requests move nothing that is looked at.
// Method: records in, the shown ones out; the filter's language is the server's own.

import { beforeEach, describe, expect, test } from "vitest";
import { readRequestFilter } from "../../../../source/application/request-filter.ts";
import type { RequestView } from "../../../../source/client/requests.ts";
import { RequestList } from "../../../../source/ui/screens/server/request-list.ts";
import { requestView } from "../../support/request-views.ts";

let list: RequestList;
let entries: RequestView[];

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
  list = new RequestList(readRequestFilter);
  list.setSource(entries);
});

function ids(): string[] {
  return list.shown.map(({ id }) => id);
}

function add(view: Partial<RequestView>): void {
  entries = [...entries, requestView(view)];
  list.setSource(entries);
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
    list.setFilters({ text });
    expect(list.problem).toBeUndefined();
    expect(ids()).toEqual(expected);
  });

  test("that make no sense are told of, and the one before stays", () => {
    list.setFilters({ text: "status:404" });
    list.setFilters({ text: "status:potato" });
    expect(list.problem).toContain("makes no sense as status");
    expect(ids()).toEqual(["r-2"]);
    list.setFilters({ text: "stat" });
    expect(list.problem).toBeUndefined();
  });

  test("of text, status and model hold together", () => {
    list.setFilters({ model: "tiny" });
    list.nextStatusClass();
    expect(list.filters.status).toBe("running");
    expect(ids()).toEqual(["r-4"]);
    list.setFilters({ text: "r-1" });
    expect(ids()).toEqual([]);
    list.setFilters({ text: "", status: "all", model: undefined });
    expect(ids()).toHaveLength(4);
  });

  test("walk through all classes of status and come back", () => {
    const seen = Array.from({ length: 5 }, () => {
      list.nextStatusClass();
      return list.filters.status;
    });
    expect(seen).toEqual(["running", "ok", "4xx", "5xx", "all"]);
  });
});

describe("the selected request", () => {
  test("is the newest one until another is gone to, and stays that one", () => {
    expect(list.selected?.id).toBe("r-4");
    list.move(-2);
    expect(list.selected?.id).toBe("r-2");
    add({ id: "r-5", startedAt: 5 });
    expect(list.selected?.id).toBe("r-2");
    list.follow();
    expect(list.selected?.id).toBe("r-5");
  });

  test("moves no further than the ends; at the newer end it follows", () => {
    list.move(Number.NEGATIVE_INFINITY);
    expect(list.selected?.id).toBe("r-1");
    expect(list.isFollowing).toBe(false);
    list.move(100);
    expect(list.isFollowing).toBe(true);
  });

  test("that a filter hides gives way to the newest that is shown", () => {
    list.move(-1);
    list.setFilters({ text: "model:tiny" });
    expect(list.selected?.id).toBe("r-4");
    list.setFilters({ text: "r-99" });
    expect(list.selected).toBeUndefined();
  });
});

describe("a pause", () => {
  test("holds the rows still and counts what comes, whatever the filters do", () => {
    list.togglePause();
    add({ id: "r-5", startedAt: 5 });
    add({ id: "r-6", startedAt: 6 });
    expect(ids()).toEqual(["r-1", "r-2", "r-3", "r-4"]);
    expect(list.missed).toBe(2);
    list.setFilters({ text: "model:tiny" });
    expect(ids()).toEqual(["r-1", "r-4"]);
    list.togglePause();
    expect(ids()).toEqual(["r-1", "r-4", "r-5", "r-6"]);
    expect(list.missed).toBe(0);
  });

  test("keeps a running row as it was", () => {
    list.togglePause();
    entries = entries.map((view) => ({ ...view, completionTokens: 500 }));
    list.setSource(entries);
    expect(list.shown.at(-1)?.completionTokens).toBe(71);
  });
});

test("models are those that were asked", () => {
  expect(list.models).toEqual(["bge-m3", "nope:1b", "tiny"]);
});
