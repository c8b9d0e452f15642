// Tests that keys mean the same on every screen, and that every command is documented.
// Reads the catalogue behind docs/keyboard.md, and sends keys through a frame.

import { expect, test } from "vitest";
import { commandCatalog } from "../../../source/ui/app/command-catalog.ts";
import { frameCommands } from "../../../source/ui/frame/frame-commands.ts";
import type { BoundCommand } from "../../../source/ui/frame/screen.ts";
import { tabs } from "../../../source/ui/frame/screen.ts";

const bound = frameCommands(tabs, {
  isTyping: () => false,
  open: () => {},
  openPalette: () => {},
  openCommandLine: () => {},
  help: () => {},
  chooseTheme: () => undefined,
  repaint: () => {},
  canLaunch: () => true,
  launch: () => undefined,
  interrupt: () => undefined,
  leave: () => {},
});
const keysOf = (commands: readonly Pick<BoundCommand, "keys">[]) =>
  commands.flatMap(({ keys }) => keys);

test("no screen reuses a key of the frame", () => {
  const reserved = new Set(keysOf(bound.reserved));
  const screens = commandCatalog.filter(({ title }) => title !== "Everywhere");
  expect(screens.length).toBeGreaterThanOrEqual(3);
  for (const { title, commands } of screens) {
    const taken = keysOf(commands).filter((key) => reserved.has(key));
    expect([title, taken]).toEqual([title, []]);
  }
});

test("the catalogue has every command of the frame, each key once", () => {
  const everywhere = commandCatalog.find(({ title }) => title === "Everywhere")?.commands ?? [];
  const all = [...bound.reserved, ...bound.yielding];
  expect(everywhere.map(({ id }) => id).sort()).toEqual(all.map(({ id }) => id).sort());
  const keys = keysOf(everywhere);
  expect(keys).toEqual([...new Set(keys)]);
});

test("command names are stable and carry their screen; slash names are unique", () => {
  const all = commandCatalog.flatMap(({ commands }) => commands);
  for (const { id } of all) expect(id).toMatch(/^[a-z]+\.[a-zA-Z]+$/);
  for (const { title, commands } of commandCatalog) {
    const names = commands.flatMap(({ slash = [] }) => slash);
    expect([title, names]).toEqual([title, [...new Set(names)]]);
  }
});

test("every key can be sent by a terminal", () => {
  const keys = keysOf(commandCatalog.flatMap(({ commands }) => commands));
  for (const key of keys)
    expect(key).not.toMatch(/^(F\d+|Ctrl\+(Tab|Shift\+Tab|Backspace|I|M|\[))$/);
});
