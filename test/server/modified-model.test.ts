// A model whose file was touched since it was created: the file is read once before the model is
// loaded, with progress records on request.
import { closeSync, openSync, truncateSync, utimesSync, writeSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ModelStore } from "../../source/store/library/model-store.ts";
import { hashReferences } from "../../source/store/library/upkeep.ts";
import { type NativeRecord, parseLines } from "../support/ndjson.ts";
import { StoreServer } from "../support/store-server.ts";

const largeBytes = 65 * 1024 ** 2;
const prompt = "What is 2 + 3?";
let store: StoreServer;

beforeAll(async () => {
  store = await StoreServer.start();
});
afterAll(async () => {
  await store.close();
});

const model = "mine";
let file: string | undefined;
let hour = 0;

/** Touches the model's file, which is large and was hashed when the model was made. */
async function touch(): Promise<string> {
  if (file === undefined) {
    file = store.tinyAt("mine.gguf");
    truncateSync(file, largeBytes);
    const made = await store.server.post("/api/create", { model, from: file, stream: false });
    expect(made.json).toEqual({ status: "success" });
    await hashReferences(new ModelStore(path.join(store.folder, "models")));
  }
  hour += 1;
  const later = new Date(Date.UTC(2040, 0, 1, hour));
  utimesSync(file, later, later);
  return file;
}

function changeTheEnd(file: string): void {
  const handle = openSync(file, "r+");
  writeSync(handle, "x", largeBytes - 1);
  closeSync(handle);
}

async function generate(fields: Record<string, unknown> = {}) {
  const body = { model, prompt, options: { temperature: 0 }, ...fields };
  const reply = await store.server.post("/api/generate", body);
  const records = parseLines(reply.text);
  const text = records.map(({ response: piece = "" }) => piece).join("");
  return { status: reply.status, records, text };
}

const statusesOf = (records: readonly NativeRecord[]) => [
  ...new Set(records.flatMap(({ status }) => (status === undefined ? [] : [status]))),
];

describe("a touched file", () => {
  test("is hashed before the load, once, with progress, and not to show it", async () => {
    await touch();
    expect((await store.client.show({ model })).details.family).toBe("llama");
    const first = await generate({ progress: true });
    expect(first.text).toBe("2 + 3 = 5");
    expect(statusesOf(first.records).slice(0, 2)).toEqual(["checking", "loading"]);
    const checking = first.records.filter(({ status }) => status === "checking");
    expect(checking[0]).toMatchObject({ file: "mine.gguf", completed: 0, total: largeBytes });
    expect(checking.at(-1)).toMatchObject({ completed: largeBytes, total: largeBytes });
    const second = await generate({ progress: true });
    expect(second.text).toBe("2 + 3 = 5");
    expect(statusesOf(second.records)).not.toContain("checking");
  });

  test("is hashed silently for clients that did not ask for progress", async () => {
    await touch();
    const { records, text } = await generate();
    expect(text).toBe("2 + 3 = 5");
    expect(statusesOf(records)).toEqual([]);
  });

  test("with other content fails the request", async () => {
    changeTheEnd(await touch());
    await touch();
    const refused = await generate();
    expect(refused.status).toBe(409);
    expect(refused.records).toMatchObject([{ code: "STORE_REFERENCE_CHANGED" }]);
    await touch();
    const inStream = await generate({ progress: true });
    expect(inStream.status).toBe(200);
    expect(inStream.records.at(-1)).toMatchObject({ code: "STORE_REFERENCE_CHANGED" });
    // It is not read a second time.
    const again = await generate({ progress: true });
    expect(again.status).toBe(409);
    expect(again.records).toMatchObject([{ code: "STORE_REFERENCE_CHANGED" }]);
  });
});
