// Numbers that stand for images among a prompt's tokens.
//
// A slot remembers its tokens as a list of numbers, and a new prompt is compared with that list to find
// the part that need not be computed again. Images have negative numbers: each position of each image
// has one, which stays the same as long as the runner lives.

interface Span {
  /** Number of the first position; the next ones count down from it. */
  first: number;
  tokenCount: number;
  positionCount: number;
}

export class ImageTokens {
  /** Spans in the order of their numbers. */
  readonly #spans: Span[] = [];
  readonly #known = new Map<string, Span>();
  #next = -1;
  /** True if any image has a different number of positions than tokens. */
  #isUneven = false;

  /**
   * @param key of an image's piece
   * @returns the numbers of its positions, in order
   */
  numbersOf(key: string, tokenCount: number, positionCount: number): number[] {
    let span = this.#known.get(key);
    if (span === undefined) {
      span = { first: this.#next, tokenCount, positionCount };
      this.#next -= tokenCount;
      this.#spans.push(span);
      this.#known.set(key, span);
      if (tokenCount !== positionCount) this.#isUneven = true;
    }
    const { first } = span;
    return Array.from({ length: tokenCount }, (_, index) => first - index);
  }

  /** Returns the number of tokens of the image that begins with this number. */
  lengthAt(first: number): number {
    return this.#spanOf(first).tokenCount;
  }

  /** Returns the context position of the token at an index; images before it are whole. */
  position(tokens: readonly number[], index: number): number {
    if (!this.#isUneven) return index;
    let position = index;
    for (let at = 0; at < index; at += 1) {
      const token = tokens[at] ?? 0;
      if (token >= 0) continue;
      const { tokenCount, positionCount } = this.#spanOf(token);
      position -= tokenCount - positionCount;
      at += tokenCount - 1;
    }
    return position;
  }

  /** Returns the context position of the next token. */
  end(tokens: readonly number[]): number {
    return this.position(tokens, tokens.length);
  }

  /** Returns the last index up to the given one that splits no image. */
  boundary(tokens: readonly number[], index: number): number {
    const token = tokens[index] ?? 0;
    return token < 0 ? index - (this.#spanOf(token).first - token) : index;
  }

  #spanOf(number: number): Span {
    let low = 0;
    let high = this.#spans.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#spans[middle]?.first ?? 0) >= number) low = middle;
      else high = middle - 1;
    }
    const span = this.#spans[low];
    if (span === undefined || number > span.first || number <= span.first - span.tokenCount) {
      throw new Error(`no image has the number ${number}`);
    }
    return span;
  }
}
