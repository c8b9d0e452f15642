// The commands of a Modelfile.

export const commandExamples = {
  ADAPTER: "ADAPTER ./lora.gguf",
  DRAFT: "DRAFT ./draft.gguf",
  FROM: "FROM ./model.gguf",
  LICENSE: "LICENSE MIT",
  MESSAGE: "MESSAGE user Hello!",
  PARAMETER: "PARAMETER temperature 0.7",
  PARSER: "PARSER name",
  RENDERER: "RENDERER name",
  REQUIRES: "REQUIRES 1.2.3",
  SYSTEM: "SYSTEM You are a helpful assistant.",
  TEMPLATE: "TEMPLATE {{ .Prompt }}",
} as const;

export type CommandName = keyof typeof commandExamples;

/** Returns the command of a word in any letter case. */
export function toCommandName(word: string): CommandName | undefined {
  const upper = word.toUpperCase();
  return /^[A-Za-z]+$/.test(word) && isCommandName(upper) ? upper : undefined;
}

function isCommandName(word: string): word is CommandName {
  return Object.hasOwn(commandExamples, word);
}

/** Returns true if a key comes before the value: a parameter's name, a message's role. */
export function hasKey(name: CommandName): boolean {
  return name === "PARAMETER" || name === "MESSAGE";
}
