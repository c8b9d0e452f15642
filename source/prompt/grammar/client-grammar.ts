// A grammar in GBNF that a client sends: bounded before llama.cpp reads it, and put beside rules of ours.
import { ProductError } from "../../base/product-error.ts";
import { promptErrors } from "../errors.ts";
import type { GrammarRules } from "./gbnf.ts";

const mostCharacters = 65_536;
/** llama.cpp reads brackets within brackets by calling itself. */
const deepestBrackets = 64;
/** Repetitions are written out when a grammar is read: `"abc"{100}` as 300 characters. */
const mostElements = 200_000;

/** Comments, texts, sets of characters, tokens, counts, names, and any other character. */
const pieces =
  /#[^\n]*|"(?:[^"\\\n]|\\[^\n])*"|\[(?:[^\]\\\n]|\\[^\n])*\]|<[^>\s]*>|\{\s*\d*\s*(?:,\s*\d*\s*)?\}|[A-Za-z0-9_-]+|[\s\S]/g;

const prefix = "client-";

/**
 * Adds the client's rules to ours, under names of their own.
 *
 * @returns the name of its root
 * @throws ProductError `PROMPT_GRAMMAR_INVALID`; what else is wrong is found by llama.cpp
 */
export function addClientGrammar(rules: GrammarRules, gbnf: string): string {
  if (gbnf.length > mostCharacters) {
    throw invalid(`it has ${gbnf.length} characters, and at most ${mostCharacters} are read`);
  }
  let text = "";
  let depth = 0;
  let elements = 0;
  // Elements of what a count or a star would repeat.
  let last = 0;
  const opened: number[] = [];
  for (const [piece] of gbnf.matchAll(pieces)) {
    const isName = /^[A-Za-z0-9_-]/.test(piece);
    text += isName ? prefix + piece : piece;
    if (piece.trim() === "" || piece.startsWith("#")) continue;
    if (piece.startsWith("{") && piece.length > 1) {
      elements += last * Math.max(0, ...(piece.match(/\d+/g) ?? []).map(Number));
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
      throw invalid(`it has more than ${deepestBrackets} brackets within brackets`);
    if (elements > mostElements) throw invalid("its repetitions are too large");
  }
  if (!/(?:^|\n)\s*root\s*::=/.test(gbnf)) throw invalid("it has no rule named root");
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
