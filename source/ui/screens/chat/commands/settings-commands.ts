// Commands for the settings of the chat: system text, parameters, thinking, format, history.

import type { ChatSettings } from "../chat-settings.ts";
import { type ShowTopic, showTopics } from "../model-services.ts";
import type { Command, CommandContext } from "./command.ts";
import { parameterNames, parseParameter } from "./model-parameters.ts";

const levels = ["low", "medium", "high", "max"];

export const settingsCommands: readonly Command[] = [
  {
    id: "settings.system",
    title: "Set the system text",
    group: "Commands",
    keys: [],
    slash: ["/system", "/set system"],
    slashArguments: "TEXT",
    run: async (context, argument) => {
      const text = withoutQuotes(argument);
      if (text === "") return `Use /system TEXT. Now: ${await context.actions.show("system")}`;
      return change(context, { system: text }, "Set system text.");
    },
  },
  {
    id: "settings.parameter",
    title: `Set a parameter: ${parameterNames.join(", ")}`,
    group: "Commands",
    keys: [],
    slash: ["/set parameter"],
    slashArguments: "NAME VALUE",
    run: (context, argument) => {
      const result = parseParameter(argument);
      if (!result.isValid) return result.sentence;
      const { name, value, valueText, isForLoading } = result;
      const parameters = { ...context.actions.settings.parameters, [name]: value };
      const reload = isForLoading ? " The next message loads the model again." : "";
      return change(context, { parameters }, `Set parameter '${name}' to '${valueText}'.${reload}`);
    },
  },
  {
    id: "settings.think",
    title: "Let the model think first: true, low, medium, high or max",
    group: "Commands",
    keys: [],
    slash: ["/set think"],
    slashArguments: "[LEVEL]",
    run: (context, argument) => {
      const level = argument.trim().toLowerCase();
      if (level !== "" && level !== "true" && !levels.includes(level)) {
        return `think takes ${levels.join(", ")}, or nothing, not '${level}'`;
      }
      const think = level === "" || level === "true" ? true : level;
      return change(context, { think }, "Set 'think' mode.");
    },
  },
  plain("settings.nothink", "Let it answer at once", "/set nothink", { think: false }, "think off"),
  {
    id: "settings.format",
    title: "Let every answer be JSON",
    group: "Commands",
    keys: [],
    slash: ["/set format"],
    slashArguments: "json",
    run: (context, argument) => {
      if (argument.trim() !== "json") return "The only format is json: /set format json";
      return change(context, { format: "json" }, "Set format to 'json'.");
    },
  },
  {
    id: "settings.noformat",
    title: "Let answers be text",
    group: "Commands",
    keys: [],
    slash: ["/set noformat"],
    run: (context) => {
      const { format: _, ...settings } = context.actions.settings;
      context.actions.changeSettings(settings);
      context.print("Disabled format.");
      return undefined;
    },
  },
  plain(
    "settings.verbose",
    "Show counts and times",
    "/set verbose",
    { isVerbose: true },
    "verbose",
  ),
  plain("settings.quiet", "Show no counts", "/set quiet", { isVerbose: false }, "quiet"),
  plain(
    "settings.history",
    "Keep prompts and chats",
    "/set history",
    { keepsHistory: true },
    "history",
  ),
  plain(
    "settings.nohistory",
    "Keep nothing from now on",
    "/set nohistory",
    { keepsHistory: false },
    "nohistory",
  ),
  {
    id: "settings.wordwrap",
    title: "For Ollama's sake: rows end where the window does in any case",
    group: "Commands",
    keys: [],
    slash: ["/set wordwrap", "/set nowordwrap"],
    run: (context) => {
      context.print("Rows end where the window does, whatever is set.");
      return undefined;
    },
  },
  {
    id: "settings.show",
    title: "Show what is known of the model and set in this chat",
    group: "Commands",
    keys: [],
    slash: ["/show"],
    slashArguments: `[${showTopics.join("|")}]`,
    isAllowedWhileBusy: true,
    run: async (context, argument) => {
      const topic = argument.trim();
      if (topic !== "" && !isTopic(topic)) {
        return `Cannot show '${topic}'. Use /show ${showTopics.join(", /show ")}`;
      }
      context.print(await context.actions.show(topic === "" ? undefined : topic));
      return undefined;
    },
  },
];

function isTopic(text: string): text is ShowTopic {
  return showTopics.some((topic) => topic === text);
}

function plain(
  id: string,
  title: string,
  slash: string,
  setting: Partial<ChatSettings>,
  word: string,
): Command {
  return {
    id,
    title,
    group: "Commands",
    keys: [],
    slash: [slash],
    run: (context) => change(context, setting, `Set '${word}' mode.`),
  };
}

function change(
  context: CommandContext,
  setting: Partial<ChatSettings>,
  sentence: string,
): undefined {
  const { actions } = context;
  actions.changeSettings({ ...actions.settings, ...setting });
  context.print(sentence);
  return undefined;
}

/** Takes the quotes off a text that is quoted as a whole, with one or three of them. */
function withoutQuotes(argument: string): string {
  const text = argument.trim();
  for (const quote of ['"""', '"']) {
    const isQuoted = text.startsWith(quote) && text.endsWith(quote);
    if (isQuoted && text.length >= 2 * quote.length) {
      return text.slice(quote.length, -quote.length).trim();
    }
  }
  return text;
}
