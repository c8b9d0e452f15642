// Finds the known name closest to a mistyped one.

/**
 * Returns the name with the fewest typing errors (a letter added, missing, replaced, or two swapped),
 * ignoring case; undefined if none is close. The first wins a tie.
 */
export function nearestName(typed: string, names: Iterable<string>): string | undefined {
  // Any other letter is one error away from a name of one letter.
  const limit = typed.length === 1 ? 0 : Math.min(3, Math.max(1, Math.floor(typed.length / 3)));
  let best: string | undefined;
  let fewest = limit + 1;
  for (const name of names) {
    if (Math.abs(name.length - typed.length) >= fewest) continue;
    const errors = countTypingErrors(typed.toLowerCase(), name.toLowerCase());
    if (errors < fewest) {
      fewest = errors;
      best = name;
    }
  }
  return best;
}

/**
 * Returns the optimal string alignment distance. Maintained libraries such as fastest-levenshtein and leven
 * count two swapped letters as two errors, and would not suggest `FROM` for `FORM`.
 */
function countTypingErrors(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
