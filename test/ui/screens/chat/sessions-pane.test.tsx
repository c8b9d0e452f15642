// Tests the list of saved chats and the settings below it, in any room.

import { expect, test } from "vitest";
import type { SessionHead } from "../../../../source/chat/sessions/session.ts";
import {
  SessionsPane,
  type SessionsPaneProps,
  shortAge,
} from "../../../../source/ui/screens/chat/sessions-pane.tsx";
import { renderAt } from "../../support/render.tsx";

const minuteMs = 60_000;
const now = 1_000 * minuteMs;

function head(id: string, name: string, minutes: number): SessionHead {
  return {
    id,
    name,
    isNamed: false,
    model: "tiny",
    createdAtMs: 0,
    updatedAtMs: now - minutes * minuteMs,
    messageCount: 2,
    parameters: {},
  };
}

const saved = [
  head("a", "A long name of a chat", 0),
  head("b", "Release", 5),
  head("c", "Poem", 90),
];

function drawn(props: Partial<SessionsPaneProps>, isAscii = false): string[] {
  const all: SessionsPaneProps = {
    saved: [],
    current: undefined,
    settings: { system: undefined, parameters: {} },
    now,
    columns: 26,
    rows: 10,
    ...props,
  };
  return renderAt(<SessionsPane {...all} />, { columns: 26, isAscii }).lines();
}

test("chats are listed with the current one marked", () => {
  expect(drawn({ saved, current: saved[0] })).toEqual([
    "╭─ Chats ────────────────╮",
    "│ > A long name of … now │",
    "│   Release        5 min │",
    "│   Poem             1 h │",
    "╰──────────────── Alt+S ─╯",
  ]);
});

test("the current chat has its newest name", () => {
  expect(drawn({ saved, current: { ...head("a", "New", 0) } })[1]).toContain("> New ");
});

test("settings are below the chats and are never cut", () => {
  const settings = {
    system: "Be\nbrief.",
    parameters: { temperature: 0.3, stop: ["END", "STOP"] },
    think: "high",
    format: "json",
  };
  const rows = drawn({ saved, settings, rows: 9 });
  expect(rows.slice(1, -1)).toEqual([
    "│   A long name of … now │",
    "│                        │",
    "│ temperature 0.3        │",
    "│ stop END STOP          │",
    "│ think high             │",
    "│ format json            │",
    "│ system Be brief.       │",
  ]);
});

test("nothing is drawn without chats or without room", () => {
  expect(drawn({})).toEqual([""]);
  expect(drawn({ saved, rows: 2 })).toEqual([""]);
});

test("control characters in names are escaped, and ASCII terminals get only ASCII", () => {
  const rows = drawn({ saved: [head("a", "bad\u001b[2J name that is long", 1)] }, true);
  expect(rows[1]).toBe("|   bad^[[2J name~ 1 min |");
});

test("an age below a minute is now", () => {
  expect(shortAge(30_000)).toBe("now");
  expect(shortAge(59 * minuteMs)).toBe("59 min");
});
