// Grammar in GBNF from a client: checked against limits, and renamed to fit beside other rules.
import { ProductError } from "../../base/product-error.ts";
import { promptErrors } from "../errors.ts";
import type { GrammarRules } from "./gbnf.ts";
import { readGbnf } from "./gbnf-reader.ts";
import { findCostlyRule } from "./grammar-ways.ts";

const mostCharacters = 65_536;
/** llama.cpp parses nested brackets recursively. */
const deepestBrackets = 64;
/** llama.cpp expands repetitions when it parses a grammar: `"abc"{100}` becomes 300 characters. */
const mostElements = 200_000;

/** Comments, texts, character sets, tokens, counts, names, and any other character. */
const pieces =
  /#[^\n]*|"(?:[^"\\\n]|\\[^\n])*"|\[(?:[^\]\\\n]|\\[^\n])*\]|<[^>\s]*>|\{\s*\d*\s*(?:,\s*\d*\s*)?\}|[A-Za-z0-9_-]+|[\s\S]/g;

const prefix = "client-";

/**
 * Adds the client's rules under names that do not collide with others.
 *
 * @returns the name of its root
 * @throws ProductError `PROMPT_GRAMMAR_INVALID`; llama.cpp finds all other mistakes
 */
export function addClientGrammar(rules: GrammarRules, gbnf: string): string {
  if (gbnf.length > mostCharacters) {
    throw invalid(`it has ${gbnf.length} characters; the limit is ${mostCharacters}`);
  }
  let text = "";
  let depth = 0;
  let elements = 0;
  // Elements that a count or a star would repeat.
  let last = 0;
  const opened: number[] = [];
  for (const [piece] of gbnf.matchAll(pieces)) {
    const isName = /^[A-Za-z0-9_-]/.test(piece);
    text += isName ? prefix + piece : piece;
    if (piece.trim() === "" || piece.startsWith("#")) continue;
    if (piece.startsWith("{") && piece.length > 1) {
      last *= Math.max(0, ...(piece.match(/\d+/g) ?? []).map(Number));
      elements += last;
    } else if (piece === "+") {
      elements += last;
      last += 1;
    } else if (piece === "(") {
      depth += 1;
      opened.push(elements);
      last = 0;
    } else if (piece === ")") {
      depth -= 1;
      opened.pop();
      last = 1;
    } else {
      last = isName ? 1 : piece.length;
      elements += last;
    }
    if (depth > deepestBrackets)
      throw invalid(`its brackets are nested more than ${deepestBrackets} deep`);
    if (elements > mostElements) throw invalid("its repetitions are too large");
  }
  if (!/(?:^|\n)\s*root\s*::=/.test(gbnf)) throw invalid("it has no rule named root");
  const costly = findCostlyRule(readGbnf(gbnf));
  if (costly !== undefined) {
    throw invalid(
      `the rule ${costly} matches in too many ways: it has too many alternatives at one place, ` +
        "or its optional or repeated parts can match the same characters",
    );
  }
  rules.append(text);
  return `${prefix}root`;
}

function invalid(reason: string): ProductError {
  return new ProductError(promptErrors.grammarInvalid, {
    message: `The grammar cannot be used: ${reason}.`,
    hint: "Send a grammar in llama.cpp's GBNF.",
    param: "grammar",
  });
}
