// Images of prompts: each is split and encoded once, as long as it is cached.
import { createHash } from "node:crypto";
import { ProductError } from "../../base/product-error.ts";
import { engineErrors } from "../errors.ts";
import type { AddonContext } from "./addon.ts";
import type { ImageReader, Picture } from "./engine-extension.ts";
import type { ImageTokens } from "./image-tokens.ts";

/** Piece of an image to put into a context. */
export interface ImagePiece {
  picture: Picture;
  piece: number;
  isEncoded: boolean;
}

export interface ReadPicture {
  /** Tokens of the image in a prompt: text tokens, and the image's own, which are negative. */
  tokens: number[];
  /** Pieces by their first token. */
  pieces: ReadonlyMap<number, ImagePiece>;
}

/** Tokens of all cached images together; a token takes some ten kilobytes. */
const maxCachedTokens = 16_384;

export class PictureReader {
  readonly #open: () => Promise<ImageReader>;
  readonly #numbers: ImageTokens;
  #reader: Promise<ImageReader> | undefined;
  /** Images by the hash of their file. */
  readonly #read = new Map<string, Promise<ReadPicture>>();
  /** Token counts of the images, least recently used first. */
  readonly #sizes = new Map<string, number>();

  /** @param open loads the projector; called for the first image */
  constructor(open: () => Promise<ImageReader>, numbers: ImageTokens) {
    this.#open = open;
    this.#numbers = numbers;
  }

  /**
   * @param base64 a PNG or JPEG file
   * @throws ProductError `ENGINE_PROJECTOR_UNUSABLE`, `ENGINE_IMAGE_INVALID`
   */
  async read(base64: string): Promise<ReadPicture> {
    const file = Buffer.from(base64, "base64");
    const key = createHash("sha256").update(file).digest("base64");
    let reading = this.#read.get(key);
    if (reading === undefined) {
      reading = this.#readFile(file, key);
      this.#read.set(key, reading);
    }
    try {
      const picture = await reading;
      this.#noteUse(key, picture.tokens.length);
      return picture;
    } catch (error) {
      // The next request may succeed.
      if (this.#read.get(key) === reading) this.#read.delete(key);
      throw error;
    }
  }

  async #readFile(file: Buffer, key: string): Promise<ReadPicture> {
    const reader = await this.#opened();
    let picture: Picture;
    try {
      picture = await reader.read(file);
    } catch (error) {
      throw new ProductError(engineErrors.imageInvalid, {
        message: `The model does not accept this image: ${error instanceof Error ? error.message.trim() : String(error)}.`,
        hint: "Send it in another size or shape.",
        cause: error,
      });
    }
    const tokens: number[] = [];
    const pieces = new Map<number, ImagePiece>();
    for (const [piece, { tokens: text, tokenCount, positionCount }] of picture.pieces().entries()) {
      const numbers = text ?? this.#numbers.numbersOf(`${key} ${piece}`, tokenCount, positionCount);
      if (text === undefined) pieces.set(numbers[0] ?? 0, { picture, piece, isEncoded: false });
      for (const token of numbers) tokens.push(token);
    }
    return { tokens, pieces };
  }

  async #opened(): Promise<ImageReader> {
    this.#reader ??= this.#open();
    try {
      return await this.#reader;
    } catch (error) {
      this.#reader = undefined;
      throw error;
    }
  }

  /** Drops the least recently used images; requests that use them keep them. */
  #noteUse(key: string, tokens: number): void {
    this.#sizes.delete(key);
    this.#sizes.set(key, tokens);
    let cached = 0;
    for (const size of this.#sizes.values()) cached += size;
    for (const [oldest, size] of this.#sizes) {
      if (cached <= maxCachedTokens || oldest === key) return;
      cached -= size;
      this.#sizes.delete(oldest);
      this.#read.delete(oldest);
    }
  }
}

/** Puts a piece into a context, encoding it first if needed. */
export async function putIntoContext(
  image: ImagePiece,
  context: AddonContext,
  place: { sequence: number; position: number; batchSize: number },
): Promise<void> {
  if (!image.isEncoded) {
    await image.picture.encode(image.piece);
    image.isEncoded = true;
  }
  const { sequence, position, batchSize } = place;
  await image.picture.decode(image.piece, context, sequence, position, batchSize);
}
