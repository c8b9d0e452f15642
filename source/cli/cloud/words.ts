// The words behind a command's name: exactly those that it needs.
import { usageError } from "../errors.ts";

/** @throws ProductError `COMMAND_USAGE` */
export function noWords(command: string, words: readonly string[]): void {
  if (words.length > 0) {
    throw usageError(`${command} takes no '${words[0]}'.`, `See deployctl ${command} --help.`);
  }
}

/**
 * @param usage what the word is, as in help: `APP`
 * @throws ProductError `COMMAND_USAGE`
 */
export function oneWord(command: string, usage: string, words: readonly string[]): string {
  const [word, ...more] = words;
  if (word === undefined) {
    throw usageError(`${command} needs one ${usage}.`, `deployctl ${command} ${usage}`);
  }
  noWords(command, more);
  return word;
}

/** @throws ProductError `COMMAND_USAGE` */
export function twoWords(
  command: string,
  usage: readonly [string, string],
  words: readonly string[],
): [string, string] {
  const [first, second, ...more] = words;
  if (first === undefined || second === undefined) {
    throw usageError(
      `${command} needs ${usage.join(" and ")}.`,
      `deployctl ${command} ${usage.join(" ")}`,
    );
  }
  noWords(command, more);
  return [first, second];
}

/** @returns undefined without a word. @throws ProductError `COMMAND_USAGE` */
export function atMostOneWord(command: string, words: readonly string[]): string | undefined {
  const [word, ...more] = words;
  noWords(command, more);
  return word;
}
