// Differences from the references that are meant to be, with the reason for each.

export interface KnownDifference {
  part: string;
  family: string;
  /** Names of cases; absent: all of the family. */
  cases?: readonly string[];
  reason: string;
}

const differences: readonly KnownDifference[] = [
  {
    part: "templates",
    family: "meetkai-functionary-medium-v3.1",
    reason:
      "The template marks texts as safe, and Jinja2 then escapes what is added to them as HTML, so that the reference's JSON reads {&#34;name&#34;. The model was trained on quotes; llama.cpp writes quotes too.",
  },
];

/** The reason for a difference, if it is known. */
export function knownReason(part: string, family: string, name: string): string | undefined {
  return differences.find(
    (each) => each.part === part && each.family === family && (each.cases?.includes(name) ?? true),
  )?.reason;
}
