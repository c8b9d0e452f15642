// Cost of a client's grammar during generation, found by following it as llama.cpp does.
//
// llama.cpp keeps each way through a grammar as a stack of positions, compares every token with all of
// them, and follows a token along each way even where ways meet again: `("a"?){100} "a"{100}` has more
// than 10^20 ways for 16 letters. A grammar is refused only if a text that shows this was found.
import { type CharacterSet, contains } from "./character-set.ts";
import type { GbnfAlternatives, GbnfElement } from "./gbnf-reader.ts";

/** Each stack is compared with all tokens of the vocabulary: up to 2.4 ms for 262,144 of them. */
const maxStacks = 400;
/** Limit of ways for one token, from all stacks together; each takes some 50 ns. */
const maxWays = 500_000;
/** Characters of a token of ordinary text. */
const tokenLength = 16;
/** llama.cpp looks for left recursion along each way from the start of a rule. */
const maxLeftCalls = 100_000;
/** Limit of positions visited, since following a grammar must be fast, too. */
const maxVisits = 60_000;
/** Limit of positions visited for one stack; left recursion has no end. */
const maxVisitsAtOnce = 10_000;
const maxCharactersTried = 12;
/** Tokens after which another character is tried, since the stacks of a recursion grow with the text. */
const tokensBefore = 4;

/** Position in a sequence, and the stack below it. The lowest is the grammar's end, below itself. */
class Stack {
  readonly elements: readonly GbnfElement[];
  readonly index: number;
  readonly below: Stack;
  /** Created with the first stack above this one. */
  known: KnownStacks | undefined;

  constructor(elements: readonly GbnfElement[] = [], index = 0, below?: Stack) {
    this.elements = elements;
    this.index = index;
    this.below = below ?? this;
  }
}

/** Stacks above another one, by their sequence and index. */
type KnownStacks = Map<readonly GbnfElement[], Stack[]>;

/** Number of ways that lead to each stack. */
type Ways = ReadonlyMap<Stack, number>;

class TooManyWays {}
class OutOfVisits {}

/**
 * @param prefix of the client's rules, of which `root` is the first
 * @returns the name of a rule that has too many ways; undefined if none was found
 */
export function findCostlyRule(
  rules: ReadonlyMap<string, GbnfAlternatives>,
  prefix: string,
): string | undefined {
  const { costly, isRecursive } = countLeftCalls(rules);
  if (costly !== undefined) return nameOf(costly);
  // llama.cpp reports left recursion itself.
  if (isRecursive) return undefined;
  const walker = new Walker(rules);
  let left = maxVisits;
  // A rule may be reached only after a long text, so each is followed from its own start.
  const root = `${prefix}root`;
  const others = [...rules.keys()].filter((name) => name.startsWith(prefix) && name !== root);
  const names = [root, ...others];
  for (const [index, name] of names.entries()) {
    const share = index === 0 ? (left * 2) / 3 : left / (names.length - index);
    const visits = walker.follow(name, share);
    if (visits === undefined) return nameOf(name);
    left -= visits;
  }
  return undefined;
}

/** Returns the client's rule that a rule was split from. */
function nameOf(name: string): string {
  return name.split(" ")[0] ?? name;
}

/** Finds a rule whose start leads to too many others, counted along each way, and left recursion. */
function countLeftCalls(rules: ReadonlyMap<string, GbnfAlternatives>): {
  costly?: string;
  isRecursive: boolean;
} {
  const counts = new Map<string, number>();
  const open = new Set<string>();
  let isRecursive = false;
  for (const start of rules.keys()) {
    const pending = [start];
    while (pending.length > 0) {
      const name = pending.at(-1) ?? "";
      const called = leftCalls(rules, name);
      open.add(name);
      isRecursive ||= called.some((each) => open.has(each));
      // Rules are counted after those that they call.
      const missing = called.find((each) => !counts.has(each) && !open.has(each));
      if (missing !== undefined && !counts.has(name)) {
        pending.push(missing);
        continue;
      }
      pending.pop();
      open.delete(name);
      const count = called.reduce((sum, each) => sum + (counts.get(each) ?? 0), 1);
      if (count > maxLeftCalls) return { costly: name, isRecursive };
      counts.set(name, count);
    }
  }
  return { isRecursive };
}

function leftCalls(rules: ReadonlyMap<string, GbnfAlternatives>, name: string): string[] {
  return (rules.get(name) ?? []).flatMap((sequence) => {
    const found: string[] = [];
    for (const element of sequence) {
      if (typeof element !== "string") break;
      found.push(element);
      if (rules.get(element)?.every(({ length }) => length > 0) !== false) break;
    }
    return found;
  });
}

class Walker {
  readonly #rules: ReadonlyMap<string, GbnfAlternatives>;
  readonly #opened = new Map<Stack, readonly Stack[]>();
  readonly #end = new Stack();
  #visitsLeft = 0;

  constructor(rules: ReadonlyMap<string, GbnfAlternatives>) {
    this.#rules = rules;
  }

  /** @returns the number of positions visited, at most `most`; undefined if there are too many ways */
  follow(name: string, most: number): number | undefined {
    this.#visitsLeft = most;
    try {
      this.#follow(name);
    } catch (error) {
      if (error instanceof TooManyWays) return undefined;
      if (!(error instanceof OutOfVisits)) throw error;
    }
    return most - this.#visitsLeft;
  }

  #follow(name: string): void {
    const first = this.#open(stackOf([name], 0, this.#end));
    for (const code of codesOf(first)) {
      this.#readToken(first, code, 1);
      let stacks = first;
      for (let token = 0; token < tokensBefore; token += 1) {
        stacks = this.#readToken(stacks, code, tokenLength);
      }
      for (const other of codesOf(stacks)) this.#readToken(stacks, other, 1);
    }
  }

  /** Reads a character up to `times`, and after it always the one with the most ways. */
  #readToken(stacks: readonly Stack[], code: number, times: number): readonly Stack[] {
    let ways: Ways = new Map(stacks.map((stack) => [stack, 1]));
    for (let length = 0; length < tokenLength; length += 1) {
      let read = length < times ? this.#read(ways, code) : undefined;
      if (read === undefined || read.size === 0) read = this.#readMost(ways);
      if (read.size === 0) break;
      ways = read;
    }
    return [...ways.keys()];
  }

  #readMost(ways: Ways): Ways {
    let best: Ways = new Map();
    let most = 0;
    for (const code of codesOf([...ways.keys()])) {
      const read = this.#read(ways, code);
      const sum = sumOf(read);
      if (sum > most) [best, most] = [read, sum];
    }
    return best;
  }

  #read(ways: Ways, code: number): Ways {
    const read = new Map<Stack, number>();
    for (const [stack, count] of ways) {
      this.#visit();
      if (!contains(setAt(stack), code)) continue;
      for (const opened of this.#open(after(stack))) {
        this.#visit();
        read.set(opened, (read.get(opened) ?? 0) + count);
      }
    }
    if (read.size > maxStacks || sumOf(read) > maxWays) throw new TooManyWays();
    return read;
  }

  /** Enters rules until each stack begins with a character. */
  #open(stack: Stack): readonly Stack[] {
    const known = this.#opened.get(stack);
    if (known !== undefined) return known;
    const opened: Stack[] = [];
    const seen = new Set<Stack>();
    const pending = [stack];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      this.#visit();
      if (seen.has(next)) continue;
      seen.add(next);
      if (seen.size > maxVisitsAtOnce) throw new TooManyWays();
      const element = next.elements[next.index];
      if (typeof element !== "string") {
        if (element !== undefined) opened.push(next);
        continue;
      }
      const below = after(next);
      for (const sequence of this.#rules.get(element) ?? []) {
        pending.push(sequence.length === 0 ? below : stackOf(sequence, 0, below));
      }
    }
    if (opened.length > maxStacks) throw new TooManyWays();
    this.#opened.set(stack, opened);
    return opened;
  }

  #visit(): void {
    this.#visitsLeft -= 1;
    if (this.#visitsLeft < 0) throw new OutOfVisits();
  }
}

/** Returns the only stack with these contents, so that equal ones are identical. */
function stackOf(elements: readonly GbnfElement[], index: number, below: Stack): Stack {
  below.known ??= new Map();
  const { known } = below;
  const found = known.get(elements) ?? [];
  if (found.length === 0) known.set(elements, found);
  const stack = found[index] ?? new Stack(elements, index, below);
  found[index] = stack;
  return stack;
}

function after({ elements, index, below }: Stack): Stack {
  return index + 1 < elements.length ? stackOf(elements, index + 1, below) : below;
}

function setAt({ elements, index }: Stack): CharacterSet {
  const element = elements[index];
  return element === undefined || typeof element === "string" ? [] : element;
}

/** Returns a few characters that the stacks accept next. */
function codesOf(stacks: readonly Stack[]): number[] {
  const codes = new Set<number>();
  for (const stack of stacks) {
    const [range] = setAt(stack);
    if (range !== undefined) codes.add(range[0]);
    if (codes.size >= maxCharactersTried) break;
  }
  return [...codes];
}

function sumOf(ways: Ways): number {
  let sum = 0;
  for (const count of ways.values()) sum += count;
  return sum;
}
