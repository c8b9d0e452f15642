// Memory that sockets read into is used again when every byte of it was given back, and no sooner:
// otherwise a download would write bytes that came later.
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { ReadBuffers } from "../../../source/store/hub/read-buffers.ts";

const bufferBytes = 1024 ** 2;

/** Replaces a socket: it reads what its stream gives. */
class Reader {
  readonly #buffers: ReadBuffers;
  readonly #stream = new PassThrough();
  #next: Uint8Array;

  constructor(buffers: ReadBuffers) {
    this.#buffers = buffers;
    this.#next = buffers.onread.buffer();
  }

  /** Where the next read goes. */
  get memory(): ArrayBufferLike {
    return this.#next.buffer;
  }

  read(length: number): Buffer {
    let chunk: Buffer = Buffer.alloc(0);
    const socket = Object.assign(this.#stream, {
      push: (bytes: Buffer) => {
        chunk = bytes;
        return true;
      },
    });
    Reflect.apply(this.#buffers.onread.callback, socket, [length, this.#next]);
    this.#next = this.#buffers.onread.buffer();
    return chunk;
  }

  /** The bytes that a reader of the body gets. */
  readBody(length: number, headBytes = 0): Buffer {
    const chunk = this.read(length).subarray(headBytes);
    this.#buffers.handOut(chunk);
    return chunk;
  }
}

describe("a buffer", () => {
  test("holds one read after the other", () => {
    const reader = new Reader(new ReadBuffers());
    const { memory } = reader;
    const chunks = [reader.read(300_000), reader.read(400_000), reader.read(348_576)];
    expect(chunks.map(({ buffer }) => buffer === memory)).toEqual([true, true, true]);
    expect(chunks.map(({ byteOffset }) => byteOffset)).toEqual([0, 300_000, 700_000]);
    expect(reader.memory).not.toBe(memory);
  });

  test("is reused once all of it was returned, in any order", () => {
    const buffers = new ReadBuffers();
    const reader = new Reader(buffers);
    const { memory } = reader;
    const chunks = [reader.readBody(500_000, 400), reader.readBody(bufferBytes - 500_000)];
    for (const chunk of chunks.reverse()) {
      expect(new Reader(buffers).memory).not.toBe(memory);
      buffers.giveBack(chunk);
    }
    expect(new Reader(buffers).memory).toBe(memory);
  });

  test("shared by two replies is not reused until both are written", () => {
    const buffers = new ReadBuffers();
    const reader = new Reader(buffers);
    const { memory } = reader;
    const endOfFirst = reader.readBody(500_000);
    const second = reader.readBody(bufferBytes - 500_000, 400);
    buffers.giveBack(second);
    expect(new Reader(buffers).memory).not.toBe(memory);
    buffers.giveBack(endOfFirst);
    expect(new Reader(buffers).memory).toBe(memory);
  });

  test("that is still being read into is not reused", () => {
    const buffers = new ReadBuffers();
    const reader = new Reader(buffers);
    const { memory } = reader;
    buffers.giveBack(reader.readBody(500_000));
    expect(new Reader(buffers).memory).not.toBe(memory);
    expect(reader.memory).toBe(memory);
  });
});

test("chunks from elsewhere are ignored", () => {
  const buffers = new ReadBuffers();
  const chunk = Buffer.alloc(bufferBytes);
  buffers.handOut(chunk);
  buffers.giveBack(chunk);
  expect(new Reader(buffers).memory).not.toBe(chunk.buffer);
});
