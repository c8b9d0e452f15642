// Text that records the origin of its characters: the template or the conversation.
//
// Every function of the template language works on these texts, so the origin survives slicing, escaping
// and formatting, and lengths and comparisons see only the characters.

/**
 * Origin of a piece of text: the template; the conversation (`outside`); or the unfinished answer that
 * the model is to continue (`prefill`). The text of an `image` only marks its place.
 */
export type Origin = "template" | "outside" | "prefill" | "image";

export interface TextPiece {
  readonly text: string;
  readonly origin: Origin;
}

export class TemplateText {
  static readonly empty = new TemplateText([]);

  /** Pieces that are not empty, without neighbours of the same origin. */
  readonly pieces: readonly TextPiece[];
  #plain: string | undefined;

  private constructor(pieces: readonly TextPiece[]) {
    this.pieces = pieces;
  }

  static of(text: string, origin: Origin = "template"): TemplateText {
    return text === "" ? TemplateText.empty : new TemplateText([{ text, origin }]);
  }

  static fromPieces(pieces: Iterable<TextPiece>): TemplateText {
    const joined: TextPiece[] = [];
    for (const piece of pieces) {
      if (piece.text === "") continue;
      const last = joined.at(-1);
      if (last?.origin === piece.origin) {
        joined[joined.length - 1] = { text: last.text + piece.text, origin: piece.origin };
      } else {
        joined.push(piece);
      }
    }
    return joined.length === 0 ? TemplateText.empty : new TemplateText(joined);
  }

  /** Joins parts; strings count as the template's. */
  static join(parts: Iterable<TemplateText | string>): TemplateText {
    return TemplateText.fromPieces(
      [...parts].flatMap((part) =>
        typeof part === "string" ? [{ text: part, origin: "template" }] : part.pieces,
      ),
    );
  }

  get plain(): string {
    this.#plain ??= this.pieces.map(({ text }) => text).join("");
    return this.#plain;
  }

  /** Length in UTF-8 bytes, as Go counts. */
  get byteLength(): number {
    return Buffer.byteLength(this.plain);
  }

  /** Slices by UTF-8 bytes, as Go does. Half a character becomes U+FFFD: a prompt is always text. */
  sliceBytes(from: number, to: number): TemplateText {
    let at = 0;
    return TemplateText.fromPieces(
      this.pieces.map(({ text, origin }) => {
        const bytes = Buffer.from(text);
        const part = bytes.subarray(Math.max(0, from - at), Math.max(0, to - at));
        at += bytes.length;
        return { text: part.toString(), origin };
      }),
    );
  }

  /** Returns the first characters (code points). */
  takeCharacters(count: number): TemplateText {
    let left = count;
    return TemplateText.fromPieces(
      this.pieces.map(({ text, origin }) => {
        const part = firstCharacters(text, left);
        left -= countCharacters(part);
        return { text: part, origin };
      }),
    );
  }

  /** Changes each piece separately; `change` must treat every character by itself. */
  map(change: (text: string) => string): TemplateText {
    return TemplateText.fromPieces(
      this.pieces.map(({ text, origin }) => ({ text: change(text), origin })),
    );
  }
}

/** Counts code points. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function firstCharacters(text: string, count: number): string {
  let end = 0;
  let left = count;
  for (const character of text) {
    if (left <= 0) break;
    left -= 1;
    end += character.length;
  }
  return text.slice(0, end);
}
