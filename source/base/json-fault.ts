// Finds the place of a mistake in a JSON text: the messages of JSON.parse often lack it.

const space = /[ \t\n\r]*/y;
const text = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const plain = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

export interface JsonFault {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  /** `expected a comma or }` */
  readonly reason: string;
}

/** Returns the first mistake of a text; undefined for valid JSON. */
export function findJsonFault(json: string): JsonFault | undefined {
  const fault = new Scanner(json).scan();
  if (fault === undefined) return undefined;
  const before = json.slice(0, fault.at).split("\n");
  return { line: before.length, column: (before.at(-1) ?? "").length + 1, reason: fault.reason };
}

interface Fault {
  readonly at: number;
  readonly reason: string;
}

class Scanner {
  readonly #json: string;
  #at = 0;

  constructor(json: string) {
    this.#json = json;
  }

  /** Keeps open brackets in a list of its own: deep nesting must not exhaust the stack. */
  scan(): Fault | undefined {
    const open: ("}" | "]")[] = [];
    for (;;) {
      const isObject = open.at(-1) === "}";
      if (isObject && !(this.#take(text) && this.#takeSign(":"))) {
        return this.#fault("a name in double quotes, followed by a colon");
      }
      this.#take(space);
      const bracket = this.#takeSign("{") ? "}" : this.#takeSign("[") ? "]" : undefined;
      if (bracket !== undefined) {
        if (!this.#takeSign(bracket)) {
          open.push(bracket);
          this.#take(space);
          continue;
        }
      } else if (!this.#take(text) && !this.#take(plain)) return this.#fault("a value");
      for (let end = open.at(-1); end !== undefined && this.#takeSign(end); end = open.at(-1)) {
        open.pop();
      }
      this.#take(space);
      const end = open.at(-1);
      if (end === undefined) {
        return this.#at === this.#json.length ? undefined : this.#fault("the end of the file");
      }
      if (!this.#takeSign(",")) return this.#fault(`a comma or ${end}`);
      this.#take(space);
    }
  }

  #take(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#json);
    if (found === null) return false;
    this.#at = pattern.lastIndex;
    return true;
  }

  #takeSign(sign: string): boolean {
    this.#take(space);
    if (!this.#json.startsWith(sign, this.#at)) return false;
    this.#at += 1;
    return true;
  }

  #fault(wanted: string): Fault {
    return { at: this.#at, reason: `expected ${wanted}` };
  }
}
