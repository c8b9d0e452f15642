// Intended differences from the references, with their reasons.

export interface KnownDifference {
  part: string;
  family: string;
  /** Names of cases, of the parsers the recorded outputs; absent: all of the family. */
  cases?: readonly string[];
  reason: string;
}

const fence =
  "The request asks for JSON. Ours is then held to a grammar, in which no model can write a Markdown fence; the reference takes the fence away that a model wrote without one.";

const differences: readonly KnownDifference[] = [
  {
    part: "templates",
    family: "meetkai-functionary-medium-v3.1",
    reason:
      "The template marks texts as safe, and Jinja2 then escapes what is added to them as HTML, so that the reference's JSON reads {&#34;name&#34;. The model was trained on quotes; llama.cpp writes quotes too.",
  },
  {
    part: "templates",
    family: "meetkai-functionary-medium-v3.2",
    cases: [
      "call with null",
      "call with nested arguments",
      "call with lists and numbers",
      "call with Unicode",
    ],
    reason:
      "A schema's default of null is printed as Jinja2 prints it, None; llama.cpp prints nothing. Jinja2 does not render these cases for another reason: the call's arguments.",
  },
  {
    part: "parsers",
    family: "mistralai-Ministral-3-14B-Reasoning-2512",
    cases: [
      '[THINK]I need to output the invoice details in JSON[/THINK]```json\n{"amount": 123.45, "date": "2025-12-03"}\n```',
    ],
    reason: fence,
  },
  {
    part: "parsers",
    family: "meta-llama-Llama-3.1-8B-Instruct",
    cases: ['```json\n"42"\n```'],
    reason: fence,
  },
];

/** Returns the reason for a known difference. */
export function knownReason(part: string, family: string, name: string): string | undefined {
  return differences.find(
    (each) => each.part === part && each.family === family && (each.cases?.includes(name) ?? true),
  )?.reason;
}
