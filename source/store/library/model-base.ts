// The starting point of a new model: files, or another model.
import { readdir, stat } from "node:fs/promises";
import { toAbsolutePath } from "../../base/file-path.ts";
import { ProductError } from "../../base/product-error.ts";
import { storeErrors } from "../errors.ts";
import type { ModelParameters } from "../model-parameters.ts";
import { parseModelReference } from "../model-reference.ts";
import { gatherFiles } from "./gather-files.ts";
import type { LayerMaker, ProgressRecord } from "./layer-maker.ts";
import { type Layer, layerType } from "./manifest.ts";
import { configurationOf, detailsOf, type ModelConfiguration } from "./model-details.ts";
import { type ModelFile, readModelFile, textOf } from "./model-file.ts";
import type { StoredManifest } from "./model-folder.ts";
import type { WrittenBlob } from "./model-store.ts";
import { locateFiles, readConfiguration, readContent } from "./stored-content.ts";

/** The model that another is made from. */
export type ParentModel =
  | { kind: "stored"; stored: StoredManifest }
  | { kind: "built-in"; file: string; parameters: ModelParameters }
  /** Absolute paths, its projectors among them, where another program keeps them. */
  | { kind: "files"; files: string[] };

export interface BaseOptions {
  /** The base of relative paths; without it, only text that looks like a path is one. */
  baseFolder?: string | undefined;
  /** Finds the model of a FROM that is not a file; may pull it first. */
  resolveName: (name: string) => Promise<ParentModel>;
  /** Decides if the caller may name this file. Defaults to allowing any. */
  isAllowed?: ((file: string) => boolean) | undefined;
  /** Receives each step, and notes about parts that are ignored. */
  onProgress?: ((progress: ProgressRecord) => void) | undefined;
  /** See `ReferenceOptions`. */
  hubPrefixes?: readonly string[] | undefined;
  /** Converts a model's weights. */
  convertWeights?: WeightsConversion | undefined;
}

/**
 * @param parts absolute paths of the model's file, or of all parts in order
 * @returns the blob of our store that holds them now
 */
export type WeightsConversion = (parts: readonly string[]) => Promise<WrittenBlob>;

export interface ModelBase {
  layers: Layer[];
  configuration: ModelConfiguration;
  parameters: Record<string, unknown>;
  /** Paths of the model's own files, where it is made from files. */
  files: string[];
}

/** @param from files, directories and names, as they are written after FROM */
export async function baseOf(
  maker: LayerMaker,
  from: readonly string[],
  options: BaseOptions,
): Promise<ModelBase> {
  const paths: string[] = [];
  const names: string[] = [];
  for (const text of from) {
    const file = await pathOf(text, options);
    if (file === undefined) names.push(text);
    else paths.push(file);
  }
  // The last of several names wins, as in Ollama.
  const name = names.at(-1);
  for (const other of names.slice(0, -1)) {
    if (other !== name)
      options.onProgress?.({ status: `FROM ${other} has no effect: FROM ${name} comes after it` });
  }
  const { convertWeights } = options;
  if (name === undefined) return await fromFiles(maker, paths, { convertWeights });
  const projectors = await projectorsAmong(paths, name);
  return await withProjectors(maker, await fromName(maker, name, options), projectors);
}

async function fromName(maker: LayerMaker, name: string, options: BaseOptions): Promise<ModelBase> {
  const { convertWeights } = options;
  const parent = await options.resolveName(name);
  if (parent.kind === "stored") return await fromModel(maker, parent.stored, convertWeights);
  if (parent.kind === "files") return await fromFiles(maker, parent.files, { convertWeights });
  // The program's own folder moves with every update, so nothing may refer to it.
  const base = await fromFiles(maker, [parent.file], { convertWeights, copy: true });
  return { ...base, parameters: { ...parent.parameters } };
}

/** A second FROM after a model's name may name its projector. */
async function projectorsAmong(paths: readonly string[], name: string): Promise<ModelFile[]> {
  const files: ModelFile[] = [];
  for (const path of paths) {
    const file = (await isFolder(path)) ? undefined : await readModelFile(path);
    if (file?.kind !== "projector") {
      throw refused(
        `FROM names both a model (${name}) and a file (${path}); only one is allowed.`,
        "Remove one of them; only a projector can be added to a model.",
      );
    }
    files.push(file);
  }
  return files;
}

/** Replaces the base's projectors. */
async function withProjectors(
  maker: LayerMaker,
  base: ModelBase,
  projectors: readonly ModelFile[],
): Promise<ModelBase> {
  if (projectors.length === 0) return base;
  const kept = base.layers.filter(({ mediaType }) => mediaType !== layerType("projector"));
  const added: Layer[] = [];
  for (const projector of projectors) added.push(await maker.file("projector", projector));
  const files = projectors.map((file) => file.path);
  return { ...base, layers: [...kept, ...added], files: [...base.files, ...files] };
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

/**
 * The absolute path of a file that the caller may name.
 *
 * @throws ProductError `STORE_FILE_NOT_ALLOWED`
 */
export function allowedPath(text: string, { baseFolder, isAllowed }: BaseOptions): string {
  const file = toAbsolutePath(text, baseFolder);
  if (isAllowed === undefined || isAllowed(file)) return file;
  throw new ProductError(storeErrors.fileNotAllowed, {
    message: `Access to the file ${text} is not allowed over the network.`,
    hint: "Add its folder to model_folders (MODELCTL_MODEL_FOLDERS) on the server.",
    param: "from",
  });
}

/** The file or directory that a FROM means, or undefined when it is a name. */
async function pathOf(text: string, options: BaseOptions): Promise<string | undefined> {
  if (looksLikeFile(text, options)) return allowedPath(text, options);
  if (options.baseFolder === undefined) return undefined;
  const file = toAbsolutePath(text, options.baseFolder);
  return (await holdsModel(file)) ? allowedPath(text, options) : undefined;
}

function looksLikeFile(text: string, { hubPrefixes }: BaseOptions): boolean {
  try {
    return parseModelReference(text, { hubPrefixes }).kind === "file";
  } catch {
    return false; // not a name either: resolving it reports the error
  }
}

/** A folder may share a model's name by chance: it counts only if it holds a model. */
async function holdsModel(file: string): Promise<boolean> {
  const facts = await stat(file).catch(() => undefined);
  if (!facts?.isDirectory()) return facts !== undefined;
  return (await readdir(file)).some((name) => /\.gguf$/i.test(name));
}

async function fromFiles(
  maker: LayerMaker,
  paths: readonly string[],
  options: { convertWeights: WeightsConversion | undefined; copy?: boolean },
): Promise<ModelBase> {
  if (paths.length === 0) {
    throw refused("neither 'from' or 'files' was specified", "Name a model or a .gguf file.");
  }
  const { copy } = options;
  const { parts: given, projectors } = await gatherFiles(paths);
  const parts = await converted(maker, given, options.convertWeights);
  const layers: Layer[] = [];
  for (const part of parts) layers.push(await maker.file("model", part, copy));
  for (const projector of projectors) layers.push(await maker.file("projector", projector, copy));
  const details = detailsOf(parts.map(({ header }) => header));
  const families = [
    ...details.families,
    ...projectors.flatMap(({ header }) => textOf(header, "general.architecture") ?? []),
  ];
  return {
    layers,
    configuration: configurationOf({ ...details, families: [...new Set(families)] }),
    parameters: {},
    files: [...given, ...projectors].map((file) => file.path),
  };
}

async function converted(
  maker: LayerMaker,
  parts: ModelFile[],
  convert: WeightsConversion | undefined,
): Promise<ModelFile[]> {
  if (convert === undefined) return parts;
  const blob = await convert(parts.map((part) => part.path));
  return [await readModelFile(maker.adopt(blob))];
}

async function fromModel(
  maker: LayerMaker,
  parent: StoredManifest,
  convert: WeightsConversion | undefined,
): Promise<ModelBase> {
  const { parameters, otherValues } = await readContent(parent);
  const layers: Layer[] = [];
  let configuration = await readConfiguration(parent);
  if (convert !== undefined) {
    const { parts, touched } = await locateFiles(parent, maker.references);
    for (const file of touched) await maker.check(file);
    const weights = await readModelFile(maker.adopt(await convert(parts)));
    layers.push(await maker.file("model", weights));
    const { model_families: families } = configuration;
    const details = configurationOf(detailsOf([weights.header]));
    configuration = {
      ...configuration,
      ...details,
      ...(families !== undefined && { model_families: families }),
    };
  }
  for (const layer of parent.manifest.layers) {
    const isReplaced = convert !== undefined && layer.mediaType === layerType("model");
    // The parameters are merged into one new layer.
    const isMerged = layer.mediaType === layerType("params");
    if (!isReplaced && !isMerged) layers.push(await maker.inherit(layer, parent));
  }
  return {
    layers,
    configuration,
    parameters: { ...parameters, ...otherValues },
    files: [],
  };
}

function refused(message: string, hint: string): ProductError {
  return new ProductError(storeErrors.definitionInvalid, { message, hint, param: "from" });
}
