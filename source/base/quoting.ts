// Quotes and escapes text for shells and for regular expressions.

/** Quotes a word for a POSIX shell if it needs quotes. */
export function quoteForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Escapes a text so that a `RegExp` matches it literally. Node 22 lacks `RegExp.escape`. */
export function escapeForPattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** Returns the source of a pattern in which each `*` of the text matches any characters. */
export function wildcardPattern(text: string): string {
  return text.split("*").map(escapeForPattern).join(".*");
}
