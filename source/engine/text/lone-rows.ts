// Rows of a step that llama.cpp would compute alone.
//
// It multiplies a single row by different code than several rows, with different rounding: an answer
// alone and the same one among others would differ in their last digits, and a sampler with a high
// temperature would turn that into other words. In models that fit into the processor's cache a second
// row is nearly free, so a single row gets a filler that is discarded; all steps then use the same code.

interface Part {
  slot: { id: number };
  tokens: readonly number[];
}

/** Limit of the weights for which fillers are used. */
export const fillerWeightsLimitBytes = 32 * 2 ** 20;

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
 * Splits as llama.cpp does: sequences with consecutive ids together, as many tokens of each as the
 * shortest has left, and then the rest in the same way.
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
