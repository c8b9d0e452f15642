// Common prefixes of a pattern's alternatives, factored out so that a text is compared with one of them:
// `abc|abd` becomes `ab(c|d)`.
import type { PatternNode } from "./pattern-syntax.ts";

type Either = Extract<PatternNode, { type: "either" }>;

/** Factors a pattern, except for its top-level alternatives: each may have its own anchors. */
export function factorPattern(node: PatternNode): PatternNode {
  if (node.type !== "either") return factored(node);
  return { ...node, alternatives: node.alternatives.map(factored) };
}

function factored(node: PatternNode): PatternNode {
  if (node.type === "sequence") return { ...node, parts: node.parts.map(factored) };
  if (node.type === "repeat") return { ...node, part: factored(node.part) };
  return node.type === "either" ? factoredEither(node) : node;
}

function factoredEither({ alternatives }: Either): PatternNode {
  const groups = new Map<unknown, PatternNode[][]>();
  for (const alternative of alternatives) {
    const parts = alternative.type === "sequence" ? alternative.parts : [alternative];
    const [first] = parts;
    // An alternative that does not begin with a character set is a group by itself.
    const key = first?.type === "set" ? JSON.stringify(first.set) : alternative;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [parts]);
    else group.push(parts);
  }
  const different = [...groups.values()].map((group): PatternNode => {
    const [[first, ...rest] = []] = group;
    if (first === undefined) return { type: "sequence", parts: [] };
    if (group.length === 1) return factored({ type: "sequence", parts: [first, ...rest] });
    const rests = group.map((parts): PatternNode => ({ type: "sequence", parts: parts.slice(1) }));
    return {
      type: "sequence",
      parts: [first, factoredEither({ type: "either", alternatives: rests })],
    };
  });
  const [only] = different;
  return different.length === 1 && only !== undefined
    ? only
    : { type: "either", alternatives: different };
}
