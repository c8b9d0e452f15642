// Creates a model from files or another model: writes new files, refers to existing ones.
import { ProductError } from "../../base/product-error.ts";
import { refuseBuiltInName } from "../built-in-models.ts";
import { storeErrors } from "../errors.ts";
import type { ModelDefinition } from "../model-definition.ts";
import type { ModelName } from "../model-reference.ts";
import { checkAdapter, checkDraft, readAdapter, readDraft } from "./gather-files.ts";
import { LayerMaker } from "./layer-maker.ts";
import { blobsOf, type Layer, type LayerKind, layerType } from "./manifest.ts";
import { allowedPath, type BaseOptions, baseOf, type ModelBase } from "./model-base.ts";
import { detailsOfConfiguration, type ModelConfiguration, textIn } from "./model-details.ts";
import type { ModelFile } from "./model-file.ts";
import type { ModelStore } from "./model-store.ts";
import { refuseLaterVersion } from "./required-version.ts";

export interface CreateOptions extends Omit<BaseOptions, "hubPrefixes"> {
  /** Take files into the store instead of referring to them. Defaults to false. */
  copy?: boolean | undefined;
  /** Further parameters of any name, kept as they are. */
  otherParameters?: Record<string, unknown> | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Creates the model, or replaces the one of that name in one step; nothing is left of a failure.
 *
 * @throws ProductError `STORE_DEFINITION_INVALID` and whatever is wrong with the files or the
 *   parent; `STORE_VERSION_REQUIRED`; `STORE_MODEL_READ_ONLY` for the name of a built-in model; `STORE_DISK_FULL`
 */
export async function createModel(
  store: ModelStore,
  name: ModelName,
  definition: ModelDefinition,
  options: CreateOptions,
): Promise<void> {
  refuseBuiltInName(name, "replaced", "Choose another name.");
  refuseLaterVersion(name.display, definition.requires);
  const { copy = false, onProgress = () => {}, signal } = options;
  const maker = new LayerMaker(store, { copy, onProgress, signal });
  const { isAllowed = () => true } = options;
  // Blobs of the store were sent to be used.
  const isBlob = (file: string) => store.folder.blobDigest(file) !== undefined;
  const allowing = {
    ...options,
    hubPrefixes: store.folder.hubPrefixes,
    isAllowed: (file: string) => isBlob(file) || isAllowed(file),
  };
  const work = async () => {
    onProgress({ status: "parsing GGUF" });
    // Starts with the small files: FROM's may have to be downloaded, converted or hashed.
    const beside = await readBeside(definition, allowing);
    const base = await baseOf(maker, definition.from, allowing);
    const layers = await completed(maker, base, beside, definition, allowing);
    const configuration = configured(base.configuration, definition);
    refuseLaterVersion(name.display, textIn(configuration, "requires"));
    const config = await maker.configuration(configuration);
    onProgress({ status: "writing manifest" });
    return await store.writeManifest(name, { config, layers });
  };
  try {
    const replaced = await store.whileWriting(work, signal);
    if (replaced !== undefined) await store.removeUnused(blobsOf(replaced.manifest));
  } catch (error) {
    await store.removeUnused([...maker.written]).catch(() => {}); // the first error is the one to tell
    throw error;
  }
  onProgress({ status: "success" });
}

/** Layers of the base, with those that the definition adds and replaces. */
async function completed(
  maker: LayerMaker,
  base: ModelBase,
  beside: FilesBeside,
  definition: ModelDefinition,
  options: CreateOptions,
): Promise<Layer[]> {
  let { layers } = base;
  const replace = (kind: LayerKind, replacement: readonly Layer[]) => {
    if (replacement.length === 0) return;
    layers = [...layers.filter(({ mediaType }) => mediaType !== layerType(kind)), ...replacement];
  };
  replace("adapter", await adapters(maker, base, beside));
  replace("draft", await drafts(maker, base, beside, options));
  if (definition.template) replace("template", [await maker.text("template", definition.template)]);
  if (definition.system) replace("system", [await maker.text("system", definition.system)]);
  for (const license of definition.licenses) {
    layers = [...layers, await maker.text("license", license)];
  }
  const parameters = { ...base.parameters, ...definition.parameters, ...options.otherParameters };
  if (Object.keys(parameters).length > 0) {
    replace("params", [await maker.text("params", JSON.stringify(parameters))]);
  }
  if (definition.messages.length > 0) {
    replace("messages", [await maker.text("messages", JSON.stringify(definition.messages))]);
  }
  return layers;
}

/** Files named in other commands than FROM. */
interface FilesBeside {
  adapters: ModelFile[];
  drafts: ModelFile[];
}

async function readBeside(
  { adapters: named, drafts }: ModelDefinition,
  options: BaseOptions,
): Promise<FilesBeside> {
  if (named.length > 1) {
    throw new ProductError(storeErrors.definitionInvalid, {
      message: `only one adapter is currently supported, ${named.length} given`,
      hint: "Name one, or merge them with llama.cpp's llama-export-lora.",
      param: "adapters",
    });
  }
  const beside: FilesBeside = { adapters: [], drafts: [] };
  for (const text of named) beside.adapters.push(await readAdapter(allowedPath(text, options)));
  for (const text of drafts) beside.drafts.push(await readDraft(allowedPath(text, options)));
  return beside;
}

async function adapters(maker: LayerMaker, base: ModelBase, beside: FilesBeside): Promise<Layer[]> {
  const { family } = detailsOfConfiguration(base.configuration);
  const layers: Layer[] = [];
  for (const adapter of beside.adapters) {
    checkAdapter(adapter, family);
    layers.push(await maker.file("adapter", adapter));
  }
  return layers;
}

async function drafts(
  maker: LayerMaker,
  base: ModelBase,
  beside: FilesBeside,
  options: CreateOptions,
): Promise<Layer[]> {
  const layers: Layer[] = [];
  for (const draft of beside.drafts) {
    checkDraft(draft, base.files);
    layers.push(await maker.file("draft", draft));
  }
  if (layers.length > 0) {
    // Kept and reported: it would make answers faster, but never change them.
    options.onProgress?.({
      status:
        "the draft model is stored but not used: this engine has no speculative decoding with one",
    });
  }
  return layers;
}

function configured(
  configuration: ModelConfiguration,
  { renderer, parser, requires }: ModelDefinition,
): ModelConfiguration {
  return {
    ...configuration,
    ...(renderer !== undefined && { renderer }),
    ...(parser !== undefined && { parser }),
    ...(requires !== undefined && { requires }),
  };
}
