// Finds what llama.cpp would compute of a step as a single row.
//
// It multiplies one row by other code than several, which rounds otherwise: an answer by itself and the
// same one among others would differ in their last digits, and a wild sampler makes other words of that.
// Where a second row costs next to nothing, in a model that fits into the processor's cache, such a row is
// given a filler that is forgotten at once; all steps are then computed by the same code.

interface Part {
  slot: { id: number };
  tokens: readonly number[];
}

/** So large may the weights be where lone rows are filled. */
export const fillableWeightsBytes = 32 * 2 ** 20;

/** @param parts ascending by slot */
export function loneRows<P extends Part>(parts: readonly P[]): P[] {
  return leftAlone(parts.map((part) => ({ part, left: part.tokens.length })));
}

interface Rest<P> {
  part: P;
  /** Tokens that are not computed yet. */
  left: number;
}

/**
 * Computes as llama.cpp does: sequences with consecutive ids together, as many tokens of each as the
 * shortest has left, and then the rests in the same way.
 */
function leftAlone<P extends Part>(rests: readonly Rest<P>[]): P[] {
  return consecutive(rests).flatMap((run) => {
    const [only] = run;
    if (run.length === 1 && only !== undefined) return only.left === 1 ? [only.part] : [];
    const shortest = Math.min(...run.map(({ left }) => left));
    const longer = run.filter(({ left }) => left > shortest);
    return leftAlone(longer.map(({ part, left }) => ({ part, left: left - shortest })));
  });
}

function consecutive<P extends Part>(rests: readonly Rest<P>[]): Rest<P>[][] {
  const runs: Rest<P>[][] = [];
  let previous: number | undefined;
  for (const rest of rests) {
    if (rest.part.slot.id - 1 === previous) runs.at(-1)?.push(rest);
    else runs.push([rest]);
    previous = rest.part.slot.id;
  }
  return runs;
}
