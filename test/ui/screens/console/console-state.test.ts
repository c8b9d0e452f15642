// Tests how keys and new data change the state of the console.

import { describe, expect, test } from "vitest";
import { selectedIndex } from "../../../../source/ui/components/list-state.ts";
import {
  type ConsoleState,
  canStart,
  goBack,
  initialState,
  isOutdated,
  moveSelection,
  nextPane,
  selectedApp,
  selectedReplica,
  selectNamed,
  shownReplicas,
  withCloud,
} from "../../../../source/ui/screens/console/console-state.ts";
import { sampleApp, sampleReplica, sampleRevision } from "./sample-cloud.ts";
import { cloudState, consoleState, gone, now, target } from "./sample-state.ts";

const first = initialState(target);

function stateOf(...apps: string[]): ConsoleState {
  return consoleState({ apps: apps.map((app) => sampleApp({ app })) });
}

function sampleDetails() {
  const details = { ...sampleApp(), revision: sampleRevision(), rollout: undefined };
  return { details, revisions: [], replicas: [], callLines: [] };
}

describe("the selection", () => {
  test("stays with its item, or with the position when that is gone", () => {
    const chosen = moveSelection(stateOf("a", "b", "c"), "apps", 1).selected.apps;
    expect(chosen).toEqual({ name: "local/b", index: 1 });
    expect(selectedIndex(chosen, ["local/0", "local/a", "local/b"])).toBe(2);
    expect(selectedIndex(chosen, ["local/a", "local/c"])).toBe(1);
    expect(selectedIndex(chosen, ["local/a"])).toBe(0);
    expect(selectedIndex(chosen, [])).toBe(-1);
  });

  test("stops at both ends", () => {
    const state = moveSelection(stateOf("a", "b", "c"), "apps", 1);
    const ends = [Number.NEGATIVE_INFINITY, -9, 9, Number.POSITIVE_INFINITY].map(
      (rows) => moveSelection(state, "apps", rows).selected.apps.name,
    );
    expect(ends).toEqual(["local/a", "local/a", "local/c", "local/c"]);
    expect(moveSelection(stateOf(), "apps", 1).selected.apps.name).toBeUndefined();
  });

  test("of replicas is limited to the selected deployment", () => {
    const replicas = [
      sampleReplica({ replica: "other", app: "b" }),
      sampleReplica({ replica: "one", app: "a" }),
      sampleReplica({ replica: "two", app: "a" }),
    ];
    const state = consoleState({ apps: [sampleApp({ app: "a" })], replicas });
    expect(shownReplicas(state)).toHaveLength(2);
    expect(selectedReplica(state)?.replica).toBe("one");
    expect(selectedReplica(moveSelection(state, "replicas", 5))?.replica).toBe("two");
  });

  test("stays when others are inserted before it", () => {
    const state = withCloud(initialState(target), stateOf("b").cloud);
    expect(selectedApp(withCloud(state, stateOf("a", "b").cloud))?.app).toBe("b");
  });

  test("moves to the deployment named by a typed line", () => {
    const state = stateOf("one", "two");
    const named = selectNamed({ ...state, filter: "one" }, " two  1..3 ");
    expect(selectedApp(named.state)?.app).toBe("two");
    expect(named).toMatchObject({ rest: "1..3", state: { filter: "" } });
    expect(selectNamed({ ...state, filter: "one" }, "local/one").state.filter).toBe("one");
    expect(selectNamed(state, "nobody 1..3")).toEqual({ state, rest: "nobody 1..3" });
  });
});

describe("the state", () => {
  test("cycles through the panes both ways", () => {
    const walked: string[] = [];
    for (let pane = nextPane("apps", 1); walked.length < 4; pane = nextPane(pane, 1)) {
      walked.push(pane);
    }
    expect(walked).toEqual(["replicas", "keys", "logs", "apps"]);
    expect(nextPane("apps", -1)).toBe("logs");
  });

  test("goes back one level at a time", () => {
    let state: ConsoleState | undefined = {
      ...first,
      pane: "logs",
      isZoomed: true,
      filter: "x",
      details: { facts: sampleDetails(), top: 3 },
    };
    const seen: unknown[] = [];
    while (state !== undefined) {
      seen.push([state.details !== undefined, state.isZoomed, state.pane, state.filter]);
      state = goBack(state);
    }
    expect(seen).toEqual([
      [true, true, "logs", "x"],
      [false, true, "logs", "x"],
      [false, false, "logs", "x"],
      [false, false, "apps", "x"],
      [false, false, "apps", ""],
    ]);
  });
});

test("figures are outdated when no server answers or they are four seconds old", () => {
  expect(isOutdated(cloudState({ link: gone, readAtMs: now }), now)).toBe(true);
  expect(isOutdated(cloudState({ readAtMs: now - 4001 }), now)).toBe(true);
  expect(isOutdated(cloudState({ readAtMs: now - 4000 }), now)).toBe(false);
  expect(isOutdated(initialState(target).cloud, now)).toBe(false);
});

test("only the local server can be started, and only when nothing listens there", () => {
  expect(canStart(cloudState({ link: gone }))).toBe(true);
  expect(canStart(cloudState({ link: { ...gone, isUnreachable: false } }))).toBe(false);
  expect(canStart(cloudState({ link: gone, target: { ...target, isLocal: false } }))).toBe(false);
  expect(canStart(cloudState())).toBe(false);
});
