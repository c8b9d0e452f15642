// Which lines of a log are shown: words that they have, and fields such as replica: and stream:.

import type { LogDocument } from "../../../cloud/admin/documents.ts";

/** The streams that a key walks through. */
export const logStreams = ["all", "stderr", "stdout", "event"] as const;
export type LogStream = (typeof logStreams)[number];

const fields: Readonly<Record<string, (line: LogDocument, value: string) => boolean>> = {
  "replica:": ({ replica }, value) => replica.includes(value),
  "rev:": ({ revision }, value) => revision.startsWith(value),
  "stream:": ({ stream }, value) => stream === value,
};

/**
 * Every word must fit: a text that the line has in any case, `replica:`, `rev:` and `stream:`; `!` in
 * front inverts.
 */
export function readLogFilter(text: string): (line: LogDocument) => boolean {
  const tests = text.trim().toLowerCase().split(/\s+/).filter(Boolean).map(readWord);
  return (line) => tests.every((test) => test(line));
}

function readWord(word: string): (line: LogDocument) => boolean {
  if (word === "!") return () => true;
  if (word.startsWith("!")) {
    const test = readWord(word.slice(1));
    return (line) => !test(line);
  }
  for (const [name, fits] of Object.entries(fields)) {
    if (word.startsWith(name)) return (line) => fits(line, word.slice(name.length));
  }
  return ({ text }) => text.toLowerCase().includes(word);
}
