// Bytes that a token adds to the text, as llama.cpp's llama_vocab::token_to_piece returns them.
//
// The addon's detokenize() returns a string: a token with half a character becomes U+FFFD, and the
// leading space of the first token is dropped. Streaming needs the bytes.
import type { AddonModel } from "./addon.ts";

// llama_token_attr of llama.h
const attributes = { unknown: 1, unused: 2, normal: 4, control: 8, userDefined: 16, byte: 32 };
// llama_vocab_type of llama.h
const vocabularies = { sentencePiece: 1, bytePair: 2, wordPiece: 3, unigram: 4 };

const noBytes = new Uint8Array(0);
const encoder = new TextEncoder();

/** Bytes of each token of one model, computed once per token. */
export class TokenBytes {
  readonly #model: AddonModel;
  readonly #vocabulary: number;
  readonly #known = new Map<number, Uint8Array>();

  constructor(model: AddonModel) {
    this.#model = model;
    this.#vocabulary = model.getVocabularyType();
  }

  /**
   * Control tokens have no bytes: they are not part of an answer's text.
   *
   * @param visible texts of control tokens that are
   */
  of(token: number, visible: readonly string[] = []): Uint8Array {
    if (visible.length > 0 && this.isControl(token)) {
      const text = this.#model.getTokenString(token);
      return visible.includes(text) ? encoder.encode(text) : noBytes;
    }
    const known = this.#known.get(token);
    if (known !== undefined) return known;
    const bytes = this.#compute(token);
    this.#known.set(token, bytes);
    return bytes;
  }

  /** Tells a token that templates write from those that texts consist of. Images' are no control tokens. */
  isControl(token: number): boolean {
    if (token < 0) return false;
    const attribute = this.#model.getTokenAttributes(token);
    return (attribute & (attributes.control | attributes.unknown)) !== 0;
  }

  #compute(token: number): Uint8Array {
    if (this.isControl(token)) return noBytes;
    const attribute = this.#model.getTokenAttributes(token);
    const text = this.#model.getTokenString(token);
    if ((attribute & attributes.userDefined) !== 0) return encoder.encode(text);
    switch (this.#vocabulary) {
      case vocabularies.bytePair:
        return bytesOfBytePairText(text);
      case vocabularies.sentencePiece:
      case vocabularies.wordPiece:
      case vocabularies.unigram: {
        const byte = /^<0x([0-9A-Fa-f]{2})>$/.exec(text)?.[1];
        if ((attribute & attributes.byte) !== 0 && byte !== undefined) {
          return Uint8Array.of(Number.parseInt(byte, 16));
        }
        return encoder.encode(text.replaceAll("\u2581", " "));
      }
      default:
        // RWKV and PLaMo have escapes of their own: leave them to llama.cpp. That loses characters
        // that span several tokens, which are rare in those vocabularies.
        return encoder.encode(this.#model.detokenize(Uint32Array.of(token), false));
    }
  }
}

/** Texts of all control tokens of the model's vocabulary, longest first. */
export function controlTextsOf(model: AddonModel, vocabularySize: number): string[] {
  const texts = new Set<string>();
  for (let token = 0; token < vocabularySize; token += 1) {
    if ((model.getTokenAttributes(token) & (attributes.control | attributes.unknown)) !== 0) {
      const text = model.getTokenString(token);
      if (text !== "") texts.add(text);
    }
  }
  return [...texts].sort((a, b) => b.length - a.length);
}

/**
 * GPT-2's byte alphabet: printable Latin-1 characters map to themselves, the other 68 bytes to U+0100
 * and up, in order.
 */
const byteOfCharacter = (() => {
  const map = new Map<string, number>();
  let next = 0x100;
  for (let byte = 0; byte < 256; byte += 1) {
    const printable =
      (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    map.set(String.fromCodePoint(printable ? byte : next++), byte);
  }
  return map;
})();

function bytesOfBytePairText(text: string): Uint8Array {
  const bytes: number[] = [];
  for (const character of text) {
    const byte = byteOfCharacter.get(character);
    // Some vocabularies have plain UTF-8 beside the alphabet, which llama.cpp passes on unchanged.
    if (byte === undefined) bytes.push(...encoder.encode(character));
    else bytes.push(byte);
  }
  return Uint8Array.from(bytes);
}
