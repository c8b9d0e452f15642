// Tests which panes the console shows at each size, and what it shows instead of them.
// For the whole program see console-screen.test.ts.

import chalk from "chalk";
import type { ReactElement } from "react";
import { describe, expect, onTestFinished, test } from "vitest";
import { textWidth } from "../../../../source/base/graphemes.ts";
import { Store } from "../../../../source/base/store.ts";
import { ConsoleBody } from "../../../../source/ui/screens/console/console-body.tsx";
import {
  type CloudState,
  type ConsoleState,
  panes,
} from "../../../../source/ui/screens/console/console-state.ts";
import type { LogBuffer } from "../../../../source/ui/screens/console/log-buffer.ts";
import { openTree, type Rendered, renderAt } from "../../support/render.tsx";
import { sampleApp, sampleKey, sampleLine, sampleReplica } from "./sample-cloud.ts";
import { consoleState, gone, logOf, now } from "./sample-state.ts";

interface Look {
  readonly columns?: number;
  readonly rows?: number;
  readonly isAscii?: boolean;
  readonly log?: LogBuffer;
}

const small = { columns: 80, rows: 22 };
const large = { columns: 120, rows: 38 };

function body(state: ConsoleState, { columns = 80, rows = 22, log }: Look = {}): ReactElement {
  const lines = log ?? logOf("the newest line");
  return <ConsoleBody store={new Store(state)} log={lines} columns={columns} rows={rows} />;
}

function draw(state: ConsoleState, look: Look = small): Rendered {
  const { columns = 80, isAscii = false } = look;
  return renderAt(body(state, look), { columns, isAscii, nowMs: now });
}

function textOf(change: Partial<CloudState>, choices: Partial<ConsoleState> = {}, look = small) {
  return draw(consoleState(change, choices), look).text();
}

describe("windows", () => {
  const sizes = [
    { columns: 60, rows: 14 },
    small,
    { columns: 99, rows: 40 },
    { columns: 100, rows: 24 },
    large,
    { columns: 250, rows: 80 },
  ];

  test.each(sizes)("of $columns x $rows are filled, whatever has the focus", (size) => {
    const shown = draw(consoleState(), size);
    for (const pane of panes) {
      for (const isZoomed of [false, true]) {
        shown.rerender(body(consoleState({}, { pane, isZoomed }), size));
        const lines = shown.lines();
        expect(lines).toHaveLength(size.rows);
        expect(Math.max(...lines.map(textWidth))).toBe(size.columns);
        expect(lines.at(-1)).toMatch(/^╰.*╯$/);
      }
    }
  });

  test.each(sizes)("of $columns x $rows stay full below a banner and above a new key", (size) => {
    const made = { document: { key: sampleKey(), token: "dk_new" }, isCopied: false };
    const lines = draw(consoleState({ link: gone }, { made }), size).lines();
    expect(lines).toHaveLength(size.rows);
    expect(lines[0]).toContain("The control plane is not running");
    expect(lines.at(-4)).toContain("dk_new");
    expect(Math.max(...lines.map(textWidth))).toBe(size.columns);
  });

  test("that are small show replicas and log below the table, or the focused pane", () => {
    expect(textOf({})).toContain("the newest line");
    expect(textOf({})).toContain("tiny · replicas");
    const keys = textOf({}, { pane: "keys" });
    expect(keys).toContain("API keys");
    expect(keys).not.toContain("the newest line");
  });

  test("large windows show all panes", () => {
    const shown = textOf({}, {}, large);
    for (const part of ["Deployments", "tiny · replicas", "API keys", "the newest line"]) {
      expect(shown).toContain(part);
    }
  });

  test("show a zoomed pane alone", () => {
    const shown = textOf({}, { pane: "keys", isZoomed: true }, large);
    expect(shown).toContain("API keys");
    expect(shown).not.toContain("Deployments");
  });

  test.each([small, large])("of $columns x $rows use only ASCII without Unicode", (size) => {
    for (const pane of panes) {
      const state = consoleState({ readAtMs: now - 9000 }, { pane });
      const shown = draw(state, { ...size, isAscii: true });
      expect(shown.lines()).toHaveLength(size.rows);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: characters beyond ASCII are the subject
      expect(shown.text()).toMatch(/^[\x00-\x7f]*$/);
    }
  });
});

describe("the connection", () => {
  test("when lost keeps the table, with its age and the keys to press", () => {
    const shown = draw(consoleState({ link: gone, readAtMs: now - 12_000 }), large);
    const [banner = ""] = shown.lines();
    expect(banner).toMatch(
      /✗ The control plane is not running.*data is 12 s old.*S starts it.*r retries/,
    );
    expect(shown.text()).toMatch(/> tiny +● ready/);
  });

  test("when lost dims the figures", async () => {
    const before = chalk.level;
    onTestFinished(() => {
      chalk.level = before;
    });
    chalk.level = 1;
    for (const link of [{ kind: "up" }, gone] as const) {
      // The in-memory terminal shows the time of day.
      const state = consoleState({ link, readAtMs: Date.now() });
      const screen = openTree(body(state, large), large.columns, large.rows);
      await screen.until(/> tiny +● ready/);
      const signs = screen.bytes.split("\u001b[").filter((part) => /● (ready|active)/.test(part));
      expect(signs.length).toBeGreaterThanOrEqual(3);
      const isDim = signs.map((code) => code.startsWith("2m"));
      expect(isDim).toEqual(signs.map(() => link.kind !== "up"));
    }
  });

  test("when slow says so and keeps the figures", () => {
    const [banner = ""] = draw(consoleState({ readAtMs: now - 6000 })).lines();
    expect(banner).toContain("The control plane responds slowly · data is 6 s old");
    expect(textOf({ readAtMs: now - 1000 })).not.toContain("slow");
  });

  test("in progress names the address", () => {
    const state = { link: { kind: "connecting" }, readAtMs: undefined, apps: [] } as const;
    expect(textOf(state)).toContain("Loading deployments from this machine…");
  });

  test("to a server that never ran names the key to start it", () => {
    const shown = textOf({ link: gone, readAtMs: undefined, apps: [] });
    expect(shown.match(/control plane is not running/g)).toHaveLength(1);
    expect(shown).toContain("S starts it");
  });

  test("to another machine names no key to start it", () => {
    const { cloud } = consoleState();
    const target = { ...cloud.target, isLocal: false, place: "https://far:8481" };
    const shown = textOf({ link: gone, readAtMs: undefined, apps: [], target });
    expect(shown).not.toContain("S starts it");
    expect(shown).toContain("The control plane does not answer.");
  });

  test("without deployments says how to create the first one", () => {
    expect(textOf({ apps: [] })).toContain("Press 4 to deploy");
    expect(textOf({ apps: [] }, { pane: "keys" })).toContain("API keys");
  });
});

test("texts of replicas and servers never break a row", () => {
  const sentence = "Traceback:\n  line 1\r\n\u001b[31mred\u0007";
  const exit = { code: 1, signal: undefined, reason: "exited", sentence, tail: [] };
  const state = consoleState({
    apps: [sampleApp({ state: "FAILED", reason: sentence })],
    replicas: [sampleReplica({ exit, progress: sentence })],
    keys: [sampleKey({ description: sentence })],
    link: { ...gone, sentence, isUnreachable: false },
  });
  const lines = draw(state, { ...large, log: logOf(sentence) }).lines();
  expect(lines).toHaveLength(large.rows);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject here
  expect(lines.join("")).not.toMatch(/[\x00-\x1f\x7f]/);
  expect(lines.every((line) => textWidth(line) <= large.columns)).toBe(true);
});

test("a log line redraws only the log", async () => {
  const log = logOf("first");
  let looks = 0;
  const state = consoleState({
    figuresOf: () => {
      looks += 1;
      return consoleState().cloud.figuresOf("");
    },
  });
  const screen = openTree(body(state, { ...large, log }), large.columns, large.rows);
  await screen.until("first");
  looks = 0;
  log.push(sampleLine({ text: "second" }));
  await screen.until("second");
  expect(looks).toBe(0);
});
