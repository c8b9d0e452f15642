// Goal: the one table answers for typed lines, keys, hints and help without contradictions.
// Method: look-ups in the table itself.

import { describe, expect, test } from "vitest";
import type { CommandSituation } from "../../../source/ui/commands/command.ts";
import {
  commandTable,
  completeSlash,
  parseLine,
  slashUsages,
} from "../../../source/ui/commands/command-table.ts";
import { helpRows } from "../../../source/ui/view/help-rows.ts";

const idle: CommandSituation = {
  isBusy: false,
  isEditorEmpty: true,
  isAnchored: false,
  hasMessages: false,
};

function parsed(typed: string): string {
  const line = parseLine(typed);
  if (line.kind === "command") return `${line.command.id}:${line.argument}`;
  if (line.kind === "message") return `message:${line.text}`;
  return line.kind === "unknown" ? line.sentence : line.kind;
}

describe("a typed line", () => {
  test.each([
    ["/bye", "app.leave:"],
    ["  /exit  ", "app.leave:"],
    ["/?", "help.open:"],
    ["/help set", "help.open:set"],
    ["/set system Be  brief.\nAlways.", "settings.system:Be  brief.\nAlways."],
    ["/set   parameter stop a b", "settings.parameter:stop a b"],
    ["/set nonsense", "Unknown setting. Use /set system TEXT or /set parameter NAME VALUE"],
    ["/set", "Unknown setting. Use /set system TEXT or /set parameter NAME VALUE"],
    ["/byes", "Unknown command '/byes'. Type /? for help"],
    ["/", "Unknown command '/'. Type /? for help"],
    ["//bye", "message:/bye"],
    [" hello\n ", "message:hello"],
    ["what is /bye", "message:what is /bye"],
    [" \n ", "blank"],
    ['"""', "open"],
    ['"""one\ntwo', "open"],
    ['"""one\ntwo"""', "message:one\ntwo"],
    ['""""""', "blank"],
  ])("%j is %s", (typed, expected) => {
    expect(parsed(typed)).toBe(expected);
  });

  test("is completed as far as it is certain", () => {
    expect(completeSlash("/cl")).toBe("/clear ");
    expect(completeSlash("/se")).toBe("/set ");
    expect(completeSlash("/set p")).toBe("/set parameter ");
    expect(completeSlash("/nothing")).toBeUndefined();
  });
});

describe("a key", () => {
  test("belongs to the innermost thing that it is valid for", () => {
    const idOf = (name: string, change: Partial<CommandSituation>): string | undefined =>
      commandTable.find(
        ({ keys, when }) => keys.includes(name) && (when?.({ ...idle, ...change }) ?? true),
      )?.id;
    expect(idOf("Esc", {})).toBeUndefined();
    expect(idOf("Esc", { isBusy: true })).toBe("answer.stop");
    expect(idOf("Ctrl+D", {})).toBe("app.leave");
    expect(idOf("Ctrl+D", { isEditorEmpty: false })).toBe("editor.deleteForward");
    expect(idOf("End", { isAnchored: true, isEditorEmpty: false })).toBe("view.follow");
    expect(idOf("End", { isEditorEmpty: false })).toBe("editor.moveLineEnd");
  });

  test("is never claimed twice without a condition", () => {
    const unconditional = commandTable.filter(({ when }) => when === undefined);
    const keys = unconditional.flatMap(({ keys }) => keys);
    expect(keys).toEqual([...new Set(keys)]);
  });
});

describe("the help of the line loop", () => {
  test.each([58, 78, 98])("at %i columns the help names every command and fits", (width) => {
    const rows = helpRows(width);
    const text = rows.map((row) => row.text).join("\n");
    for (const command of commandTable) {
      for (const label of [...slashUsages(command), ...command.keys]) expect(text).toContain(label);
    }
    for (const row of rows) expect(row.text.length).toBeLessThanOrEqual(width);
  });
});
