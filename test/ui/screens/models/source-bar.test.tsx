// Tests the row of sources and its field.

import { expect, test } from "vitest";
import { fieldWith } from "../../../../source/ui/editor/line-field.ts";
import {
  createModelsState,
  type ModelsState,
  withList,
} from "../../../../source/ui/screens/models/models-state.ts";
import { SourceBar } from "../../../../source/ui/screens/models/source-bar.tsx";
import { renderAt } from "../../support/render.tsx";

const empty = createModelsState();
const barOf = (state: ModelsState, width = 60) =>
  renderAt(<SourceBar state={state} width={width} />, { columns: width }).text();

test("shows the open source in brackets, and no field until one is opened", () => {
  expect(barOf(empty)).toBe("[Local]  Hub   Running");
  expect(barOf({ ...empty, source: "running" })).toBe(" Local   Hub  [Running]");
});

test("shows a field while typing and while filtering", () => {
  const filter = fieldWith(empty.lists.hub.filter, "qwen");
  const hub: ModelsState = { ...empty, source: "hub", ...withList(empty, "hub", { filter }) };
  expect(barOf({ ...empty, isTyping: true })).toBe("[Local]  Hub   Running   filter:");
  expect(barOf(hub)).toBe(" Local  [Hub]  Running   search: qwen");
});

test("shows the end of a text that is too long", () => {
  const filter = fieldWith(empty.lists.local.filter, "a long text to look for");
  const state = { ...empty, isTyping: true, ...withList(empty, "local", { filter }) };
  expect(barOf(state, 45)).toBe("[Local]  Hub   Running   filter: to look for");
});
