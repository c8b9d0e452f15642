// The tiny model's question and answer table: what it must say, to the letter, at temperature 0.
import { readFileSync } from "node:fs";
import path from "node:path";
import { isProof } from "./proof.ts";

export interface Pair {
  skill: string;
  system: string | null;
  tools: Array<{
    type: "function";
    function: { name: string; description: string; parameters: Record<string, unknown> };
  }> | null;
  turns: Array<["user" | "assistant" | "tool", string]>;
  expect: string;
}

export const pairs: readonly Pair[] = JSON.parse(
  readFileSync(path.join(import.meta.dirname, "..", "fixtures", "pairs.json"), "utf8"),
);

/** Without tools. */
export const textPairs = pairs.filter((pair) => pair.tools === null);

/** Without tools, without a system prompt, one question. */
export const singleTurnPairs = textPairs.filter(
  (pair) => pair.system === null && pair.turns.length === 1,
);

/** For each API: one of each skill, and all that depend on earlier messages. The engine's tests ask all. */
export const apiPairs = textPairs.filter(
  ({ skill, turns, system }, index, all) =>
    isProof ||
    turns.length > 1 ||
    // A story would cost more than all the others.
    (skill !== "story" &&
      all.findIndex(
        (other) => other.skill === skill && (other.system === null) === (system === null),
      ) === index),
);

export const toolPairs = pairs.filter((pair) => pair.tools !== null);

export function messagesOf(pair: Pair): Array<{ role: string; content: string }> {
  const turns = pair.turns.map(([role, content]) => ({ role, content }));
  return pair.system === null ? turns : [{ role: "system", content: pair.system }, ...turns];
}
