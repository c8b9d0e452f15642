// Keys for the messages, while they have the focus; and those of the search in the history.

import type { Command } from "./command.ts";

export const searchCommands: readonly Command[] = [
  {
    id: "search.older",
    title: "Search earlier messages; again: the next older one",
    group: "Searching",
    keys: ["Ctrl+R", "Up"],
    mode: "searching",
    hint: "older",
    run: (context) => done(() => context.composer.search({ type: "older" })),
  },
  {
    id: "search.younger",
    title: "The next younger one that fits",
    group: "Searching",
    keys: ["Ctrl+S", "Down"],
    mode: "searching",
    hint: "younger",
    run: (context) => done(() => context.composer.search({ type: "younger" })),
  },
  {
    id: "search.take",
    title: "Take the message that was found",
    group: "Searching",
    keys: ["Enter", "Tab", "Right", "End"],
    mode: "searching",
    hint: "take it",
    run: (context) => done(() => context.composer.endSearch(true)),
  },
  {
    id: "search.cancel",
    title: "Give the search up",
    group: "Searching",
    keys: ["Esc", "Ctrl+C", "Ctrl+G"],
    mode: "searching",
    hint: "give up",
    run: (context) => done(() => context.composer.endSearch(false)),
  },
  {
    id: "search.delete",
    title: "Delete the last letter of the search",
    group: "Searching",
    keys: ["Backspace", "Ctrl+H"],
    mode: "searching",
    run: (context) => done(() => context.composer.search({ type: "deleteBackward" })),
  },
];

export const readingCommands: readonly Command[] = [
  {
    id: "reading.leave",
    title: "Back to the field",
    group: "Messages",
    keys: ["Esc", "Tab", "i"],
    mode: "reading",
    hint: "write",
    run: (context) => done(() => context.messages.stopReading()),
  },
  {
    id: "reading.up",
    title: "Message above",
    group: "Messages",
    keys: ["k", "Up"],
    mode: "reading",
    hint: "above",
    run: (context) => done(() => context.messages.select(-1)),
  },
  {
    id: "reading.down",
    title: "Message below",
    group: "Messages",
    keys: ["j", "Down"],
    mode: "reading",
    hint: "below",
    run: (context) => done(() => context.messages.select(1)),
  },
  {
    id: "message.copy",
    title: "Copy the message",
    group: "Messages",
    keys: ["y"],
    mode: "reading",
    hint: "copy",
    run: (context) => context.messages.copyMessage(),
  },
  {
    id: "message.copyCode",
    title: "Copy its code; again: the next block of it",
    group: "Messages",
    keys: ["c"],
    mode: "reading",
    hint: "code",
    run: (context) => context.messages.copyCode(),
  },
  {
    id: "message.thinking",
    title: "Open or fold what the model thought",
    group: "Messages",
    keys: ["t", "Enter"],
    mode: "reading",
    hint: "thinking",
    run: (context) => context.messages.toggleThinking(),
  },
  {
    id: "message.again",
    title: "Answer the last question again",
    group: "Messages",
    keys: ["r"],
    mode: "reading",
    hint: "regenerate",
    when: ({ isBusy }) => !isBusy,
    run: (context) => context.messages.regenerate(),
  },
  {
    id: "message.edit",
    title: "Write the last question anew",
    group: "Messages",
    keys: ["e"],
    mode: "reading",
    hint: "edit",
    when: ({ isBusy }) => !isBusy,
    run: (context) => context.messages.editLast(),
  },
  {
    id: "message.fork",
    title: "Go on from this message in a copy of the chat",
    group: "Messages",
    keys: ["f"],
    mode: "reading",
    hint: "fork",
    when: ({ isBusy }) => !isBusy,
    run: (context) => context.messages.forkHere(),
  },
];

function done(act: () => void): undefined {
  act();
  return undefined;
}
