// Incremental scanner for one JSON value in streamed text.

/** State of a scanner: inside the value, after it, or at text that is not JSON. */
export type JsonState = "open" | "complete" | "broken";

type Expected = "value" | "first-item" | "first-key" | "key" | "colon" | "comma";

/** Deeper than any argument; keeps invalid output from growing the stack. */
const maxDepth = 256;

const wordPattern = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?)$/;
const numberBeginning = /^-?(?:(?:0|[1-9]\d*)(?:\.\d*)?(?:[eE][-+]?\d*)?)?$/;

export class JsonScanner {
  #containers: Array<"{" | "["> = [];
  #expected: Expected = "value";
  #inString = false;
  #isKey = false;
  /** Remaining characters of an escape sequence; -1: the one directly after the backslash. */
  #escape = 0;
  /** Number, `true`, `false` or `null` that is being read. */
  #word = "";
  state: JsonState = "open";

  /**
   * Reads the part of a text that belongs to the value.
   *
   * @returns the number of characters read, and their JSON text. The two differ where a string contains
   *   a raw line break or another control character, which models write although JSON requires an
   *   escape.
   */
  scan(text: string): { length: number; json: string } {
    let json = "";
    let copied = 0;
    let at = 0;
    for (; at < text.length && this.state === "open"; at += 1) {
      const character = text.charAt(at);
      if (this.#inString && character < " ") {
        json += text.slice(copied, at) + JSON.stringify(character).slice(1, -1);
        copied = at + 1;
      }
      if (!this.#step(character)) break;
    }
    return { length: at, json: json + text.slice(copied, at) };
  }

  /** Signals the end of the text: a bare number or word is then complete. */
  finish(): JsonState {
    if (this.state === "open" && this.#containers.length === 0 && wordPattern.test(this.#word)) {
      this.state = "complete";
    }
    if (this.state === "open") this.state = "broken";
    return this.state;
  }

  /** Returns false for a character that does not belong to the value. */
  #step(character: string): boolean {
    if (this.#inString) {
      this.#stepInString(character);
      return this.state !== "broken";
    }
    if (this.#word !== "") {
      if (/[-+.\w]/.test(character)) {
        this.#word += character;
        return this.#check(isWordBeginning(this.#word));
      }
      if (!this.#check(wordPattern.test(this.#word))) return false;
      this.#word = "";
      this.#endValue();
      if (this.state === "complete") return false;
    }
    if (/[ \t\r\n]/.test(character)) return true;
    return this.#check(this.#stepBetween(character));
  }

  #check(isFine: boolean): boolean {
    if (!isFine) this.state = "broken";
    return isFine;
  }

  #stepInString(character: string): void {
    if (this.#escape > 0) {
      this.#check(/[0-9a-fA-F]/.test(character));
      this.#escape -= 1;
    } else if (this.#escape < 0) {
      this.#check('"\\/bfnrtu'.includes(character));
      this.#escape = character === "u" ? 4 : 0;
    } else if (character === "\\") {
      this.#escape = -1;
    } else if (character === '"') {
      this.#inString = false;
      if (this.#isKey) this.#expected = "colon";
      else this.#endValue();
    }
  }

  #stepBetween(character: string): boolean {
    const expected = this.#expected;
    if (expected === "colon") {
      this.#expected = "value";
      return character === ":";
    }
    if (expected === "comma") {
      if (character !== ",") return this.#close(character);
      this.#expected = this.#containers.at(-1) === "{" ? "key" : "value";
      return true;
    }
    if (expected === "key" || expected === "first-key") {
      if (character !== '"') return expected === "first-key" && this.#close(character);
      this.#inString = true;
      this.#isKey = true;
      return true;
    }
    return this.#beginValue(character) || (expected === "first-item" && this.#close(character));
  }

  #beginValue(character: string): boolean {
    if (character === "{" || character === "[") {
      this.#containers.push(character);
      this.#expected = character === "{" ? "first-key" : "first-item";
      return this.#containers.length <= maxDepth;
    }
    if (character === '"') {
      this.#inString = true;
      this.#isKey = false;
      return true;
    }
    this.#word = isWordBeginning(character) ? character : "";
    return this.#word !== "";
  }

  #close(character: string): boolean {
    if (character !== (this.#containers.at(-1) === "{" ? "}" : "]")) return false;
    this.#containers.pop();
    this.#endValue();
    return true;
  }

  #endValue(): void {
    this.#expected = "comma";
    if (this.#containers.length === 0) this.state = "complete";
  }
}

function isWordBeginning(word: string): boolean {
  return (
    ["true", "false", "null"].some((whole) => whole.startsWith(word)) || numberBeginning.test(word)
  );
}
