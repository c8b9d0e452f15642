// Parts of a line, some of which may be missing.

/** Joins parts; empty, undefined and false ones are left out. */
export function joinParts(
  parts: readonly (string | false | undefined)[],
  separator: string,
): string {
  return parts.filter((part) => part).join(separator);
}
