// Reading GGUF headers: right ones to the last value, broken ones with a sentence and never a crash.
import {
  closeSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ProductError } from "../../../source/base/product-error.ts";
import { readGgufFacts } from "../../../source/store/gguf/gguf-facts.ts";
import { readGguf } from "../../../source/store/gguf/read-gguf.ts";
import { tinyFile } from "../../support/command-line.ts";
import {
  array,
  bool,
  buildGguf,
  float32,
  float64,
  type GgufContent,
  int8,
  int16,
  int32,
  int64,
  leastMetadata,
  text,
  uint8,
  uint16,
  uint32,
  uint64,
} from "../../support/gguf-builder.ts";
import { isProof, proofRounds } from "../../support/proof.ts";

let folder: string;
let file: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "modelctl-gguf-"));
  file = path.join(folder, "model.gguf");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The error that a file's facts are refused with; undefined when they can be read. */
async function refusal(of: string = file): Promise<unknown> {
  return await readGgufFacts(of).then(
    () => undefined,
    (error: unknown) => error,
  );
}

async function write(content: GgufContent | Buffer): Promise<unknown> {
  writeFileSync(file, Buffer.isBuffer(content) ? content : buildGguf(content));
  return await refusal();
}

const everyType: GgufContent = {
  metadata: {
    ...leastMetadata,
    "a.uint8": uint8(200),
    "a.int8": int8(-3),
    "a.uint16": uint16(60_000),
    "a.int16": int16(-300),
    "a.uint32": uint32(4_000_000_000),
    "a.int32": int32(-70_000),
    "a.float32": float32(0.5),
    "a.bool": bool(true),
    "a.text": text("Grüße, 😀"),
    "a.uint64": uint64(2n ** 40n),
    "a.large": uint64(2n ** 60n),
    "a.int64": int64(-5n),
    "a.float64": float64(1e-5),
    "a.numbers": array(5, [int32(1), int32(-2)]),
    "a.long": array(
      4,
      Array.from({ length: 100 }, (_, index) => uint32(index)),
    ),
    "a.texts": array(
      8,
      Array.from({ length: 70 }, (_, index) => text(`t${index}`)),
    ),
  },
  tensors: [
    { name: "first", shape: [4, 2], type: 0, offset: 0 },
    { name: "second", shape: [8], type: 0, offset: 32 },
  ],
  dataBytes: 64,
};

describe("a complete file", () => {
  test("gives every kind of value as written", async () => {
    writeFileSync(file, buildGguf(everyType));
    const { metadata, tensors, version } = await readGguf(file);
    expect(version).toBe(3);
    expect(Object.fromEntries(metadata)).toMatchObject({
      "a.uint8": 200,
      "a.int8": -3,
      "a.uint16": 60_000,
      "a.int16": -300,
      "a.uint32": 4_000_000_000,
      "a.int32": -70_000,
      "a.float32": 0.5,
      "a.bool": true,
      "a.text": "Grüße, 😀",
      "a.uint64": 2 ** 40,
      "a.large": 2n ** 60n,
      "a.int64": -5,
      "a.float64": 1e-5,
      "a.numbers": { length: 2, values: [1, -2] },
      "a.long": { length: 100, values: undefined },
      "a.texts": { length: 70, values: undefined },
    });
    expect(tensors).toEqual(everyType.tensors);
  });

  test("with a vocabulary of several megabytes keeps all its texts", async () => {
    const texts = Array.from({ length: 90 }, (_, index) => `${index}${"x".repeat(40_000 + index)}`);
    const metadata = { ...leastMetadata, "a.texts": array(8, texts.map(text)), "a.end": uint32(7) };
    writeFileSync(file, buildGguf({ metadata }));
    const header = await readGguf(file, (key) => key === "a.texts");
    expect(header.metadata.get("a.texts")).toEqual({ length: 90, values: texts });
    expect(header.metadata.get("a.end")).toBe(7);
  });

  test("of version 2 is read the same, other versions are named", async () => {
    expect(await write({ ...everyType, version: 2 })).toBeUndefined();
    for (const version of [0, 1, 4, 2 ** 31]) {
      expect(await write({ ...everyType, version })).toMatchObject({
        code: "STORE_GGUF_INVALID",
        message: expect.stringContaining(`GGUF version is ${version}`),
      });
    }
  });

  test("of the tiny model describes what it needs", async () => {
    expect(await readGgufFacts(tinyFile)).toMatchObject({
      path: tinyFile,
      architecture: "llama",
      trainedContextLength: 4096,
      layers: 4,
      vocabularySize: 786,
      chatTemplate: expect.stringContaining("<|im_start|>"),
      fileSize: 1_933_632,
    });
  });

  test("with another alignment is read", async () => {
    const metadata = { ...everyType.metadata, "general.alignment": uint32(64) };
    expect(await write({ ...everyType, metadata, alignment: 64 })).toBeUndefined();
    const zero = { ...everyType.metadata, "general.alignment": uint32(0) };
    expect(await write({ ...everyType, metadata: zero })).toMatchObject({
      code: "STORE_GGUF_INVALID",
    });
  });

  test.each(["general.architecture", "llama.block_count", "tokenizer.ggml.tokens"])(
    "without %s cannot be run, and says so",
    async (key) => {
      const metadata = { ...leastMetadata };
      delete metadata[key];
      expect(await write({ metadata })).toMatchObject({
        code: "STORE_GGUF_INVALID",
        message: expect.stringContaining(`no ${key}`),
      });
    },
  );

  test("with metadata of a wrong type reports it as missing", async () => {
    const metadata = { ...leastMetadata, "llama.block_count": text("two") };
    expect(await write({ metadata })).toMatchObject({ code: "STORE_GGUF_INVALID" });
  });

  test.each([
    [{ "general.architecture": text("clip") }, /is a projector, not a model/],
    [
      { "general.architecture": text("other"), "general.type": text("mmproj") },
      /is a projector, not a model/,
    ],
    [
      { "general.architecture": text("llama"), "general.type": text("adapter") },
      /is an adapter, not a model/,
    ],
    [{ "general.architecture": text("llama") }, /metadata has no tokenizer\.ggml\.tokens/],
  ])("that is not a model by itself says what it is: %j", async (metadata, message) => {
    expect(await write({ metadata })).toMatchObject({
      code: "STORE_GGUF_INVALID",
      message: expect.stringMatching(message),
    });
  });
});

describe("a broken file", () => {
  test("cut off at any length is refused", async () => {
    const bytes = buildGguf({ ...everyType, dataBytes: 33 });
    writeFileSync(file, bytes);
    const codes = new Set<string>();
    for (let length = bytes.length - 1; length >= 0; length -= isProof ? 1 : 3) {
      truncateSync(file, length);
      const error = await refusal();
      if (!(error instanceof ProductError)) throw new Error(`${length} bytes: ${String(error)}`);
      codes.add(error.code);
    }
    expect([...codes].toSorted()).toEqual([
      "STORE_GGUF_INVALID",
      "STORE_GGUF_TRUNCATED",
      "STORE_NOT_GGUF",
    ]);
  });

  test("with any header byte changed is read or refused", async () => {
    const bytes = buildGguf(everyType);
    const descriptor = openSync(file, "w");
    writeSync(descriptor, bytes);
    try {
      for (let at = 0; at < bytes.length - 64; at += 1) {
        const byte = bytes[at] ?? 0;
        // Each bit of each byte in a proof; the suite has a bit of each.
        for (const bit of isProof ? [0, 3, 7] : [[0, 3, 7][at % 3] ?? 0]) {
          writeSync(descriptor, Buffer.from([byte ^ (1 << bit)]), 0, 1, at);
          const error = await refusal();
          if (error !== undefined && !(error instanceof ProductError)) {
            throw new Error(`bit ${bit} of byte ${at}: ${String(error)}`);
          }
        }
        writeSync(descriptor, Buffer.from([byte]), 0, 1, at);
      }
    } finally {
      closeSync(descriptor);
    }
    expect(await refusal()).toBeUndefined();
  });

  test("made from the tiny model with random bytes is read or refused", async () => {
    const bytes = readFileSync(tinyFile);
    const { dataOffset } = await readGguf(tinyFile);
    const random = seededRandom(7);
    const own = path.join(folder, "tiny.gguf");
    writeFileSync(own, bytes);
    const descriptor = openSync(own, "r+");
    try {
      for (let round = 0; round < proofRounds(1000); round += 1) {
        const at = Math.floor(random() * dataOffset);
        writeSync(descriptor, Buffer.from([Math.floor(random() * 256)]), 0, 1, at);
        const error = await refusal(own);
        writeSync(descriptor, bytes.subarray(at, at + 1), 0, 1, at);
        if (error !== undefined && !(error instanceof ProductError)) {
          throw new Error(`byte ${at}: ${String(error)}`);
        }
      }
    } finally {
      closeSync(descriptor);
    }
  });

  test.each([
    ["a text longer than the file", "a", 2n ** 40n],
    ["a text longer than a number can say", "a", 2n ** 63n],
    ["a text as long as a large file", "a", 600_000_000n],
  ])("with %s is refused without reading that much", async (_what, key, length) => {
    const start = buildGguf({ metadata: {} }).subarray(0, 16);
    const entry = Buffer.concat([
      uint64(1n).bytes,
      text(key).bytes,
      uint32(8).bytes,
      uint64(length).bytes,
    ]);
    const large = path.join(folder, "large.gguf");
    const descriptor = openSync(large, "w");
    writeSync(descriptor, Buffer.concat([start, entry]));
    // Room without content: the file system stores nothing for it.
    ftruncateSync(descriptor, 700_000_000);
    closeSync(descriptor);
    const error = await refusal(large);
    rmSync(large);
    expect(error).toBeInstanceOf(ProductError);
    expect(error).toMatchObject({ code: expect.stringMatching(/^STORE_GGUF_/) });
  });

  test.each([
    ["an array longer than the file", array(4, []), 4],
    ["an array of texts longer than the file", array(8, []), 4],
    ["an array of arrays", array(9, [array(4, [uint32(1)])]), undefined],
    ["an array of an unknown type", array(77, []), 4],
    ["a value of an unknown type", { type: 99, bytes: Buffer.alloc(8) }, undefined],
  ])("with %s is refused", async (_what, value, lengthAt) => {
    const bytes = Buffer.from(value.bytes);
    if (lengthAt !== undefined) bytes.writeBigUInt64LE(2n ** 50n, lengthAt);
    const metadata = { ...leastMetadata, "a.bad": { type: value.type, bytes } };
    expect(await write({ metadata })).toMatchObject({
      code: expect.stringMatching(/^STORE_GGUF_(INVALID|TRUNCATED)$/),
    });
  });

  test.each([
    ["a directory", () => folder, "STORE_FILE_IS_DIRECTORY"],
    ["no file", () => path.join(folder, "missing"), "STORE_FILE_MISSING"],
    ["a path through a file", () => path.join(tinyFile, "x"), "STORE_FILE_MISSING"],
    ["a name with a zero byte", () => `${folder}/a\u0000b`, "STORE_FILE_MISSING"],
    ["a name that is too long", () => `${folder}/${"x".repeat(5000)}`, "STORE_FILE_MISSING"],
    ["a device", () => "/dev/null", "STORE_FILE_NOT_REGULAR"],
  ])("that is %s has its own error", async (_what, name, code) => {
    expect(await refusal(name())).toMatchObject({ code });
  });
});

/** Small and repeatable: mulberry32. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}
