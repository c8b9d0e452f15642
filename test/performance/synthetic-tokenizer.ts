// Tokenizer of the benchmark's model: a real BPE vocabulary of invented words made of syllables.
//
// Every entry can be reached by merges, and each word with its leading space is one token, so that a
// reply in a later chat turn has exactly the tokens that were generated.

export const usualVocabulary = 65_536;
const controlTokens = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"] as const;

/** The letter for a space in a byte-level BPE vocabulary. */
const spaceLetter = "\u0120";

const tokenTypeNormal = 1;
const tokenTypeControl = 3;

export interface SyntheticTokenizer {
  tokens: readonly string[];
  types: readonly number[];
  merges: readonly string[];
  beginId: number;
  endId: number;
  /** Tokens of one word with its leading space, the only ones that the model produces. */
  isSpoken: (id: number) => boolean;
  /** These tokens as plain words, without their space. */
  words: readonly string[];
  chatTemplate: string;
}

const chatTemplate = [
  "{% for message in messages %}",
  "{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}",
  "{% endfor %}",
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}",
].join("");

/** Includes all words of a smaller vocabulary. */
export function createTokenizer(vocabularySize = usualVocabulary): SyntheticTokenizer {
  const tokens = byteLetters();
  const byteCount = tokens.length;
  const merges: string[] = [];
  const merge = (left: string, right: string): string => {
    merges.push(`${left} ${right}`);
    tokens.push(left + right);
    return left + right;
  };
  const syllables = createSyllables();
  // Earlier merges win. This order builds " batemi" as " ba", " bate", " batemi", so that every
  // intermediate word is also an entry.
  for (const syllable of syllables) {
    merge(syllable.charAt(0), syllable.charAt(1));
  }
  const spokenStart = tokens.length;
  const starts = syllables.map((syllable) => merge(spaceLetter, syllable));
  const words = starts.flatMap((start) => syllables.map((syllable) => merge(start, syllable)));
  const longWordCount =
    vocabularySize - controlTokens.length - tokens.length - syllables.length ** 2;
  for (let index = 0; index < longWordCount; index++) {
    const word = words[index % words.length];
    const syllable = syllables[longWordEnding(index, words.length) % syllables.length];
    if (word === undefined || syllable === undefined) throw new Error("no such syllable");
    merge(word, syllable);
  }
  const spokenEnd = tokens.length;
  for (const left of syllables) {
    for (const right of syllables) merge(left, right);
  }
  tokens.push(...controlTokens);
  if (new Set(tokens).size !== vocabularySize || spokenStart <= byteCount) {
    throw new Error("the synthetic vocabulary has repeated or missing entries");
  }
  return {
    tokens,
    types: tokens.map((_, id) =>
      id < vocabularySize - controlTokens.length ? tokenTypeNormal : tokenTypeControl,
    ),
    merges,
    beginId: vocabularySize - controlTokens.length,
    endId: vocabularySize - 1,
    isSpoken: (id) => id >= spokenStart && id < spokenEnd,
    words: tokens.slice(spokenStart, spokenEnd).map((token) => token.slice(1)),
    chatTemplate,
  };
}

/** 100 syllables of a consonant and a vowel. */
function createSyllables(): string[] {
  return [..."bcdfghjklmnprstvwxyz"].flatMap((consonant) =>
    [..."aeiou"].map((vowel) => consonant + vowel),
  );
}

/** Spreads the endings of the long words: each pass over the shorter words uses another one. */
function longWordEnding(index: number, wordCount: number): number {
  return (index % wordCount) * 7 + Math.floor(index / wordCount) * 23;
}

/** The 256 letters that byte-level BPE uses for the byte values (the table of GPT-2). */
function byteLetters(): string[] {
  let shifted = 256;
  return Array.from({ length: 256 }, (_, byte) => {
    const isPrintable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    return String.fromCodePoint(isPrintable ? byte : shifted++);
  });
}
