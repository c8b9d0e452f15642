// Number of rounds for tests that draw from many possible orders: a few in each run of the suite,
// all in `npm run proof`.

/** True in `npm run proof`. */
export const isProof = process.env.FULL_PROOF === "1";

/** @param all rounds of the proof; the suite plays a tenth of them */
export function proofRounds(all: number): number {
  return isProof ? all : Math.ceil(all / 10);
}

/** @param other cases that the proof alone plays, since the suite has others like them */
export function proofCases<Case>(usual: readonly Case[], other: readonly Case[]): readonly Case[] {
  return isProof ? [...usual, ...other] : usual;
}
