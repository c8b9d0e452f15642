// Part of the conformance run, and its results.

/** Result of a family of models; a part may add columns. */
export interface ConformanceRow {
  family: string;
  /** Cases that match the reference. */
  right: number;
  of: number;
  differences: readonly unknown[];
  /** Cases that ours and every reference refuse, which are neither right nor wrong. */
  refusedByAll?: readonly unknown[];
}

export interface Part {
  name: string;
  /** Programs it runs, by their names in `needs.ts`. */
  needs: readonly string[];
  /**
   * @param checkout a clone of llama.cpp, in which a part may make its own folders
   * @returns rows; differences with a known reason are in `known`
   */
  run(checkout: string): Promise<readonly ConformanceRow[]>;
}
