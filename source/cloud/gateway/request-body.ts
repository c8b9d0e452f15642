// Body of a request: buffered while the request waits, then streamed to its replica.
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";

/** Budget of bytes shared by all queued bodies. */
export class WaitingBytes {
  readonly #most: number;
  #held = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get held(): number {
    return this.#held;
  }

  /** @returns false if the budget is exhausted */
  take(bytes: number): boolean {
    if (this.#held + bytes > this.#most) return false;
    this.#held += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#held -= bytes;
  }
}

export type BodyFault = "too_large" | "no_room";

export interface BodyOptions {
  /** Maximum size; larger bodies are refused. */
  maxBytes: number;
  /** Maximum size of a body that can be sent again. */
  repeatableBytes: number;
  waiting: WaitingBytes;
  onFault: (fault: BodyFault) => void;
}

/** Reads from the start, to notice when the client disconnects. */
export class RequestBody {
  readonly #request: IncomingMessage;
  readonly #options: BodyOptions;
  #pieces: Buffer[] = [];
  #heldBytes = 0;
  receivedBytes = 0;
  isComplete = false;
  #whole: Buffer | undefined;
  #upload: Upload | undefined;
  #onComplete: (() => void) | undefined;

  constructor(request: IncomingMessage, options: BodyOptions) {
    this.#request = request;
    this.#options = options;
    request.on("data", this.#onData);
    request.once("end", this.#onEnd);
    request.once("close", this.#onClose);
    // The response reports the disconnect; here the error must only not be thrown.
    request.on("error", () => {});
  }

  /** True if `take` may be called again. */
  get isRepeatable(): boolean {
    return this.#upload === undefined && this.receivedBytes <= this.#options.repeatableBytes;
  }

  /** Calls back once the body is complete; never if the client disconnects. */
  whenComplete(callback: () => void): void {
    if (this.isComplete) callback();
    else this.#onComplete = callback;
  }

  /** Returns the body for a replica: a buffer if it is complete, otherwise a stream. */
  take(): Buffer | Readable {
    if (this.#whole !== undefined) return this.#whole;
    const pieces = this.#pieces;
    this.#letGo();
    if (this.isComplete) {
      const [only] = pieces;
      this.#whole = pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
      return this.#whole;
    }
    this.#upload = new Upload(this.#request, pieces);
    return this.#upload;
  }

  /** Returns the complete body without taking it; undefined if incomplete or above `maxBytes`. */
  peek(maxBytes: number): Buffer | undefined {
    if (!this.isComplete || this.receivedBytes > maxBytes) return undefined;
    const [only = Buffer.alloc(0)] = this.#pieces;
    const whole = this.#pieces.length > 1 ? Buffer.concat(this.#pieces) : only;
    this.#pieces = [whole];
    return whole;
  }

  /** Frees the body and discards the rest. */
  drop(): void {
    this.#request.off("data", this.#onData);
    this.#letGo();
    this.#whole = undefined;
    this.#onComplete = undefined;
    this.#upload?.destroy();
  }

  readonly #onData = (piece: Buffer): void => {
    this.receivedBytes += piece.length;
    if (this.receivedBytes > this.#options.maxBytes) {
      this.#fail("too_large");
    } else if (this.#upload !== undefined) {
      if (!this.#upload.push(piece)) this.#request.pause();
    } else if (this.#options.waiting.take(piece.length)) {
      this.#heldBytes += piece.length;
      this.#pieces.push(piece);
    } else {
      this.#fail("no_room");
    }
  };

  readonly #onEnd = (): void => {
    this.isComplete = true;
    this.#upload?.push(null);
    this.#onComplete?.();
    this.#onComplete = undefined;
  };

  readonly #onClose = (): void => {
    if (!this.isComplete) this.#upload?.destroy(new Error("the client disconnected"));
  };

  #fail(fault: BodyFault): void {
    this.drop();
    this.#options.onFault(fault);
  }

  #letGo(): void {
    this.#options.waiting.give(this.#heldBytes);
    this.#heldBytes = 0;
    this.#pieces = [];
  }
}

/** Discards the rest of a body so that the connection can be reused; closes it after `lingerMs`. */
export function discardRest(request: IncomingMessage, lingerMs: number): void {
  request.resume();
  const timer = setTimeout(() => request.socket.destroy(), lingerMs).unref();
  request.once("close", () => clearTimeout(timer));
}

/** Stream of the buffered pieces and the rest, with back-pressure. */
class Upload extends Readable {
  readonly #request: IncomingMessage;

  constructor(request: IncomingMessage, pieces: readonly Buffer[]) {
    super({ highWaterMark: 64 * 1024 });
    this.#request = request;
    // undici destroys the body when the request is over, sometimes with an error.
    this.on("error", () => {});
    for (const piece of pieces) this.push(piece);
  }

  override _read(): void {
    this.#request.resume();
  }
}
