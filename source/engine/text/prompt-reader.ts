// Conversion of prompts into tokens: text by the model's vocabulary, images by the projector.
import type { PromptSegment } from "../../prompt/prompt-segment.ts";
import type { MarkedPrompt } from "../generation.ts";
import type { AddonModel } from "./addon.ts";
import type { PromptTokens } from "./job.ts";
import type { PictureReader, ReadPicture } from "./picture-reader.ts";

/** Size of a piece that is tokenised without blocking others for long. */
const pieceCharacters = 16_384;
/** Prose has about four characters per token: shorter prompts are tokenised at once. */
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

  /** Reads a prompt without images synchronously. */
  readText(segments: PromptSegment[], earlier?: number[]): PromptTokens {
    return this.#tokens({ segments, ...(earlier !== undefined && { earlier }) }, []);
  }

  /**
   * Estimates the length in tokens of a prompt that certainly has more than `most`, from a part of it:
   * tokenising megabytes of text would block the model.
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

  /** Tokenises a prompt and makes sure that the begin-of-text token occurs once if the model wants it. */
  #tokens(
    { segments, earlier = [] }: MarkedPrompt,
    pictures: readonly ReadPicture[],
  ): PromptTokens {
    const tokens: number[] = [];
    // Not push(...): a long prompt has more tokens than a call can have arguments.
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
