// Common beginnings of alternatives, written once: `"abc" x | "abd" y` becomes `"ab" r`, where r is
// `"c" x | "d" y`.
//
// llama.cpp compares every token of the vocabulary with each alternative that is still possible. Objects
// of an `anyOf` or calls of many tools begin alike, and cost as much as one until they differ.

/** Rules that alternatives may refer to. */
export interface KnownRules {
  /** Returns undefined for anything but the name of a finished rule. */
  bodyOf(name: string): string | undefined;
  /** Returns the rule with this body, creating it if needed. */
  add(body: string): string;
}

/** Elements with their repetitions: texts, character classes, names of rules, and brackets. */
type Sequence = readonly string[];

/** Limit of work for one grammar, in characters read. */
const maxWork = 200_000;
/** Work of comparing one alternative with others. */
const workPerAlternative = 4;
/** Limit of rules that begin with one another. */
const maxLevels = 250;

const pieces = /"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|[*+?]|\{[\d,]*\}|[()|]|[\w-]+/g;

export class AlternativeFactoring {
  /** Largest number of alternatives at one place that begin differently; infinity if counting took too long. */
  widest = 0;
  /**
   * Largest number of alternatives at one place that do not begin with a fixed text. One text may fit
   * several of them.
   */
  mostOverlapping = 0;
  readonly #rules: KnownRules;
  /** Rules and brackets that are being entered. */
  readonly #entered = new Set<string>();
  #workLeft = maxWork;

  constructor(rules: KnownRules) {
    this.#rules = rules;
  }

  /** @returns the body of a rule for any of the expressions */
  bodyOf(expressions: readonly string[]): string {
    const sequences = expressions.flatMap((each) => this.#read(each) ?? []);
    const body = this.#join(sequences);
    if (this.#workLeft >= 0) return body;
    this.widest = Number.POSITIVE_INFINITY;
    return expressions.join(" | ");
  }

  #join(sequences: readonly Sequence[]): string {
    return this.#factor(sequences)
      .map((elements) => elements.join(" ") || '""')
      .join(" | ");
  }

  /** Joins alternatives that begin with the same element, then those whose rules begin alike. */
  #factor(sequences: readonly Sequence[]): readonly Sequence[] {
    const grouped = this.#group(sequences);
    if (grouped.length === 1) return grouped;
    const entered = grouped.flatMap((each) => this.#enter(each));
    const joined = this.#group(entered);
    const overlapping = joined.filter(([first]) => first !== undefined && !isText(first));
    this.widest = Math.max(this.widest, joined.length);
    this.mostOverlapping = Math.max(this.mostOverlapping, overlapping.length);
    return joined.length < entered.length ? joined : grouped;
  }

  #group(sequences: readonly Sequence[]): readonly Sequence[] {
    this.#workLeft -= sequences.length * workPerAlternative;
    if (this.#workLeft < 0) return sequences;
    const groups = Map.groupBy(sequences, ([first]) => beginningOf(first));
    return [...groups.values()].map((group) => {
      const [only = []] = group;
      if (group.length === 1 || only.length === 0) return only;
      const { shared, rests } = splitShared(group);
      return [...shared, this.#rules.add(this.#join(rests))];
    });
  }

  /** Replaces the rule or brackets at the start of a sequence by their alternatives. */
  #enter(elements: Sequence): Sequence[] {
    const [first = "", ...rest] = elements;
    // A rule may begin with itself, or rules with one another without end.
    const isClosed = this.#entered.has(first) || this.#entered.size >= maxLevels;
    const body = isClosed ? undefined : (inBrackets(first) ?? this.#rules.bodyOf(first));
    const alternatives = body === undefined ? undefined : this.#read(body);
    if (alternatives === undefined) return [elements];
    this.#entered.add(first);
    const found = alternatives.flatMap((each) => this.#enter([...each, ...rest]));
    this.#entered.delete(first);
    return found;
  }

  /** Returns undefined if there is too much work. */
  #read(body: string): Sequence[] | undefined {
    this.#workLeft -= body.length;
    return this.#workLeft < 0 ? undefined : sequencesOf(body);
  }
}

function sequencesOf(body: string): Sequence[] {
  let elements: string[] = [];
  const sequences = [elements];
  let depth = 0;
  for (const [piece] of body.matchAll(pieces)) {
    if (piece === ")") depth -= 1;
    if (depth === 0 && piece === "|") {
      elements = [];
      sequences.push(elements);
    } else if (depth > 0 || /^[)*+?{]/.test(piece)) {
      elements.push(`${elements.pop()}${depth > 0 ? " " : ""}${piece}`);
    } else if (piece !== '""') elements.push(piece);
    if (piece === "(") depth += 1;
  }
  return sequences;
}

/** Returns the alternatives in brackets that are not repeated. */
function inBrackets(element: string): string | undefined {
  if (!element.startsWith("(")) return undefined;
  if (element.endsWith(")")) return element.slice(1, -1);
  return element.endsWith(")?") ? `${element.slice(1, -2)} | ""` : undefined;
}

function isText(element: string | undefined): element is string {
  return element?.startsWith('"') === true && element.endsWith('"');
}

/** Returns the first character of a text with its quote, or another element as a whole. */
function beginningOf(element: string | undefined): string {
  return (isText(element) ? /^"(?:\\x..|\\?.)?/su.exec(element)?.[0] : element) ?? "";
}

/** @returns what all sequences begin with, and their different continuations */
function splitShared(sequences: readonly Sequence[]): { shared: Sequence; rests: Sequence[] } {
  const [first = []] = sequences;
  let count = 0;
  while (count < first.length && sequences.every((each) => each[count] === first[count])) {
    count += 1;
  }
  const shared = first.slice(0, count);
  const texts = sequences.map((each) => each[count]).filter(isText);
  const length = texts.length === sequences.length ? sharedLength(texts) : 0;
  if (length === 0) return { shared, rests: sequences.map((each) => each.slice(count)) };
  const rests = sequences.map((each) => {
    const left = `"${each[count]?.slice(1 + length)}`;
    return [...(left === '""' ? [] : [left]), ...each.slice(count + 1)];
  });
  return { shared: [...shared, `${first[count]?.slice(0, 1 + length)}"`], rests };
}

/** Returns the number of characters that all texts begin with; no character or escape is split. */
function sharedLength(texts: readonly string[]): number {
  const [first = ""] = texts;
  let end = first.length - 1;
  for (const text of texts) {
    let at = 1;
    while (at < end && at < text.length - 1 && text[at] === first[at]) at += 1;
    end = at;
  }
  const whole = /^(?:\\x..|\\[^x]|[^\\])*/su.exec(first.slice(1, end))?.[0] ?? "";
  return whole.length - (/[\uD800-\uDBFF]$/.test(whole) ? 1 : 0);
}
