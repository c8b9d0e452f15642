// A request's body: kept while the request waits, streamed on once a replica is there.
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";

/** Bytes that all waiting bodies may hold together. */
export class WaitingBytes {
  readonly #most: number;
  #held = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get held(): number {
    return this.#held;
  }

  /** @returns false: there is no room for them */
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
  /** Larger bodies are refused. */
  mostBytes: number;
  /** A body up to here can be sent again. */
  repeatableBytes: number;
  waiting: WaitingBytes;
  onFault: (fault: BodyFault) => void;
}

/** Reads from the moment it is made, so that a client's leaving is seen. */
export class RequestBody {
  readonly #request: IncomingMessage;
  readonly #options: BodyOptions;
  #pieces: Buffer[] = [];
  #heldBytes = 0;
  #receivedBytes = 0;
  #isComplete = false;
  #whole: Buffer | undefined;
  #upload: Upload | undefined;
  #onComplete: (() => void) | undefined;

  constructor(request: IncomingMessage, options: BodyOptions) {
    this.#request = request;
    this.#options = options;
    request.on("data", this.#onData);
    request.once("end", this.#onEnd);
    request.once("close", this.#onClose);
    // Its leaving is told by the reply's end as well; here it must only not be thrown.
    request.on("error", () => {});
  }

  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Whether `take` may be called once more. */
  get isRepeatable(): boolean {
    return this.#upload === undefined && this.#receivedBytes <= this.#options.repeatableBytes;
  }

  /** Calls back when all of it is here: at once, later, or never when the client leaves. */
  whenComplete(callback: () => void): void {
    if (this.#isComplete) callback();
    else this.#onComplete = callback;
  }

  /** What a replica is sent: all of it where it is here, else a stream that goes on. */
  take(): Buffer | Readable {
    if (this.#whole !== undefined) return this.#whole;
    const pieces = this.#pieces;
    this.#letGo();
    if (this.#isComplete) {
      const [only] = pieces;
      this.#whole = pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
      return this.#whole;
    }
    this.#upload = new Upload(this.#request, pieces);
    return this.#upload;
  }

  /** All of it, kept for `take`; undefined while more is to come, and for more bytes than these. */
  peek(mostBytes: number): Buffer | undefined {
    if (!this.#isComplete || this.#receivedBytes > mostBytes) return undefined;
    const [only = Buffer.alloc(0)] = this.#pieces;
    const whole = this.#pieces.length > 1 ? Buffer.concat(this.#pieces) : only;
    this.#pieces = [whole];
    return whole;
  }

  /** Keeps nothing any more; what still comes is thrown away. */
  drop(): void {
    this.#request.off("data", this.#onData);
    this.#letGo();
    this.#whole = undefined;
    this.#onComplete = undefined;
    this.#upload?.destroy();
  }

  readonly #onData = (piece: Buffer): void => {
    this.#receivedBytes += piece.length;
    if (this.#receivedBytes > this.#options.mostBytes) {
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
    this.#isComplete = true;
    this.#upload?.push(null);
    this.#onComplete?.();
    this.#onComplete = undefined;
  };

  readonly #onClose = (): void => {
    if (!this.#isComplete) this.#upload?.destroy(new Error("the client left"));
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

/** Reads on what nobody wants, so that the connection can be used again; not for ever. */
export function discardRest(request: IncomingMessage, lingerMs: number): void {
  request.resume();
  const timer = setTimeout(() => request.socket.destroy(), lingerMs).unref();
  request.once("close", () => clearTimeout(timer));
}

/** What has come already, and then what comes, no faster than it is read. */
class Upload extends Readable {
  readonly #request: IncomingMessage;

  constructor(request: IncomingMessage, pieces: readonly Buffer[]) {
    super({ highWaterMark: 64 * 1024 });
    this.#request = request;
    // undici tells of the end of the request's sending by destroying its body, with an error or not.
    this.on("error", () => {});
    for (const piece of pieces) this.push(piece);
  }

  override _read(): void {
    this.#request.resume();
  }
}
