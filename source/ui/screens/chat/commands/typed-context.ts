// Effects of typed commands on the screen.

import type { CommandContext, Printed } from "../../../../chat/commands/command.ts";
import { askPrompt } from "../../../../chat/conversation/ask-prompt.ts";
import { nextEntryId } from "../../../../chat/conversation/transcript-entry.ts";
import type { ChatContext } from "../chat-context.ts";
import { edit } from "../composer/composer-actions.ts";
import * as conversation from "../conversation-actions.ts";
import { switchTools } from "../tools/tools-overlay.ts";
import * as messages from "../transcript/message-actions.ts";
import { followTail } from "../transcript/transcript-window.ts";
import { helpText } from "./command-table.ts";
import { askChatSettings } from "./settings-form.ts";

const noTools = "Tools are for models of this machine.";

export function typedContext(chat: ChatContext): CommandContext {
  const { actions, frame } = chat;
  const write = (text: string) => edit(chat, { type: "replace", text });
  return {
    actions,
    write,
    leave: () => void frame.leave("bye"),
    confirm: (question) => frame.confirm(question),
    clear: (name) => conversation.clear(chat, name),
    openSession: (reference) => conversation.resume(chat, reference),
    chooseSession: (words) => conversation.resumeChosen(chat, words),
    regenerate: () => messages.regenerateNow(chat),
    editLast: () => messages.editLast(chat),
    chooseModel: () => chooseModel(chat),
    chooseSettings: () => chooseSettings(chat),
    chooseTools: async () => {
      const { tools, backend } = chat;
      if (tools === undefined) return noTools;
      return await switchTools({ tools, backend, settings: actions.settings, frame });
    },
    choosePrompt: async () => {
      if (chat.tools === undefined) return noTools;
      const text = await askPrompt(chat.tools, frame);
      if (text === "") return "No prompts: switch a server with prompts on (/tools).";
      return text && write(text);
    },
    openHelp: () => (chat.isRead ? { printed: helpText() } : void frame.help()),
    print: (text, line): undefined => {
      const { entries } = chat.state;
      chat.store.update({
        entries: [...entries, { kind: "notice", id: nextEntryId(entries), text, line }],
        viewport: followTail,
      });
    },
  };
}

async function chooseModel({ backend, frame, actions }: ChatContext): Promise<Printed | undefined> {
  const models = await backend.models();
  const { name: current } = backend.facts;
  const choices = models.map(({ name, sizeText }) => ({
    value: name,
    title: name,
    note: name === current ? `current, ${sizeText}` : sizeText,
  }));
  const chosen = await frame.choose("Switch to another model", choices, { selected: current });
  return chosen === undefined ? undefined : { printed: await actions.switchModel(chosen) };
}

async function chooseSettings({ actions, frame }: ChatContext): Promise<Printed | undefined> {
  const before = actions.settings;
  const model = await actions.modelTexts();
  await askChatSettings(
    () => actions.settings,
    (settings) => actions.changeSettings(settings),
    model,
    frame,
  );
  return actions.settings === before ? undefined : { printed: await actions.show(undefined) };
}
