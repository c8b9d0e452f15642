// Tests that keys scroll only as far as there are rows, and that an open request is read again when it ends.
// Runs the actions on a store in memory with scripted answers of the server.

import { beforeEach, describe, expect, test } from "vitest";
import { Store } from "../../../../source/base/store.ts";
import { loadedValue } from "../../../../source/client/live/loadable.ts";
import { readRequestFilter } from "../../../../source/request-log/filter.ts";
import type { RequestRecord } from "../../../../source/request-log/request-record.ts";
import {
  type BrowseContext,
  chooseModel,
  clearFilters,
  closeRequest,
  dropFilter,
  editField,
  keepFilter,
  move,
  movePage,
  openField,
  openRequest,
  pageRequest,
  refresh,
} from "../../../../source/ui/screens/server/browse-actions.ts";
import { listRequests } from "../../../../source/ui/screens/server/request-list.ts";
import { initialServerState } from "../../../../source/ui/screens/server/server-state.ts";
import { FakeServices } from "../../support/fake-screen.tsx";
import { requestView } from "../../support/request-views.ts";

let entries: readonly RequestRecord[];
let answers: string[];
let frame: FakeServices;
let context: BrowseContext;

beforeEach(() => {
  const store = new Store(initialServerState);
  entries = Array.from({ length: 50 }, (_, index) =>
    requestView({ id: `r-${index}`, startedAt: index, model: index % 2 === 0 ? "even" : "odd" }),
  );
  answers = [];
  frame = new FakeServices();
  context = {
    store,
    feed: { get: () => entries, subscribe: () => () => {} },
    extent: { current: { rows: 17, lastTop: 0 } },
    readFilter: readRequestFilter,
    readTexts: async () => {
      const answer = answers.shift() ?? "";
      return { kind: "loaded", value: { prompt: undefined, answer, body: undefined } };
    },
    frame,
    get state() {
      return store.get();
    },
    get listed() {
      return listRequests(store.get(), entries);
    },
  };
});

function selected(): string | undefined {
  return context.listed.selected?.id;
}

/** Resolves pending reads. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

async function openSelected(): Promise<void> {
  const view = context.listed.selected;
  if (view === undefined) throw new Error("nothing is selected");
  openRequest(context, view);
  await settle();
}

describe("the list", () => {
  test("is paged by the visible rows, with one row of overlap", () => {
    movePage(context, -1);
    expect(selected()).toBe("r-33");
    context.extent.current = { rows: 14, lastTop: 0 };
    movePage(context, -1);
    expect(selected()).toBe("r-20");
    movePage(context, 1);
    expect(selected()).toBe("r-33");
  });

  test("is filtered while typing, and restored when that is cancelled", () => {
    openField(context);
    editField(context, (field) => ({ ...field, text: "model:odd", cursor: 9 }));
    expect(context.listed.shown).toHaveLength(25);
    keepFilter(context);
    expect(context.state.field).toBeUndefined();
    expect(context.listed.shown).toHaveLength(25);
    openField(context);
    editField(context, (field) => ({ ...field, text: "r-1", cursor: 3 }));
    dropFilter(context);
    expect(context.state.filters.text).toBe("model:odd");
    clearFilters(context);
    expect(context.listed.shown).toHaveLength(50);
  });

  test("has no field until it is opened", () => {
    editField(context, (field) => ({ ...field, text: "lost" }));
    expect(context.state.filters.text).toBe("");
  });

  test("is limited to one model, until all are chosen", async () => {
    frame.answer = "even";
    await chooseModel(context);
    expect(context.listed.shown).toHaveLength(25);
    frame.answer = undefined;
    await chooseModel(context);
    expect(context.listed.shown).toHaveLength(25);
    frame.answer = "";
    await chooseModel(context);
    expect(context.listed.shown).toHaveLength(50);
  });
});

describe("an open request", () => {
  test("is scrolled between its ends", async () => {
    await openSelected();
    context.extent.current = { rows: 20, lastTop: 84 };
    move(context, -1);
    expect(context.state.top).toBe(0);
    movePage(context, 1);
    expect(context.state.top).toBe(19);
    move(context, Number.POSITIVE_INFINITY);
    expect(context.state.top).toBe(84);
    move(context, 5);
    expect(context.state.top).toBe(84);
    // One visible row less.
    context.extent.current = { rows: 19, lastTop: 85 };
    move(context, 5);
    expect(context.state.top).toBe(85);
    move(context, Number.NEGATIVE_INFINITY);
    expect(context.state.top).toBe(0);
  });

  test("stays selected when others arrive", async () => {
    await openSelected();
    entries = [...entries, requestView({ id: "r-50", startedAt: 50 })];
    expect(selected()).toBe("r-49");
    closeRequest(context);
    expect(context.state.opened).toBeUndefined();
    expect(selected()).toBe("r-49");
  });

  test("is read again once it has ended, and not before", async () => {
    answers = ["half", "whole", "too much"];
    entries = entries.with(49, requestView({ id: "r-49", startedAt: 49, state: "running" }));
    await openSelected();
    refresh(context);
    await settle();
    const answer = () => loadedValue(context.state.read?.texts)?.answer;
    expect(answer()).toBe("half");
    entries = entries.with(49, requestView({ id: "r-49", startedAt: 49 }));
    refresh(context);
    expect(answer()).toBe("half");
    await settle();
    expect(answer()).toBe("whole");
    refresh(context);
    await settle();
    expect(answer()).toBe("whole");
  });

  test("is sent to the pager whole, opened or not", async () => {
    answers = ["the answer"];
    await pageRequest(context, requestView());
    await pageRequest(context, requestView());
    expect(frame.events).toEqual([
      expect.stringMatching(/^page .*the answer/s),
      expect.stringMatching(/^page .*the answer/s),
    ]);
  });
});
