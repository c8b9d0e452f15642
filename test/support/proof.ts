// How often a test that draws from many possible orders repeats itself: a few rounds in each run of
// the suite, all of them in `npm run proof`.

const isProof = process.env.FULL_PROOF === "1";

/** @param all rounds of the proof; the suite plays a tenth of them */
export function proofRounds(all: number): number {
  return isProof ? all : Math.ceil(all / 10);
}

/** @param other cases that the proof alone plays, since the suite has others like them */
export function proofCases<Case>(usual: readonly Case[], other: readonly Case[]): readonly Case[] {
  return isProof ? [...usual, ...other] : usual;
}
