// Typed lines: messages, or commands with their arguments.

import { modelFilePath } from "../../base/file-path.ts";
import { nearestName } from "../../base/nearest-name.ts";
import { imageArgument, mayAttach } from "../../client/attachments/attach-images.ts";
import { type Command, findTyped, slashUsages } from "./command.ts";
import { parameterNames } from "./model-parameters.ts";
import { settingsCommands } from "./settings-commands.ts";
import { slashCommands } from "./slash-commands.ts";

/** Commands with slash names. */
export const typedCommands: readonly Command[] = [...slashCommands, ...settingsCommands];

/** A line that was sent from the editor. */
export type ParsedLine =
  | { readonly kind: "message"; readonly text: string }
  | { readonly kind: "command"; readonly command: Command; readonly argument: string }
  /** Another screen may know it, unless it is a setting of the chat. */
  | { readonly kind: "unknown"; readonly sentence: string; readonly isSetting: boolean }
  /** A block opened with three quotes and not closed yet. */
  | { readonly kind: "open" }
  | { readonly kind: "blank" };

const blockQuote = '"""';
const useModel = typedCommands.find(({ id }) => id === "model.use");

/**
 * Tells messages and commands apart; `//` at the start sends a message that begins with `/`. A line
 * that attaches an image is always a message, and one that is the path of a model file switches to it.
 *
 * @param otherNames slash names of other screens, to suggest for a mistyped one
 */
export function parseLine(typed: string, otherNames: readonly string[] = []): ParsedLine {
  const text = typed.trim();
  if (text === "") return { kind: "blank" };
  if (imageArgument(text) !== undefined) return { kind: "message", text };
  if (text.startsWith(blockQuote)) return parseBlock(text);
  if (text.startsWith("//")) return { kind: "message", text: text.slice(1) };
  const modelFile = isCommand(text) ? undefined : modelFilePath(text);
  if (modelFile !== undefined && useModel !== undefined) {
    return { kind: "command", command: useModel, argument: modelFile };
  }
  if (!text.startsWith("/")) return { kind: "message", text };
  return parseCommand(text, otherNames);
}

/** `/model a.gguf` is a command, and no path. */
function isCommand(text: string): boolean {
  const [first = ""] = text.split(/\s/, 1);
  return typedCommands.some(({ slash }) => slash?.includes(first));
}

function parseBlock(text: string): ParsedLine {
  const isClosed = text.length >= 2 * blockQuote.length && text.endsWith(blockQuote);
  if (!isClosed) return { kind: "open" };
  const inner = text.slice(blockQuote.length, -blockQuote.length).trim();
  return inner === "" ? { kind: "blank" } : { kind: "message", text: inner };
}

function parseCommand(text: string, otherNames: readonly string[]): ParsedLine {
  const found = findTyped(typedCommands, text);
  if (found !== undefined && !isMistyped(found.command, found.name, text)) {
    return { kind: "command", command: found.command, argument: found.argument };
  }
  const [first = "", second = ""] = text.split(/\s+/, 2);
  // `/tmp/cat.png what is it` begins with a path.
  if (/[/.]/.test(first.slice(1)) && mayAttach(text)) return { kind: "message", text };
  if (first === setName && parameterNames.includes(second)) {
    return parseCommand(text.replace(setName, parameterName), otherNames);
  }
  const isSetting = typedCommands.some(({ slash = [] }) =>
    slash.some((name) => name.startsWith(`${first} `)),
  );
  const sentence = isSetting ? unknownSetting(first, second) : unknownCommand(first, otherNames);
  return { kind: "unknown", isSetting, sentence };
}

const setName = "/set";
const parameterName = "/set parameter";

function unknownSetting(command: string, setting: string): string {
  const usages = typedCommands
    .flatMap(slashUsages)
    .filter((usage) => usage.startsWith(`${command} `));
  const names = usages.map((usage) => usage.split(" ")[1] ?? "");
  const nearest = nearestName(setting, [...names, ...parameterNames]);
  if (nearest === undefined) return `Unknown setting. Use ${usages.join(" or ")}`;
  return `Unknown setting '${setting}'. Did you mean ${command} ${nearest}?`;
}

/** A suggestion for fewer letters would be a guess. */
const suggestedLetters = 3;

function unknownCommand(typed: string, otherNames: readonly string[]): string {
  if (modelFilePath(typed) !== undefined) return `Send ${typed} alone to switch to it`;
  const names = [...typedCommands.flatMap(({ slash = [] }) => slash), ...otherNames];
  const words = new Set(names.map((name) => name.slice(1).split(" ", 1)[0] ?? ""));
  const word = typed.slice(1);
  const nearest = word.length < suggestedLetters ? undefined : nearestName(word, words);
  const advice = nearest === undefined ? "Type /? for help" : `Did you mean /${nearest}?`;
  return `Unknown command '${typed}'. ${advice}`;
}

/** `/set nonsense` is an unknown setting, though `/set` alone is a command. */
function isMistyped({ slashArguments }: Command, name: string, text: string): boolean {
  if (slashArguments !== undefined || text === name) return false;
  return typedCommands.some(({ slash }) => slash?.some((other) => other.startsWith(`${name} `)));
}
