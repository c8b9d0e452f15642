// Lets the commands of the screen's command table run in the line loop.
import type { ChatSettings } from "../ui/chat-backend.ts";
import type { CommandContext } from "../ui/commands/command.ts";

export interface LineActions {
  settings: ChatSettings;
  changeSettings: (settings: ChatSettings) => void;
  clear: () => void;
  leave: () => void;
  help: () => void;
}

/** What concerns only a screen (scrolling, editing) does nothing in a line loop. */
export function lineCommandContext(actions: LineActions): CommandContext {
  const nothing = () => {};
  return {
    settings: actions.settings,
    changeSettings: actions.changeSettings,
    clearConversation: actions.clear,
    leave: actions.leave,
    openHelp: actions.help,
    print: (text) => process.stderr.write(`${text}\n`),
    edit: nothing,
    moveRow: nothing,
    complete: nothing,
    submit: nothing,
    stop: nothing,
    interrupt: nothing,
    scroll: nothing,
  };
}
