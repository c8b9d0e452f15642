// A process that works with a store and kills itself in the middle: right after the n-th thing it
// does to the disk, or when half of a file is written. Without a number it says how many there are.
import fs from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

const [folder = "", file = "", point = ""] = process.argv.slice(2);
let done = 0;

function reached(): void {
  done += 1;
  if (done === Number(point)) process.kill(process.pid, "SIGKILL");
}

/** Writes in two halves, and may die between them. */
function inHalves(handle: FileHandle): FileHandle {
  const write = handle.writeFile.bind(handle);
  handle.writeFile = async (content) => {
    const bytes = Buffer.from(content as Uint8Array); // the store writes texts and bytes only
    const middle = Math.floor(bytes.length / 2);
    await write(bytes.subarray(0, middle));
    reached();
    await write(bytes.subarray(middle));
  };
  return handle;
}

type Call = (...words: unknown[]) => Promise<unknown>;

const calls = fs.promises as unknown as Record<string, Call>;
for (const name of ["copyFile", "open", "rename", "rm", "rmdir", "utimes", "writeFile"]) {
  const original = calls[name];
  calls[name] = async (...words) => {
    const result = await original?.(...words);
    const isWrite = name !== "open" || /[wx+]/.test(String(words[1]));
    if (isWrite) reached();
    return name === "open" ? inHalves(result as FileHandle) : result;
  };
}
// So that the modules imported from here on see the changed functions.
syncBuiltinESMExports();

const { copyModel, createModel } = await import("../../source/store/library/create-model.ts");
const { ModelStore } = await import("../../source/store/library/model-store.ts");
const { prune } = await import("../../source/store/library/upkeep.ts");
const { removeModel } = await import("../../source/store/library/remove-model.ts");
const { ModelCatalog } = await import("../../source/store/model-catalog.ts");
const { defineModel } = await import("../../source/store/model-definition.ts");

const store = new ModelStore(folder);
const catalog = new ModelCatalog({ store });
const resolveName = (reference: string) => catalog.parentOf(reference);

function nameOf(text: string) {
  const reference = catalog.parse(text);
  if (reference.kind !== "name") throw new Error(`${text} is a path`);
  return reference.name;
}

const create = async (name: string, from: string, system: string, copy: boolean) =>
  await createModel(store, nameOf(name), defineModel({ from: [from], system }), {
    resolveName,
    copy,
  });

await create("mine", file, "one", true);
await create("mine", "mine", "two", false);
await copyModel(catalog, store, "mine", nameOf("other"));
await removeModel(catalog, store, "mine");
await prune(store);
process.stdout.write(String(done));
