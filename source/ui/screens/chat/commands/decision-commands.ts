// Keys while a call of the model waits for a decision.

import { commandGroup } from "../../../../chat/commands/command.ts";
import type { ScreenContext } from "./key-commands.ts";

export const decisionCommands = commandGroup<ScreenContext>(
  { group: "Tool calls", mode: "deciding" },
  [
    {
      id: "call.once",
      title: "Run the call once",
      keys: ["y"],
      hint: "run",
      run: ({ decisions }) => decisions.run("once"),
    },
    {
      id: "call.inChat",
      title: "Run it, and this tool without a question in this chat",
      keys: ["a"],
      hint: "always here",
      when: ({ isKeepable }) => isKeepable,
      run: ({ decisions }) => decisions.run("in-chat"),
    },
    {
      id: "call.always",
      title: "Run it, and this tool without a question in all chats",
      keys: ["A"],
      hint: "always",
      when: ({ isKeepable }) => isKeepable,
      run: ({ decisions }) => decisions.run("always"),
    },
    {
      id: "call.edit",
      title: "Edit the arguments of the call",
      keys: ["e"],
      hint: "edit",
      run: ({ decisions }) => decisions.edit(),
    },
    {
      id: "call.refuse",
      title: "Refuse the call, with a reason for the model",
      keys: ["n"],
      hint: "refuse",
      run: ({ decisions }) => decisions.refuse(),
    },
    {
      id: "call.stop",
      title: "Stop the answer; the call is not run",
      keys: ["Esc"],
      hint: "stop",
      run: (context) => context.stop(),
    },
    {
      id: "call.leave",
      title: "Return to the message field; Tab goes back to the call",
      keys: ["Tab"],
      hint: "write",
      run: ({ decisions }) => decisions.focus(false),
    },
  ],
);

/** Before the keys of the field: Tab goes to a call that waits. */
export const undecidedCommands = commandGroup<ScreenContext>(
  { group: "Tool calls", mode: "writing" },
  [
    {
      id: "call.decide",
      title: "Go to the call that waits for a decision",
      keys: ["Tab"],
      hint: "decide about the call",
      when: ({ isAsked, hasMenu }) => isAsked && !hasMenu,
      run: ({ decisions }) => decisions.focus(true),
    },
  ],
);
