// Commands of the line chat, from the screen's command table, and their help.

import { textWidth, truncateText } from "../base/graphemes.ts";
import { wrapLine } from "../base/wrap-line.ts";
import { sessionText } from "../chat/chat-actions.ts";
import { type Command, type CommandContext, slashUsages } from "../chat/commands/command.ts";
import { typedCommands } from "../chat/commands/parse-line.ts";
import { settingRows, tableTexts } from "../chat/commands/settings-table.ts";

const helpWidth = 78;
const labelCells = 30;

/** Keys of readline. */
const shortcuts: readonly (readonly [keys: string, title: string])[] = [
  ["Enter", "Send"],
  ["Tab", "Complete a /command, a path or @SERVER:RESOURCE"],
  ["Up, Down", "Previous and next message"],
  ["Ctrl+A, Ctrl+E", "Start and end of the line"],
  ["Alt+B, Alt+F", "Word left, word right"],
  ["Ctrl+W, Ctrl+K, Ctrl+U", "Delete the word before, to the end, to the start"],
  ["Ctrl+C", "Stop generating or clear the input; press twice to quit"],
  ["Ctrl+D", "Quit, on an empty line"],
];

export type LineActions = Pick<
  CommandContext,
  "actions" | "leave" | "openHelp" | "confirm" | "chooseTools" | "choosePrompt"
> & {
  regenerate: () => Promise<undefined>;
};

/** Returns the context for running commands. */
export function lineCommandContext({ regenerate, ...line }: LineActions): CommandContext {
  const { actions } = line;
  const print = (text: string): undefined => {
    process.stderr.write(`${text}\n`);
  };
  const openSession = async (reference: string) => ({
    printed: await actions.openSession(reference),
  });
  return {
    ...line,
    print,
    openSession,
    clear: (name): undefined => {
      actions.clear(name);
    },
    chooseModel: async () => ({
      printed: `${await actions.listModels()}\nSwitch with: /model NAME`,
    }),
    chooseSettings: async () => {
      const rows = settingRows(actions.settings, await actions.modelTexts());
      const texts = tableTexts(rows).map((text, index) => `${text}  ${rows[index]?.meaning}`);
      return { printed: `${texts.join("\n")}\nChange one: /set parameter NAME VALUE` };
    },
    chooseSession: async (words) => {
      const sessions = await actions.sessions(words);
      if (sessions.length === 0) return "No such chat.";
      const nowMs = Date.now();
      const lines = sessions.map((head) => sessionText(head, nowMs));
      return { printed: `${lines.join("\n")}\nResume one with: /resume NAME` };
    },
    regenerate,
    editLast: () => "This needs the full screen: start without --plain.",
    // Lines that begin with /image are messages.
    write: () => undefined,
  };
}

/** Formats the help. @param topic `set`, `show`, `shortcuts`, or empty for all commands */
export function lineHelp(topic: string): string {
  return `${helpRows(helpWidth, topic).join("\n")}\n`;
}

/** @param topic as in Ollama: `set` and `show` narrow the list, `shortcuts` lists keys */
export function helpRows(width: number, topic = ""): string[] {
  if (topic === "shortcuts") {
    return shortcuts.flatMap(([keys, title]) => labelled(keys, title, width));
  }
  const commands = typedCommands.filter((command) => isAbout(command, topic));
  const rows = commands.flatMap((command) =>
    labelled(slashUsages(command).join(", "), command.title, width),
  );
  if (topic !== "") return rows;
  return [
    ...rows,
    "",
    ...wrapLine('Put """ before and after a message of several lines.', width).map(textOf),
    ...wrapLine("To send a message that starts with /, start it with //.", width).map(textOf),
  ];
}

function textOf({ text }: { text: string }): string {
  return text;
}

function isAbout({ slash = [] }: Command, topic: string): boolean {
  const isTopic = topic === "set" || topic === "show";
  return !isTopic || slash.some((name) => name.startsWith(`/${topic}`));
}

function labelled(label: string, title: string, width: number): string[] {
  const titles = wrapLine(title, Math.max(10, width - labelCells)).map(textOf);
  const indented = titles.map((text) => " ".repeat(labelCells) + text);
  const head = `  ${label}`;
  if (textWidth(head) >= labelCells) return [truncateText(head, width, ""), ...indented];
  return indented.map((row, index) => (index === 0 ? head.padEnd(labelCells) + titles[0] : row));
}
