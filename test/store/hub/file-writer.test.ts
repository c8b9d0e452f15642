// Bytes written to a file by a separate thread: order, positions, and errors.
import { open, readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { FileWriter } from "../../../source/store/hub/download/file-writer.ts";
import { temporaryFolder } from "../../support/model-store.ts";

async function openWriter(file: string): Promise<FileWriter> {
  const handle = await open(file, "r+");
  const writer = new FileWriter(handle.fd);
  onTestFinished(async () => {
    await writer.close();
    await handle.close();
  });
  return writer;
}

async function emptyFile(): Promise<string> {
  const file = path.join(temporaryFolder(), "file");
  await (await open(file, "w")).close();
  return file;
}

/** Bytes that tell where they belong. */
function pattern(length: number, from = 0): Buffer {
  return Buffer.from(Uint8Array.from({ length }, (_, index) => (from + index) % 251));
}

function shared(bytes: Buffer): Buffer {
  const memory = Buffer.from(new SharedArrayBuffer(bytes.length));
  bytes.copy(memory);
  return memory;
}

describe("a file writer", () => {
  test("writes chunks of any size and origin in order", async () => {
    const file = await emptyFile();
    const writer = await openWriter(file);
    const whole = pattern(300_000);
    const chunks = [
      shared(whole.subarray(0, 1)),
      shared(whole.subarray(1, 100_000)),
      // A part of memory that belongs to this thread alone.
      whole.subarray(100_000, 299_000),
      shared(whole.subarray(299_000)),
    ];
    expect(await writer.write(chunks, 0)).toEqual({ writtenBytes: 300_000 });
    expect(whole.equals(await readFile(file))).toBe(true);
  });

  test("writes at several positions at once, later ones over earlier ones", async () => {
    const file = await emptyFile();
    const writer = await openWriter(file);
    await Promise.all([
      writer.write([pattern(50_000, 100_000)], 100_000),
      writer.write([Buffer.alloc(100_000)], 0),
      writer.write([pattern(100_000)], 0),
    ]);
    expect(pattern(150_000).equals(await readFile(file))).toBe(true);
  });

  test("reports a failed write, and continues with the next one", async () => {
    const file = await emptyFile();
    const handle = await open(file, "r");
    const writer = new FileWriter(handle.fd);
    onTestFinished(async () => {
      await writer.close();
      await handle.close();
    });
    for (let time = 0; time < 2; time++) {
      const { writtenBytes, error } = await writer.write([pattern(10)], 0);
      expect(writtenBytes).toBe(0);
      expect(error).toMatchObject({ code: "EBADF" });
    }
  });

  test("refuses writes after closing instead of waiting forever", async () => {
    const writer = await openWriter(await emptyFile());
    await writer.close();
    const { writtenBytes, error } = await writer.write([pattern(10)], 0);
    expect(writtenBytes).toBe(0);
    expect(error?.message).toBe("the write worker ended");
  });
});
