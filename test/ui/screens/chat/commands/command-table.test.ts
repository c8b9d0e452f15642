// Tests that typed lines, keys, hints and help agree with the command table.

import { homedir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { slashUsages } from "../../../../../source/chat/commands/command.ts";
import { parseLine } from "../../../../../source/chat/commands/parse-line.ts";
import { helpRows } from "../../../../../source/cli/line-commands.ts";
import { createEditorState } from "../../../../../source/ui/editor/editor-state.ts";
import type { ChatContext } from "../../../../../source/ui/screens/chat/chat-context.ts";
import {
  type ChatState,
  createChatState,
} from "../../../../../source/ui/screens/chat/chat-state.ts";
import { commandTable } from "../../../../../source/ui/screens/chat/commands/command-table.ts";
import { emptySearch } from "../../../../../source/ui/screens/chat/composer/history-search.ts";

/** The commands that are valid in a chat with this state. */
function validIn(change: Partial<ChatState>) {
  const state: ChatState = { ...createChatState(undefined, []), ...change };
  // Conditions read nothing but the state.
  return commandTable.filter(({ when }) => when({ state } as ChatContext));
}

function parsed(typed: string): string {
  const line = parseLine(typed);
  if (line.kind === "command") return `${line.command.id}:${line.argument}`;
  if (line.kind === "message") return `message:${line.text}`;
  return line.kind === "unknown" ? line.sentence : line.kind;
}

describe("a typed line", () => {
  test.each([
    ["/bye", "app.leave:"],
    ["/models/my model.gguf", "model.use:/models/my model.gguf"],
    ["'/models/my model.gguf'", "model.use:/models/my model.gguf"],
    ['"/models/a.GGUF" ', "model.use:/models/a.GGUF"],
    ["/models/my\\ model\\(1\\).gguf", "model.use:/models/my model(1).gguf"],
    ["file:///models/my%20model.gguf", "model.use:/models/my model.gguf"],
    ["~/a.gguf", `model.use:${path.join(homedir(), "a.gguf")}`],
    ["/model /models/a.gguf", "model.use:/models/a.gguf"],
    ["/load /models/my model.gguf", "model.load:/models/my model.gguf"],
    ["/save mine.gguf", "model.save:mine.gguf"],
    ["/models/a.gguf and /models/b.gguf", "Send /models/a.gguf alone to switch to it"],
    ["/models/a.gguf what is this", "Send /models/a.gguf alone to switch to it"],
    ["file:///a%2Fb.gguf", "message:file:///a%2Fb.gguf"],
    ["file:///a%zz.gguf", "message:file:///a%zz.gguf"],
    ["What is a.gguf", "message:What is a.gguf"],
    [
      "Compare /models/a.gguf and /models/b.gguf",
      "message:Compare /models/a.gguf and /models/b.gguf",
    ],
    ["  /exit  ", "app.leave:"],
    ["/?", "help.open:"],
    ["/help set", "help.open:set"],
    ["/set system Be  brief.\nAlways.", "settings.system:Be  brief.\nAlways."],
    ["/set   parameter stop a b", "settings.parameter:stop a b"],
    ["/set temperature 0", "settings.parameter:temperature 0"],
    ["/set  stop  a\nb", "settings.parameter:stop  a\nb"],
    ["/set num_ctx", "settings.parameter:num_ctx"],
    ["/set temprature 0", "Unknown setting 'temprature'. Did you mean /set temperature?"],
    ["/set thnik", "Unknown setting 'thnik'. Did you mean /set think?"],
    ["/image a.png what is it", "message:/image a.png what is it"],
    ["/IMAGE", "message:/IMAGE"],
    ["/images", "Unknown command '/images'. Did you mean /image?"],
    ["/modle", "Unknown command '/modle'. Did you mean /model?"],
    ["/sesions fox", "Unknown command '/sesions'. Did you mean /sessions?"],
    ["/quux", "Unknown command '/quux'. Type /? for help"],
    ["/tmp/cat.png what is it", "message:/tmp/cat.png what is it"],
    ["/cat.png what is it", "message:/cat.png what is it"],
    ["/tmp/cat what is it", "Unknown command '/tmp/cat'. Type /? for help"],
    ["/set think high", "settings.think:high"],
    ["/model large", "model.use:large"],
    ["/byes", "Unknown command '/byes'. Did you mean /bye?"],
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

  test("with a mistyped name of another screen suggests it", () => {
    const line = parseLine("/servr", ["/server", "/theme"]);
    expect(line).toMatchObject({ sentence: "Unknown command '/servr'. Did you mean /server?" });
  });

  test("with an unknown setting lists the known ones", () => {
    expect(parsed("/set nonsense")).toMatch(/^Unknown setting\. Use \/set system TEXT or /);
    expect(parsed("/set nonsense")).toContain("/set parameter NAME VALUE");
    expect(parsed("/set")).toBe("settings.form:");
  });
});

describe("a key", () => {
  const typed = { ...createEditorState(), text: "ab", cursor: 1 };
  const activity = { phase: { type: "waiting" }, elapsedMs: 0 } as const;
  const anchor = { entryId: 0, rowInEntry: 0, width: 80 };

  test("runs the innermost command for which it is available", () => {
    const idOf = (name: string, change: Partial<ChatState>): string | undefined =>
      validIn(change).find(({ keys }) => keys.includes(name))?.id;
    expect(idOf("Esc", {})).toBeUndefined();
    expect(idOf("Esc", { activity })).toBe("answer.stop");
    expect(idOf("Ctrl+D", {})).toBe("app.leave");
    expect(idOf("Ctrl+D", { editor: typed })).toBe("editor.deleteForward");
    const viewport = { kind: "anchored", top: anchor, seenEnd: anchor } as const;
    expect(idOf("End", { viewport, editor: typed })).toBe("view.follow");
    expect(idOf("End", { editor: typed })).toBe("editor.moveLineEnd");
  });

  test("is never bound twice without a condition", () => {
    const modes: readonly Partial<ChatState>[] = [
      {},
      { selectedId: 1 },
      { search: emptySearch },
      { asked: { isFocused: true, isKeepable: true } },
    ];
    for (const mode of modes) {
      const keys = validIn({ editor: typed, ...mode }).flatMap((command) => command.keys);
      expect(keys).toEqual([...new Set(keys)]);
    }
  });
});

describe("the help of the line chat", () => {
  test.each([58, 78, 98])("at %i columns lists every slash command and fits", (width) => {
    const rows = helpRows(width);
    const text = rows.join("\n").replaceAll(/\s+/g, " ");
    for (const command of commandTable) {
      for (const label of slashUsages(command)) {
        expect(text).toContain(label.slice(0, width - 10).split(" ")[0]);
      }
    }
    for (const row of rows) expect(row.length).toBeLessThanOrEqual(width);
  });

  test("has Ollama's topics", () => {
    expect(helpRows(78, "set").join("\n")).toContain("/set parameter NAME VALUE");
    expect(helpRows(78, "set").join("\n")).not.toContain("/show");
    expect(helpRows(78, "show").join("\n")).toContain("/show [info|license");
    expect(helpRows(78, "shortcuts").join("\n")).toContain("Ctrl+W");
  });
});
