// Runs commands of the screen's command table in the line chat.
import type { CommandContext } from "../ui/screens/chat/commands/command.ts";
import { settingRows, tableTexts } from "../ui/screens/chat/commands/settings-table.ts";
import { type ChatActions, sessionText } from "../ui/screens/chat/conversation/chat-actions.ts";
import { helpRows } from "./line-help.ts";

const helpWidth = 78;

export interface LineActions {
  actions: ChatActions;
  leave: CommandContext["leave"];
  help: CommandContext["openHelp"];
  regenerate: () => Promise<undefined>;
  confirm: CommandContext["confirm"];
}

/** Commands that only a screen needs (scrolling, editing) do nothing in a line chat. */
export function lineCommandContext({
  actions,
  leave,
  help,
  regenerate,
  confirm,
}: LineActions): CommandContext {
  const nothing = () => undefined;
  const onScreen = () => "This needs the full screen: start without --plain.";
  const never = async () => onScreen();
  const print = (text: string): undefined => {
    process.stderr.write(`${text}\n`);
  };
  const openSession = async (reference: string) => ({
    printed: await actions.openSession(reference),
  });
  return {
    actions,
    leave,
    print,
    openSession,
    openHelp: help,
    clear: (name): undefined => {
      actions.clear(name);
    },
    confirm,
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
    stop: nothing,
    interrupt: nothing,
    escape: nothing,
    composer: {
      edit: nothing,
      moveRow: nothing,
      complete: nothing,
      submit: nothing,
      takeBack: nothing,
      moveMenu: nothing,
      takeFromMenu: nothing,
      closeMenu: nothing,
      openEditor: never,
      startSearch: nothing,
      search: nothing,
      endSearch: nothing,
    },
    messages: {
      regenerate,
      scroll: nothing,
      stopReading: nothing,
      select: nothing,
      toggleThinking: onScreen,
      copyMessage: never,
      copyCode: never,
      editLast: onScreen,
      cancelEditing: nothing,
      forkHere: never,
      page: never,
    },
  };
}

/** @param topic `set`, `show`, `shortcuts`, or empty for all */
export function lineHelp(topic: string): string {
  return `${helpRows(helpWidth, topic).join("\n")}\n`;
}
