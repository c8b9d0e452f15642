// One part of the conformance run, and what it finds.

/** Result of a family of models; a part may add columns. */
export interface ConformanceRow {
  family: string;
  /** Cases that are as the reference has them. */
  right: number;
  of: number;
  differences: readonly unknown[];
}

export interface Part {
  name: string;
  /** Programs it runs, as `needs.ts` names them. */
  needs: readonly string[];
  /**
   * @param checkout a clone of llama.cpp, in which a part may make its own folders
   * @returns rows whose differences have no known reason, or tell it in `known`
   */
  run(checkout: string): Promise<readonly ConformanceRow[]>;
}
