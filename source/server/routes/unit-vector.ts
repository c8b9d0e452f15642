// Embedding vectors as sent to clients.

/**
 * Scales a vector to length 1; a zero vector stays as it is.
 *
 * @param dimensions how many of its first numbers are kept; undefined, or more than there are: all
 */
export function unitVector(vector: readonly number[], dimensions?: number): number[] {
  const kept = vector.slice(0, dimensions);
  const length = Math.sqrt(kept.reduce((sum, number) => sum + number * number, 0));
  return length === 0 ? kept : kept.map((number) => number / length);
}
