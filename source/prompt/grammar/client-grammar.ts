// Grammar in GBNF from a client: checked against limits, and renamed to fit beside other rules.
import { ProductError } from "../../base/product-error.ts";
import { promptErrors } from "../errors.ts";
import type { GrammarRules } from "./gbnf.ts";
import { readGbnf } from "./gbnf-reader.ts";
import { findCostlyRule } from "./grammar-ways.ts";

const maxCharacters = 65_536;
/** llama.cpp parses nested brackets recursively. */
const deepestBrackets = 64;
/** llama.cpp expands repetitions, as our reader does: `"abc"{100}` becomes 300 characters. */
const maxRepeated = 5000;

/** Comments, texts, character sets, tokens, counts, names, and any other character. */
const pieceForms =
  /#[^\n]*|"(?:[^"\\\n]|\\[^\n])*"|\[(?:[^\]\\\n]|\\[^\n])*\]|<[^>\s]*>|\{\s*\d*\s*(?:,\s*\d*\s*)?\}|[A-Za-z0-9_-]+|::=|[\s\S]/g;

const prefix = "client-";

/**
 * Adds the client's rules under names that do not collide with others.
 *
 * @returns the name of its root
 * @throws ProductError `PROMPT_GRAMMAR_INVALID`; llama.cpp finds all other mistakes
 */
export function addClientGrammar(rules: GrammarRules, gbnf: string): string {
  if (gbnf.length > maxCharacters) {
    throw invalid(`it has ${gbnf.length} characters; the limit is ${maxCharacters}`);
  }
  const pieces = gbnf.toWellFormed().match(pieceForms) ?? [];
  refuseLargeRepetitions(pieces);
  if (!/(?:^|\n)\s*root\s*::=/.test(gbnf)) throw invalid("it has no rule named root");
  const own = pieces.map((piece) => (isName(piece) ? prefix + piece : piece));
  rules.append(joinTexts(rules, own).join(""));
  const root = `${prefix}root`;
  const costly = findCostlyRule(readGbnf(rules.text(root)), prefix);
  if (costly !== undefined) {
    throw invalid(
      `the rule ${costly.slice(prefix.length)} matches in too many ways: it has too many alternatives ` +
        "at one place, or its optional or repeated parts can match the same characters",
    );
  }
  return root;
}

function refuseLargeRepetitions(pieces: readonly string[]): void {
  let depth = 0;
  let repeated = 0;
  // Elements that a count or a star would repeat.
  let last = 0;
  for (const piece of pieces) {
    if (isBlank(piece)) continue;
    if (piece.startsWith("{") && piece.length > 1) {
      last *= Math.max(0, ...(piece.match(/\d+/g) ?? []).map(Number));
      repeated += last;
    } else if (piece === "+") {
      repeated += last;
      last += 1;
    } else if (piece === "(") {
      depth += 1;
      last = 0;
    } else if (piece === ")") {
      depth -= 1;
      last = 1;
    } else {
      last = piece.startsWith('"') ? piece.length : 1;
    }
    if (depth > deepestBrackets)
      throw invalid(`its brackets are nested more than ${deepestBrackets} deep`);
    if (repeated > maxRepeated) throw invalid("its repetitions are too large");
  }
}

/** Replaces alternatives that are plain texts by a rule in which they share their beginnings. */
function joinTexts(rules: GrammarRules, pieces: readonly string[]): string[] {
  const joined = [...pieces];
  const parts = pieces.flatMap((piece, index) => (isBlank(piece) ? [] : { piece, index }));
  const pieceAt = (at: number) => parts[at]?.piece ?? "";
  for (let first = 1; first < parts.length; first += 1) {
    if (!isText(pieceAt(first)) || !/^(?:::=|[(|])$/.test(pieceAt(first - 1))) continue;
    let last = first;
    while (pieceAt(last + 1) === "|" && isText(pieceAt(last + 2))) last += 2;
    const isWhole = /^[|)]?$/.test(pieceAt(last + 1)) || pieceAt(last + 2) === "::=";
    if (!isWhole) last -= 2;
    if (last <= first) continue;
    const { index: start = 0 } = parts[first] ?? {};
    const count = (parts[last]?.index ?? start) - start + 1;
    const texts = pieces.slice(start, start + count).filter(isText);
    joined.fill("", start, start + count);
    joined[start] = `${rules.either(texts)} `;
    first = last;
  }
  return joined;
}

function isBlank(piece: string): boolean {
  return piece.trim() === "" || piece.startsWith("#");
}

function isName(piece: string): boolean {
  return /^[A-Za-z0-9_-]/.test(piece);
}

/** Excludes texts with escapes that `GrammarRules` does not know. */
function isText(piece: string): boolean {
  return /^"(?:[^"\\]|\\[^uU])*"$/.test(piece);
}

function invalid(reason: string): ProductError {
  return new ProductError(promptErrors.grammarInvalid, {
    message: `The grammar cannot be used: ${reason}.`,
    hint: "Send a grammar in llama.cpp's GBNF.",
    param: "grammar",
  });
}
