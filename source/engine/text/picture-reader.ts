// Reads the images of prompts: each one is cut and encoded once, for as long as it is remembered.
import { createHash } from "node:crypto";
import { ProductError } from "../../base/product-error.ts";
import { engineErrors } from "../errors.ts";
import type { AddonContext } from "./addon.ts";
import type { Eyes, Picture } from "./eyes.ts";
import type { ImageTokens } from "./image-tokens.ts";

/** A piece of an image that must be put into a context. */
export interface ImagePiece {
  picture: Picture;
  piece: number;
  isEncoded: boolean;
}

export interface ReadPicture {
  /** The image in a prompt: text tokens and, below zero, the image's own. */
  tokens: number[];
  /** By the number of their first token. */
  pieces: ReadonlyMap<number, ImagePiece>;
}

/** Encoded images are kept up to so many tokens; one takes some ten kilobytes. */
const mostKeptTokens = 16_384;

export class PictureReader {
  readonly #open: () => Promise<Eyes>;
  readonly #numbers: ImageTokens;
  #eyes: Promise<Eyes> | undefined;
  /** By the hash of the file. */
  readonly #read = new Map<string, Promise<ReadPicture>>();
  /** How many tokens each has; the last used one comes last. */
  readonly #sizes = new Map<string, number>();

  /** @param open loads the projector; asked for when the first image comes */
  constructor(open: () => Promise<Eyes>, numbers: ImageTokens) {
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
      this.#keep(key, picture.tokens.length);
      return picture;
    } catch (error) {
      // The next request may have more luck.
      if (this.#read.get(key) === reading) this.#read.delete(key);
      throw error;
    }
  }

  async #readFile(file: Buffer, key: string): Promise<ReadPicture> {
    const eyes = await this.#opened();
    let picture: Picture;
    try {
      picture = await eyes.read(file);
    } catch (error) {
      throw new ProductError(engineErrors.imageInvalid, {
        message: `The model cannot take this image: ${error instanceof Error ? error.message.trim() : String(error)}.`,
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

  async #opened(): Promise<Eyes> {
    this.#eyes ??= this.#open();
    try {
      return await this.#eyes;
    } catch (error) {
      this.#eyes = undefined;
      throw error;
    }
  }

  /** Forgets the images that were used longest ago; those that a request uses stay with it. */
  #keep(key: string, tokens: number): void {
    this.#sizes.delete(key);
    this.#sizes.set(key, tokens);
    let kept = 0;
    for (const size of this.#sizes.values()) kept += size;
    for (const [oldest, size] of this.#sizes) {
      if (kept <= mostKeptTokens || oldest === key) return;
      kept -= size;
      this.#sizes.delete(oldest);
      this.#read.delete(oldest);
    }
  }
}

/** Encodes a piece where that was not done before, and puts it into a context. */
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
