// Goal: the console says how everything is at every size, without colour, and with bounded work.
// Method: pictures from facts that a test chooses; what of them is looked at is counted.

import { describe, expect, test } from "vitest";
import type { AppState, ReplicaState } from "../../../../source/cloud/admin/documents.ts";
import type { BodySize } from "../../../../source/ui/frame/screen.ts";
import { plainText, rowWidth } from "../../../../source/ui/panes/styled-row.ts";
import { noFigures } from "../../../../source/ui/screens/console/app-figures.ts";
import type { ConsoleFacts } from "../../../../source/ui/screens/console/console-facts.ts";
import { consolePicture } from "../../../../source/ui/screens/console/console-picture.ts";
import { initialState } from "../../../../source/ui/screens/console/console-state.ts";
import { LogView } from "../../../../source/ui/screens/console/log-view.ts";
import { asciiGlyphs, unicodeGlyphs } from "../../../../source/ui/theme.ts";
import { SampleServer, sampleApp, sampleKey, sampleLine, sampleReplica } from "./sample-cloud.ts";

const now = Date.now();
const small: BodySize = { columns: 80, rows: 22 };
const large: BodySize = { columns: 120, rows: 38 };

function factsOf(change: Partial<ConsoleFacts> = {}): ConsoleFacts {
  const log = new LogView();
  log.push(sampleLine({ text: "the newest line" }));
  const apps = change.apps ?? [sampleApp()];
  return {
    state: initialState,
    target: new SampleServer().target,
    link: { kind: "up" },
    ageMs: 500,
    organisation: "local",
    apps,
    appCount: apps.length,
    appIndex: 0,
    figuresOf: () => ({ ...noFigures, requestsPerSecond: 3.14, errorShare: 0.02, ttfbMsP95: 620 }),
    replicas: [sampleReplica()],
    replicaIndex: 0,
    events: [
      {
        at: now,
        organisation: "local",
        app: "tiny",
        revision: undefined,
        replica: undefined,
        kind: "scaled",
        sentence: "1 replica more: 3 busy, 2 queued, 1 replicas.",
      },
    ],
    keys: [sampleKey()],
    keyIndex: 0,
    log,
    detailsRows: [],
    now,
    glyphs: unicodeGlyphs,
    ...change,
  };
}

function lines(facts: ConsoleFacts, size: BodySize): string[] {
  return consolePicture(facts, size).rows.map(plainText);
}

function text(facts: ConsoleFacts, size: BodySize): string {
  return lines(facts, size).join("\n");
}

describe("what is deployed", () => {
  test("stands in one row with state, replicas, rates, errors and revision", () => {
    const apps = [sampleApp({ createdAt: now - 7_200_000 })];
    const row = lines(factsOf({ apps }), large).find((line) => line.includes("> tiny"));
    expect(row).toMatch(/> tiny +● ready +1\/2 +3\.1 +0 +0 +620 ms +2% r0002 +2h/);
  });

  test.each<[AppState, string]>([
    ["COLD", "○ asleep"],
    ["STARTING", "◐ starting"],
    ["READY", "● ready"],
    ["DEGRADED", "! degraded"],
    ["CRASH_BACKOFF", "✗ crashing"],
    ["UNSCHEDULABLE", "✗ no room"],
    ["ROLLING", "◐ rolling"],
    ["PAUSED", "⊘ stopped"],
    ["DELETING", "◐ deleting"],
    ["DELETED", "⊘ deleted"],
    ["FAILED", "✗ failed"],
  ])("%s is a sign and a word", (state, words) => {
    expect(text(factsOf({ apps: [sampleApp({ state })] }), small)).toContain(words);
  });

  test.each<[ReplicaState, string]>([
    ["PENDING", "waiting"],
    ["SETUP", "starting"],
    ["RUNNING", "busy"],
    ["DRAINING", "draining"],
    ["CRASH_BACKOFF", "crashing"],
    ["LOST", "lost"],
  ])("a replica that is %s is told so", (state, word) => {
    expect(text(factsOf({ replicas: [sampleReplica({ state })] }), small)).toContain(word);
  });

  test("tells the reason of a bad state, and what is being done about it instead", () => {
    const apps = [sampleApp({ state: "FAILED", reason: "No module named torchvision" })];
    expect(text(factsOf({ apps }), small)).toContain("! tiny: No module named torchvision");
    const state = { ...initialState, works: { "local/tiny": "start: waiting for a replica" } };
    expect(text(factsOf({ apps, state }), small)).toContain("◐ tiny: start: waiting for a replica");
  });

  test("grows visibly, and tells the autoscaler's reason", () => {
    const apps = [sampleApp({ replicas: { wanted: 3, alive: 1, ready: 1 } })];
    const shown = text(factsOf({ apps }), large);
    expect(shown).toContain("1→3");
    expect(shown).toContain("1 replica more: 3 busy, 2 queued");
  });
});

describe("the windows", () => {
  test.each([
    { columns: 60, rows: 14 },
    small,
    { columns: 99, rows: 40 },
    { columns: 100, rows: 24 },
    large,
    { columns: 250, rows: 80 },
  ])("of $columns x $rows are filled and never overflow, whatever has the focus", (size) => {
    for (const pane of ["apps", "replicas", "keys", "logs"] as const) {
      for (const isZoomed of [false, true]) {
        for (const glyphs of [unicodeGlyphs, asciiGlyphs]) {
          const state = { ...initialState, pane, isZoomed };
          const { rows } = consolePicture(factsOf({ state, glyphs }), size);
          expect(rows).toHaveLength(size.rows);
          expect(Math.max(...rows.map(rowWidth))).toBeLessThanOrEqual(size.columns);
        }
      }
    }
  });

  test("that are small show the replicas and the log below the table, or the pane with the focus", () => {
    expect(text(factsOf(), small)).toContain("the newest line");
    const keys = text(factsOf({ state: { ...initialState, pane: "keys" } }), small);
    expect(keys).toContain("API keys");
    expect(keys).not.toContain("the newest line");
  });

  test("that are large show all of it", () => {
    const shown = text(factsOf(), large);
    for (const part of ["Deployments", "replicas", "API keys", "the newest line"]) {
      expect(shown).toContain(part);
    }
  });

  test("without Unicode have none", () => {
    const shown = text(factsOf({ glyphs: asciiGlyphs, link: { kind: "up" }, ageMs: 9000 }), large);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what is not ASCII is the subject here
    expect(shown).toMatch(/^[\x00-\x7f]*$/);
  });
});

describe("what is not there", () => {
  const gone = {
    kind: "down",
    sentence: "The control plane does not answer.",
    isUnreachable: true,
    sinceMs: now,
  } as const;

  test("a control plane that stopped leaves the table, dim, with its age and the keys that help", () => {
    const picture = consolePicture(factsOf({ link: gone, ageMs: 12_000 }), large);
    const [banner = ""] = picture.rows.map(plainText);
    expect(banner).toMatch(/✗ No control plane answers.*figures are 12 s old.*S starts it.*r asks/);
    const row = picture.rows.find((candidate) => plainText(candidate).includes("> tiny")) ?? [];
    expect(plainText(row)).toContain("● ready");
    expect(new Set(row.map(({ tone }) => tone))).toEqual(new Set(["focus", "plain", "key", "dim"]));
  });

  test("one that never ran is a state with the key that starts it", () => {
    const shown = text(factsOf({ link: gone, ageMs: undefined, apps: [] }), small);
    expect(shown).toContain("The control plane does not run.");
    expect(shown).toContain("S starts it");
  });

  test("another machine's is not started from here", () => {
    const target = { ...new SampleServer().target, isLocal: false, place: "https://far:8481" };
    const shown = text(factsOf({ link: gone, ageMs: undefined, apps: [], target }), small);
    expect(shown).not.toContain("S starts it");
    expect(shown).toContain("The control plane does not answer.");
  });

  test("slow answers are told as such, while the figures are not taken away", () => {
    const [banner = ""] = lines(factsOf({ ageMs: 6000 }), small);
    expect(banner).toContain("slow to answer · figures are 6 s old");
    expect(text(factsOf({ ageMs: 1000 }), small)).not.toContain("slow");
  });

  test("nothing deployed names the way to the first deployment", () => {
    expect(text(factsOf({ apps: [] }), small)).toContain("4 opens the wizard");
  });
});

test("what replicas and servers say never breaks a row", () => {
  const sentence = "Traceback:\n  line 1\r\n\u001b[31mred\u0007";
  const exit = { code: 1, signal: undefined, reason: "exited", sentence, tail: [] };
  const log = new LogView();
  log.push(sampleLine({ text: sentence }));
  const facts = factsOf({
    apps: [sampleApp({ state: "FAILED", reason: sentence })],
    replicas: [sampleReplica({ exit, progress: sentence })],
    keys: [sampleKey({ description: sentence })],
    log,
  });
  const { rows } = consolePicture(facts, large);
  expect(rows).toHaveLength(large.rows);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject here
  expect(rows.map(plainText).join("")).not.toMatch(/[\x00-\x1f\x7f]/);
});

test("a new key is shown whole, once, with what to do about it", () => {
  const token = `dk_${"a".repeat(61)}`;
  const made = { document: { key: sampleKey(), token }, isCopied: false };
  const shown = text(factsOf({ state: { ...initialState, made } }), small);
  expect(shown).toContain(token);
  expect(shown).toContain("y copies it");
  const copied = text(
    factsOf({ state: { ...initialState, made: { ...made, isCopied: true } } }),
    small,
  );
  expect(copied).toContain("copied");
});

test("of 200 deployments only those in sight are looked at", () => {
  let looks = 0;
  const apps = Array.from({ length: 200 }, (_, index) => sampleApp({ app: `app-${index}` }));
  const facts = factsOf({
    apps,
    appIndex: 150,
    figuresOf: () => {
      looks += 1;
      return noFigures;
    },
  });
  const rows = lines(facts, { columns: 120, rows: 40 });
  const inSight = rows.filter((row) => /app-\d+ +● ready/.test(row)).length;
  expect(rows.some((row) => row.includes("> app-150"))).toBe(true);
  expect(inSight).toBeGreaterThan(5);
  // One look for each figure of each row, and the pane of replicas.
  expect(looks).toBeLessThanOrEqual(inSight * 7 + 1);
});
