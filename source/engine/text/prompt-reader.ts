// Turns prompts into tokens: text as the model's vocabulary has it, images as the projector makes them.
import type { PromptSegment } from "../../prompt/prompt-segment.ts";
import type { MarkedPrompt } from "../generation.ts";
import type { AddonModel } from "./addon.ts";
import type { PromptTokens } from "./job.ts";
import type { PictureReader, ReadPicture } from "./picture-reader.ts";

/** Counting a piece of so many characters keeps nobody waiting. */
const pieceCharacters = 16_384;
/** Prose has some four characters for each token: with fewer it is counted at once. */
const usualCharactersPerToken = 4;

type Vocabulary = Pick<AddonModel, "tokenize" | "tokenBos" | "shouldPrependBosToken">;

export class PromptReader {
  readonly #model: Vocabulary;
  readonly #pictures: PictureReader;

  constructor(model: Vocabulary, pictures: PictureReader) {
    this.#model = model;
    this.#pictures = pictures;
  }

  /** @throws ProductError, see `PictureReader.read` */
  async read(prompt: MarkedPrompt): Promise<PromptTokens> {
    const pictures: ReadPicture[] = [];
    for (const image of prompt.images ?? []) pictures.push(await this.#pictures.read(image));
    return {
      ...this.#tokens(prompt, pictures),
      images: new Map(pictures.flatMap(({ pieces }) => [...pieces])),
    };
  }

  /** A prompt without images, at once. */
  readText(segments: PromptSegment[], earlier?: number[]): PromptTokens {
    return this.#tokens({ segments, ...(earlier !== undefined && { earlier }) }, []);
  }

  /**
   * The length in tokens of a prompt that has more than `most` for certain, as far as a part of it
   * tells: while a text of megabytes is counted, the model would answer nobody.
   *
   * @returns undefined for any other prompt
   */
  estimateOver(most: number, segments: readonly PromptSegment[]): number | undefined {
    let characters = 0;
    for (const { text } of segments) characters += text.length;
    if (characters <= most * usualCharactersPerToken) return undefined;
    let seen = 0;
    let tokens = 0;
    for (const { text, special } of segments) {
      for (let from = 0; from < text.length; from += pieceCharacters) {
        const piece = text.slice(from, from + pieceCharacters);
        seen += piece.length;
        tokens += this.#model.tokenize(piece, special).length;
        if (tokens > most) return Math.round((tokens / seen) * characters);
      }
    }
    return undefined;
  }

  /** With the beginning-of-text token that the model wants, exactly once. */
  #tokens(
    { segments, earlier = [] }: MarkedPrompt,
    pictures: readonly ReadPicture[],
  ): PromptTokens {
    const tokens: number[] = [];
    // Not push(...): a long prompt has more tokens than a call may have arguments.
    const add = (more: Iterable<number>) => {
      for (const token of more) tokens.push(token);
    };
    for (const { text, special, image } of segments) {
      if (image !== undefined) add(pictures[image]?.tokens ?? []);
      else if (text !== "") add(this.#model.tokenize(text, special));
    }
    const bos = this.#model.tokenBos();
    const begins = bos >= 0 && tokens[0] === bos;
    if (earlier.length > 0) {
      return { tokens: [...earlier, ...(begins ? tokens.slice(1) : tokens)] };
    }
    if (!this.#model.shouldPrependBosToken() || bos < 0 || begins) return { tokens };
    return { tokens: [bos, ...tokens] };
  }
}
