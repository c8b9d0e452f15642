// Commands that are typed: help, leaving, models, saved chats.

import type { Command, CommandContext } from "./command.ts";

export const slashCommands: readonly Command[] = [
  {
    id: "help.open",
    title: "Show this help",
    group: "Commands",
    keys: [],
    slash: ["/?", "/help"],
    slashArguments: "[set|show|shortcuts]",
    hint: "help",
    hintWhen: ({ mode }) => mode === "writing",
    isAllowedWhileBusy: true,
    run: (context, argument) => {
      context.openHelp(argument.trim());
      return undefined;
    },
  },
  {
    id: "app.leave",
    title: "Leave",
    group: "Commands",
    keys: ["Ctrl+D"],
    slash: ["/bye", "/exit"],
    hint: "leave",
    mode: "writing",
    when: ({ isEditorEmpty }) => isEditorEmpty,
    isAllowedWhileBusy: true,
    run: (context) => {
      context.leave();
      return undefined;
    },
  },
  {
    id: "conversation.clear",
    title: "Forget the messages, keep system text and parameters; a saved chat stays",
    group: "Commands",
    keys: [],
    slash: ["/clear"],
    run: (context) => {
      context.clear();
      return undefined;
    },
  },
  {
    id: "conversation.new",
    title: "Begin a new chat",
    group: "Commands",
    keys: ["Ctrl+N"],
    slash: ["/new"],
    slashArguments: "[NAME]",
    when: ({ isBusy }) => !isBusy,
    run: (context, argument) => {
      const name = argument.trim();
      context.clear(name === "" ? undefined : name);
      return undefined;
    },
  },
  {
    id: "message.image",
    title: "Show the model an image; a path in a message does the same",
    group: "Commands",
    keys: [],
    slash: ["/image"],
    slashArguments: "PATH QUESTION",
    // The line is taken as a message before commands are looked at: this is for the help.
    run: (context) => {
      context.composer.edit({ type: "replace", text: "/image " });
      return undefined;
    },
  },
  {
    id: "message.regenerate",
    title: "Answer the last question again",
    group: "Commands",
    keys: [],
    slash: ["/regenerate"],
    run: (context) => context.messages.regenerate(),
  },
  {
    id: "message.editTyped",
    title: "Write the last question anew",
    group: "Commands",
    keys: [],
    slash: ["/edit"],
    run: (context) => context.messages.editLast(),
  },
  {
    id: "model.use",
    title: "Go on with another model",
    group: "Commands",
    keys: ["Ctrl+T"],
    slash: ["/model"],
    slashArguments: "[NAME]",
    when: ({ isBusy }) => !isBusy,
    run: (context, argument) => {
      const name = argument.trim();
      return name === ""
        ? context.chooseModel()
        : told(context, () => context.actions.switchModel(name));
    },
  },
  {
    id: "model.load",
    title: "Begin anew with another model",
    group: "Commands",
    keys: [],
    slash: ["/load"],
    slashArguments: "NAME",
    run: (context, argument) =>
      named(argument, "/load NAME", (name) => told(context, () => context.actions.loadModel(name))),
  },
  {
    id: "model.save",
    title: "Make a model of this one, its settings and the conversation",
    group: "Commands",
    keys: [],
    slash: ["/save"],
    slashArguments: "NAME [--force]",
    run: (context, argument) =>
      named(argument, "/save NAME", (name) =>
        told(context, () =>
          context.actions.saveModel(name, (question) => context.confirm(question)),
        ),
      ),
  },
  {
    id: "model.list",
    title: "List the models",
    group: "Commands",
    keys: [],
    slash: ["/list"],
    isAllowedWhileBusy: true,
    run: (context) => told(context, () => context.actions.listModels()),
  },
  {
    id: "conversation.context",
    title: "Count how full the context window is",
    group: "Commands",
    keys: [],
    slash: ["/context"],
    run: (context) => told(context, () => context.actions.context()),
  },
  {
    id: "conversation.export",
    title: "Write the conversation into a file",
    group: "Commands",
    keys: [],
    slash: ["/export"],
    slashArguments: "FILE.md|FILE.json",
    isAllowedWhileBusy: true,
    run: (context, argument) =>
      named(argument, "/export FILE.md or /export FILE.json", (file) =>
        told(context, () => context.actions.exportTo(file)),
      ),
  },
  {
    id: "session.list",
    title: "Go on with a saved chat; words find those that hold them",
    group: "Commands",
    keys: ["Alt+S"],
    slash: ["/sessions"],
    slashArguments: "[WORDS]",
    when: ({ isBusy }) => !isBusy,
    run: (context, argument) => context.chooseSession(argument.trim()),
  },
  {
    id: "session.resume",
    title: "Go on with the saved chat of that name or number",
    group: "Commands",
    keys: [],
    slash: ["/resume"],
    slashArguments: "NAME",
    run: (context, argument) =>
      named(argument, "/resume NAME", (name) => context.openSession(name)),
  },
  {
    id: "session.rename",
    title: "Name this chat",
    group: "Commands",
    keys: [],
    slash: ["/rename"],
    slashArguments: "NAME",
    isAllowedWhileBusy: true,
    run: (context, argument) =>
      named(argument, "/rename NAME", (name) => told(context, () => context.actions.rename(name))),
  },
  {
    id: "session.fork",
    title: "Go on in a copy of this chat",
    group: "Commands",
    keys: [],
    slash: ["/fork"],
    slashArguments: "[NAME]",
    run: (context, argument) => {
      const name = argument.trim();
      return told(context, () => context.actions.fork(name === "" ? undefined : name));
    },
  },
];

/** Prints what came of it. */
async function told(context: CommandContext, work: () => Promise<string>): Promise<undefined> {
  context.print(await work());
  return undefined;
}

function named(
  argument: string,
  usage: string,
  run: (name: string) => Promise<string | undefined>,
): string | Promise<string | undefined> {
  const name = argument.trim();
  return name === "" ? `Use ${usage}` : run(name);
}
