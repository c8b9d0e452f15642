// Commands that are typed: leaving, forgetting, help and the settings of the session.

import type { Command } from "./command.ts";
import { formatParameters, parseParameter } from "./model-parameters.ts";

export const slashCommands: readonly Command[] = [
  {
    id: "help.open",
    title: "Show this help",
    group: "Commands",
    keys: [],
    slash: ["/?", "/help"],
    hint: "help",
    isAllowedWhileBusy: true,
    run: (context) => {
      context.openHelp();
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
    when: ({ isEditorEmpty }) => isEditorEmpty,
    isAllowedWhileBusy: true,
    run: (context) => {
      context.leave();
      return undefined;
    },
  },
  {
    id: "conversation.clear",
    title: "Forget the messages, keep system text and parameters",
    group: "Commands",
    keys: [],
    slash: ["/clear"],
    run: (context) => {
      context.clearConversation();
      return undefined;
    },
  },
  {
    id: "settings.system",
    title: "Set the system text",
    group: "Commands",
    keys: [],
    slash: ["/set system"],
    slashArguments: "TEXT",
    run: (context, argument) => {
      const text = withoutQuotes(argument);
      if (text === "") return "The system text is missing: /set system TEXT";
      context.changeSettings({ ...context.settings, system: text });
      context.print("Set system text.");
      return undefined;
    },
  },
  {
    id: "settings.parameter",
    title: "Set a sampling parameter, such as temperature 0.7",
    group: "Commands",
    keys: [],
    slash: ["/set parameter"],
    slashArguments: "NAME VALUE",
    run: (context, argument) => {
      const result = parseParameter(argument);
      if (!result.isValid) return result.sentence;
      const parameters = { ...context.settings.parameters, [result.name]: result.value };
      context.changeSettings({ ...context.settings, parameters });
      context.print(`Set parameter '${result.name}' to '${result.valueText}'.`);
      return undefined;
    },
  },
  {
    id: "settings.show",
    title: "Show system text and parameters",
    group: "Commands",
    keys: [],
    slash: ["/show"],
    slashArguments: "[system|parameters]",
    isAllowedWhileBusy: true,
    run: (context, argument) => {
      const { system, parameters } = context.settings;
      const systemText = `System: ${system ?? "the model's own"}`;
      const parameterText = `Parameters:\n${formatParameters(parameters)}`;
      const topic = argument.trim();
      if (topic === "system") context.print(systemText);
      else if (topic === "parameters") context.print(parameterText);
      else if (topic === "") context.print(`${systemText}\n${parameterText}`);
      else return `Cannot show '${topic}'. Use /show system or /show parameters`;
      return undefined;
    },
  },
];

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
