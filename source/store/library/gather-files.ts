// Finds the files that a new model consists of, and checks that they belong together.
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { ProductError } from "../../base/product-error.ts";
import { storeErrors } from "../errors.ts";
import { type ModelFile, readModelFile, textOf } from "./model-file.ts";
import { incomplete, inOrder, partPaths } from "./split-model.ts";

export interface GatheredFiles {
  /** One file, or every part of a split model in order. */
  parts: ModelFile[];
  projectors: ModelFile[];
}

/** Other formats in which models are published; a folder of these cannot be run. */
const otherFormats = /\.(safetensors|bin|pth|pt|onnx|mlmodel)$/i;

/**
 * @param paths absolute, of files and directories
 * @throws ProductError `STORE_DEFINITION_INVALID`, `STORE_SPLIT_INCOMPLETE`,
 *   `STORE_FORMAT_UNSUPPORTED`, and those of `readModelFile`
 */
export async function gatherFiles(paths: readonly string[]): Promise<GatheredFiles> {
  const given = (await Promise.all(paths.map(filesOf))).flat();
  const withParts = (await Promise.all(given.map(withMissingParts))).flat();
  const files: ModelFile[] = [];
  for (const file of new Set(withParts)) files.push(await readModelFile(file));
  const adapter = files.find(({ kind }) => kind === "adapter");
  if (adapter !== undefined) {
    throw refused(`${adapter.path} is an adapter, not a model.`, "Use ADAPTER for it, not FROM.");
  }
  return { parts: modelOf(files), projectors: files.filter(({ kind }) => kind === "projector") };
}

/**
 * @param file absolute
 * @throws ProductError `STORE_DEFINITION_INVALID` when it is not an adapter
 */
export async function readAdapter(file: string): Promise<ModelFile> {
  const adapter = await readModelFile(file);
  if (adapter.kind === "adapter") return adapter;
  throw refused(
    `${file} is a ${adapter.kind}, not an adapter.`,
    "Name a LoRA adapter in GGUF.",
    "adapters",
  );
}

/** @throws ProductError `STORE_DEFINITION_INVALID` when it is for models of another architecture */
export function checkAdapter({ path: file, header }: ModelFile, architecture: string): void {
  const own = textOf(header, "general.architecture");
  if (own === undefined || own === architecture) return;
  throw refused(
    `${file} is an adapter for the architecture ${own}, but the model's is ${architecture}.`,
    "Use the adapter with the model it was trained on.",
    "adapters",
  );
}

/** @throws ProductError `STORE_DEFINITION_INVALID` when it is the model itself */
export function checkDraft({ path: file }: ModelFile, models: readonly string[]): void {
  if (!models.includes(file)) return;
  throw refused(
    `${file} cannot be its own draft model.`,
    "Name a smaller model after DRAFT.",
    "drafts",
  );
}

/** @throws ProductError `STORE_DEFINITION_INVALID` when it is not a model by itself */
export async function readDraft(file: string): Promise<ModelFile> {
  const draft = await readModelFile(file);
  if (draft.kind === "model" && draft.part === undefined) return draft;
  throw refused(
    `${file} is not a model in a single file.`,
    "DRAFT needs a model in a single file.",
    "drafts",
  );
}

function modelOf(files: readonly ModelFile[]): ModelFile[] {
  const models = files.filter(({ kind }) => kind === "model");
  const [first, second] = models;
  if (first === undefined) {
    const [projector] = files;
    throw refused(
      `${projector?.path} is a projector, not a model.`,
      "Name the model with another FROM.",
    );
  }
  if (models.every(({ part }) => part !== undefined)) return inOrder(models);
  if (second === undefined) return [first];
  throw refused(
    `${first.path} and ${second.path} are two models; only one is allowed.`,
    "Name one of them.",
  );
}

/** Returns the model files of a directory; for a file, the file itself. */
async function filesOf(file: string): Promise<string[]> {
  const facts = await stat(file).catch(() => undefined);
  if (!facts?.isDirectory()) return [file];
  const names = (await readdir(file)).sort();
  const models = names.filter((name) => /\.gguf$/i.test(name) && !/imatrix/i.test(name));
  if (models.length > 0) return models.map((name) => path.join(file, name));
  if (names.some((name) => otherFormats.test(name))) {
    throw new ProductError(storeErrors.formatUnsupported, {
      message: `The model in the directory ${file} is not in the GGUF format.`,
      hint: "Convert it with llama.cpp's convert_hf_to_gguf.py, or pull a GGUF of the model.",
    });
  }
  throw refused(`The directory ${file} has no .gguf file.`, "Name a .gguf file.");
}

/** Adds the other parts of a split model. */
async function withMissingParts(file: string): Promise<string[]> {
  const parts = partPaths(file);
  if (parts === undefined) return [file];
  const exist = await Promise.all(
    parts.map((part) =>
      stat(part).then(
        () => true,
        () => false,
      ),
    ),
  );
  // If no part exists, reading the file reports that.
  if (exist.every((isThere) => !isThere)) return [file];
  const missing = exist.flatMap((isThere, at) => (isThere ? [] : [at + 1]));
  if (missing.length > 0) throw incomplete(file, missing, parts.length);
  return parts;
}

/** @param param the part of the definition that is at fault */
function refused(
  message: string,
  hint: string,
  param: "from" | "adapters" | "drafts" = "from",
): ProductError {
  return new ProductError(storeErrors.definitionInvalid, { message, hint, param });
}
