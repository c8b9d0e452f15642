// Commands for the settings of the chat: system prompt, parameters, thinking, format, history.

import { type ChatSettings, type ShowTopic, showTopics } from "../chat-backend.ts";
import { type Command, type CommandContext, commandGroup, type Printed } from "./command.ts";
import { parameterNames, parseParameter } from "./model-parameters.ts";

const levels = ["low", "medium", "high", "max"];

/** A running answer keeps its settings. */
const shared = { group: "Commands", isAllowedWhileBusy: true } as const;

export const settingsCommands: readonly Command[] = commandGroup(shared, [
  {
    id: "settings.system",
    title: "Set the system prompt",
    slash: ["/system", "/set system"],
    slashArguments: "TEXT",
    run: async (context, argument) => {
      const text = withoutQuotes(argument);
      if (text === "") return `Use /system TEXT. Current: ${await context.actions.show("system")}`;
      return change(context, { system: text }, "Set system prompt.");
    },
  },
  {
    id: "settings.parameter",
    title: `Set a parameter: ${parameterNames.join(", ")}`,
    slash: ["/set parameter"],
    slashArguments: "NAME VALUE",
    run: (context, argument) => {
      if (argument.trim() === "") return context.chooseSettings();
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
    title: "Think before answering: true, low, medium, high or max",
    slash: ["/set think"],
    slashArguments: "[LEVEL]",
    run: (context, argument) => {
      const level = argument.trim().toLowerCase();
      if (level !== "" && level !== "true" && !levels.includes(level)) {
        return `Unknown level '${level}'. Use ${levels.join(", ")}, or none`;
      }
      const think = level === "" || level === "true" ? true : level;
      return change(context, { think }, "Set 'think' mode.");
    },
  },
  mode("nothink", "Answer without thinking", { think: false }, "think off"),
  {
    id: "settings.format",
    title: "Answer in JSON",
    slash: ["/set format"],
    slashArguments: "json",
    run: (context, argument) => {
      if (argument.trim() !== "json") return "The only format is json: /set format json";
      return change(context, { format: "json" }, "Set format to 'json'.");
    },
  },
  {
    id: "settings.noformat",
    title: "Answer in plain text",
    slash: ["/set noformat"],
    run: (context) => {
      const { format: _, ...settings } = context.actions.settings;
      context.actions.changeSettings(settings);
      return { printed: "Disabled format." };
    },
  },
  mode("verbose", "Show token counts and timings", { isVerbose: true }),
  mode("quiet", "Hide token counts and timings", { isVerbose: false }),
  mode("history", "Save prompts and chats", { keepsHistory: true }),
  mode("nohistory", "Stop saving prompts and chats", { keepsHistory: false }),
  {
    id: "settings.wordwrap",
    title: "No effect (Ollama compatibility): lines always wrap at the window's width",
    slash: ["/set wordwrap", "/set nowordwrap"],
    run: () => ({ printed: "No effect: lines always wrap at the window's width." }),
  },
  {
    id: "settings.show",
    title: "Show the model's details and this chat's settings",
    slash: ["/show"],
    slashArguments: `[${showTopics.join("|")}]`,
    run: async (context, argument) => {
      const topic = argument.trim();
      if (topic !== "" && !isTopic(topic)) {
        return `Cannot show '${topic}'. Use /show ${showTopics.join(", /show ")}`;
      }
      return { printed: await context.actions.show(topic === "" ? undefined : topic) };
    },
  },
]);

function isTopic(text: string): text is ShowTopic {
  return showTopics.some((topic) => topic === text);
}

/** A setting that one word turns on or off. */
function mode(name: string, title: string, setting: Partial<ChatSettings>, word = name) {
  return {
    id: `settings.${name}`,
    title,
    slash: [`/set ${name}`],
    run: (context: CommandContext) => change(context, setting, `Set '${word}' mode.`),
  };
}

function change(
  { actions }: CommandContext,
  setting: Partial<ChatSettings>,
  printed: string,
): Printed {
  actions.changeSettings({ ...actions.settings, ...setting });
  return { printed };
}

/** Removes one or three quotes around a whole text. */
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
