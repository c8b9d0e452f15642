// Typed commands: help, quitting, models, saved chats.

import {
  type Command,
  type CommandContext,
  commandGroup,
  type Outcome,
  type Printed,
} from "./command.ts";

/** Further search words for quitting. */
export const quitWords: readonly string[] = ["leave", "close"];

/** Notice after the first Ctrl+C, on every screen and in the line chat. */
export const quitNotice = "Press Ctrl+C again to quit (or use Ctrl+D)";

/** Commands that people look for first, in this order. */
const oftenUsed = commandGroup({ group: "Often used" }, [
  {
    id: "model.use",
    title: "Switch to another model",
    slash: ["/model"],
    slashArguments: "[NAME]",
    run: (context, argument) => {
      const name = argument.trim();
      return name === "" ? context.chooseModel() : printed(context.actions.switchModel(name));
    },
  },
  {
    id: "conversation.new",
    title: "Start a new chat",
    slash: ["/new"],
    slashArguments: "[NAME]",
    run: (context, argument) => context.clear(argument.trim() || undefined),
  },
  {
    id: "session.list",
    title: "Resume a saved chat (searches its text)",
    slash: ["/sessions"],
    slashArguments: "[WORDS]",
    run: (context, argument) => context.chooseSession(argument.trim()),
  },
  {
    id: "message.image",
    title: "Attach an image (or put its path in a message)",
    slash: ["/image"],
    slashArguments: "PATH QUESTION",
    // Only for the help: such a line is parsed as a message before commands.
    run: (context) => context.write("/image "),
  },
  {
    id: "settings.form",
    title: "Change this chat's settings: system prompt, temperature, seed, …",
    slash: ["/set"],
    keywords: ["parameters", "settings", "form"],
    isAllowedWhileBusy: true,
    run: (context) => context.chooseSettings(),
  },
  {
    id: "help.open",
    title: "Help",
    slash: ["/?", "/help"],
    slashArguments: "[set|show|shortcuts]",
    isAllowedWhileBusy: true,
    run: (context, argument) => context.openHelp(argument.trim()),
  },
  {
    id: "app.leave",
    title: "Quit",
    slash: ["/bye", "/exit", "/quit"],
    keywords: quitWords,
    isAllowedWhileBusy: true,
    run: (context) => context.leave(),
  },
]);

export const slashCommands: readonly Command[] = [
  ...oftenUsed,
  ...commandGroup({ group: "Commands" }, [
    {
      id: "conversation.clear",
      title: "Clear the messages; keep settings and the saved chat",
      slash: ["/clear"],
      run: (context) => context.clear(),
    },
    {
      id: "message.regenerate",
      title: "Regenerate the last answer",
      slash: ["/regenerate"],
      run: (context) => context.regenerate(),
    },
    {
      id: "message.editTyped",
      title: "Edit the last message",
      slash: ["/edit"],
      run: (context) => context.editLast(),
    },
    {
      id: "model.load",
      title: "Start a new chat with another model",
      slash: ["/load"],
      slashArguments: "NAME",
      run: named("/load NAME", (context, name) => printed(context.actions.loadModel(name))),
    },
    {
      id: "model.save",
      title: "Save model, settings and conversation as a new model",
      slash: ["/save"],
      slashArguments: "NAME [--force]",
      run: named("/save NAME", (context, name) =>
        printed(context.actions.saveModel(name, (question) => context.confirm(question))),
      ),
    },
    {
      id: "model.list",
      title: "List models",
      slash: ["/list"],
      isAllowedWhileBusy: true,
      run: (context) => printed(context.actions.listModels()),
    },
    {
      id: "tools.switch",
      title: "Switch tools on and off, and show the tokens that they cost",
      slash: ["/tools"],
      keywords: ["mcp", "servers"],
      run: (context) => context.chooseTools(),
    },
    {
      id: "prompt.choose",
      title: "Write a message from a prompt of a tool server",
      slash: ["/prompt"],
      keywords: ["mcp"],
      run: (context) => context.choosePrompt(),
    },
    {
      id: "conversation.context",
      title: "Show how full the context window is",
      slash: ["/context"],
      run: (context) => printed(context.actions.context()),
    },
    {
      id: "conversation.export",
      title: "Export the conversation to a file",
      slash: ["/export"],
      slashArguments: "FILE.md|FILE.json",
      isAllowedWhileBusy: true,
      run: named("/export FILE.md or /export FILE.json", (context, file) =>
        printed(context.actions.exportTo(file)),
      ),
    },
    {
      id: "session.resume",
      title: "Resume a saved chat by name or id",
      slash: ["/resume"],
      slashArguments: "NAME",
      run: named("/resume NAME", (context, name) => context.openSession(name)),
    },
    {
      id: "session.rename",
      title: "Rename this chat",
      slash: ["/rename"],
      slashArguments: "NAME",
      isAllowedWhileBusy: true,
      run: named("/rename NAME", (context, name) => printed(context.actions.rename(name))),
    },
    {
      id: "session.fork",
      title: "Fork this chat",
      slash: ["/fork"],
      slashArguments: "[NAME]",
      run: (context, argument) => printed(context.actions.fork(argument.trim() || undefined)),
    },
  ]),
];

async function printed(text: Promise<string>): Promise<Printed> {
  return { printed: await text };
}

/** A command that needs a name as its argument. */
function named(
  usage: string,
  run: (context: CommandContext, name: string) => Outcome,
): Command["run"] {
  return (context, argument) => {
    const name = argument.trim();
    return name === "" ? `Use ${usage}` : run(context, name);
  };
}
