// Goal: keys move as far as there is something to see, and an open request is read when it has ended.
// Method: the actions on a store in memory; what the server would say is scripted.

import { beforeEach, describe, expect, test } from "vitest";
import { readRequestFilter } from "../../../../source/application/request-filter.ts";
import type { RequestView } from "../../../../source/client/requests.ts";
import { Store } from "../../../../source/ui/hooks/store.ts";
import { BrowseActions } from "../../../../source/ui/screens/server/browse-actions.ts";
import type { DetailTexts } from "../../../../source/ui/screens/server/request-text.ts";
import {
  initialServerState,
  type ServerState,
} from "../../../../source/ui/screens/server/server-state.ts";
import { unicodeGlyphs } from "../../../../source/ui/theme.ts";
import { requestView } from "../../support/request-views.ts";

let store: Store<ServerState>;
let entries: readonly RequestView[];
let answers: string[];
let banner: number;
let chosen: string | undefined;
let paged: string[];
let actions: BrowseActions;

beforeEach(() => {
  store = new Store(initialServerState);
  entries = Array.from({ length: 50 }, (_, index) =>
    requestView({ id: `r-${index}`, startedAt: index, model: index % 2 === 0 ? "even" : "odd" }),
  );
  answers = [];
  banner = 0;
  chosen = undefined;
  paged = [];
  actions = new BrowseActions({
    store,
    feed: { get: () => entries, subscribe: () => () => {} },
    readFilter: readRequestFilter,
    readTexts: async (): Promise<DetailTexts> => {
      const answer = answers.shift() ?? "";
      return { kind: "read", texts: { prompt: undefined, answer, body: undefined } };
    },
    frame: {
      bodySize: () => ({ columns: 80, rows: 22 }),
      choose: async () => chosen,
      page: async (text) => {
        paged.push(text);
      },
    },
    glyphs: unicodeGlyphs,
    bannerRows: () => banner,
  });
});

function selected(): string | undefined {
  return actions.listed.selected?.id;
}

/** Lets what was read arrive. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

async function openSelected(): Promise<void> {
  const view = actions.listed.selected;
  if (view === undefined) throw new Error("nothing is selected");
  actions.open(view);
  await settle();
}

describe("the list", () => {
  test("is paged by the rows in sight, one of which stays", () => {
    actions.movePage(-1);
    // One line of figures, two borders, the filter and the header go off.
    expect(selected()).toBe("r-33");
    banner = 3;
    actions.movePage(-1);
    expect(selected()).toBe("r-20");
    actions.movePage(1);
    expect(selected()).toBe("r-33");
  });

  test("is filtered while one types, and as before where that is dropped", () => {
    actions.openField();
    actions.editField((field) => ({ ...field, text: "model:odd", cursor: 9 }));
    expect(actions.listed.shown).toHaveLength(25);
    actions.closeField(true);
    expect(store.get().field).toBeUndefined();
    expect(actions.listed.shown).toHaveLength(25);
    actions.openField();
    actions.editField((field) => ({ ...field, text: "r-1", cursor: 3 }));
    actions.closeField(false);
    expect(store.get().filters.text).toBe("model:odd");
    actions.clearFilters();
    expect(actions.listed.shown).toHaveLength(50);
  });

  test("has no field to type in before it is opened", () => {
    actions.editField((field) => ({ ...field, text: "lost" }));
    expect(store.get().filters.text).toBe("");
  });

  test("is narrowed down to one model, until all are chosen", async () => {
    chosen = "even";
    await actions.chooseModel();
    expect(actions.listed.shown).toHaveLength(25);
    chosen = undefined;
    await actions.chooseModel();
    expect(actions.listed.shown).toHaveLength(25);
    chosen = "";
    await actions.chooseModel();
    expect(actions.listed.shown).toHaveLength(50);
  });
});

describe("an open request", () => {
  test("is scrolled between its ends", async () => {
    answers = [Array.from({ length: 100 }, (_, index) => `line ${index}`).join("\n")];
    await openSelected();
    actions.move(-1);
    expect(store.get().top).toBe(0);
    actions.movePage(1);
    expect(store.get().top).toBe(19);
    actions.move(Number.POSITIVE_INFINITY);
    const end = store.get().top;
    actions.move(5);
    expect(store.get().top).toBe(end);
    // A row less is in sight.
    banner = 1;
    actions.move(5);
    expect(store.get().top).toBe(end + 1);
    actions.move(Number.NEGATIVE_INFINITY);
    expect(store.get().top).toBe(0);
  });

  test("stays selected, whatever comes", async () => {
    await openSelected();
    entries = [...entries, requestView({ id: "r-50", startedAt: 50 })];
    expect(selected()).toBe("r-49");
    actions.close();
    expect(store.get().opened).toBeUndefined();
    expect(selected()).toBe("r-49");
  });

  test("is read again once it has ended, and not before", async () => {
    answers = ["half", "whole", "too much"];
    entries = entries.with(49, requestView({ id: "r-49", startedAt: 49, state: "running" }));
    await openSelected();
    actions.refresh();
    await settle();
    const answer = () => {
      const texts = store.get().read?.texts;
      return texts?.kind === "read" ? texts.texts.answer : undefined;
    };
    expect(answer()).toBe("half");
    entries = entries.with(49, requestView({ id: "r-49", startedAt: 49 }));
    actions.refresh();
    expect(answer()).toBe("half");
    await settle();
    expect(answer()).toBe("whole");
    actions.refresh();
    await settle();
    expect(answer()).toBe("whole");
  });

  test("goes to the pager whole, opened or not", async () => {
    answers = ["the answer"];
    await actions.page(requestView());
    expect(paged[0]).toContain("the answer");
    await actions.page(requestView());
    expect(paged[1]).toContain("the answer");
  });
});
