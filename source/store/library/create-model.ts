// Creates a model from files or another model, or copies one under a second name: writes new files,
// refers to existing ones.
import { ProductError } from "../../base/product-error.ts";
import { refuseBuiltInName } from "../built-in-models.ts";
import { storeErrors } from "../errors.ts";
import type { ModelCatalog } from "../model-catalog.ts";
import { defineModel, type ModelDefinition } from "../model-definition.ts";
import type { ModelName } from "../model-reference.ts";
import { refuseLaterVersion } from "../modelfile/version-text.ts";
import { checkAdapter, checkDraft, readAdapter, readDraft } from "./gather-files.ts";
import { LayerMaker } from "./layer-maker.ts";
import { blobsOf, type Layer, type LayerKind, layerType } from "./manifest.ts";
import { allowedPath, type BaseOptions, baseOf, type ModelBase } from "./model-base.ts";
import { detailsOfConfiguration, type ModelConfiguration, textIn } from "./model-details.ts";
import type { ModelFile } from "./model-file.ts";
import type { ModelStore } from "./model-store.ts";

export interface CreateOptions extends Omit<BaseOptions, "hubPrefixes"> {
  /** Copies files into the store instead of referring to them. Defaults to false. */
  copy?: boolean | undefined;
  /** Further parameters of any name, kept as they are. */
  otherParameters?: Record<string, unknown> | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Creates the model, or replaces the one of that name in one step; a failed attempt leaves nothing
 * behind.
 *
 * @throws ProductError `STORE_DEFINITION_INVALID`, errors of the files or the parent;
 *   `STORE_VERSION_REQUIRED`; `STORE_MODEL_READ_ONLY` for the name of a built-in model;
 *   `STORE_DISK_FULL`
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
  // Clients upload blobs in order to use them.
  const isBlob = (file: string) => store.folder.blobDigest(file) !== undefined;
  const allowing = {
    ...options,
    hubPrefixes: store.folder.hubPrefixes,
    isAllowed: (file: string) => isBlob(file) || isAllowed(file),
  };
  const work = async () => {
    onProgress({ status: "parsing GGUF" });
    // Reads the small files first: FROM may need a download, a conversion or a hash.
    const companions = await readCompanions(definition, allowing);
    const base = await baseOf(maker, definition.from, allowing);
    const layers = await mergeLayers(maker, base, companions, definition, allowing);
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
    await store.removeUnused([...maker.written]).catch(() => {}); // report the first error
    throw error;
  }
  onProgress({ status: "success" });
}

/** Returns the base's layers with those that the definition adds or replaces. */
async function mergeLayers(
  maker: LayerMaker,
  base: ModelBase,
  companions: CompanionFiles,
  definition: ModelDefinition,
  options: CreateOptions,
): Promise<Layer[]> {
  let { layers } = base;
  const replace = (kind: LayerKind, replacement: readonly Layer[]) => {
    if (replacement.length === 0) return;
    layers = [...layers.filter(({ mediaType }) => mediaType !== layerType(kind)), ...replacement];
  };
  replace("adapter", await adapters(maker, base, companions));
  replace("draft", await drafts(maker, base, companions));
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

/** Files named by commands other than FROM. */
interface CompanionFiles {
  adapters: ModelFile[];
  drafts: ModelFile[];
}

async function readCompanions(
  { adapters: named, drafts }: ModelDefinition,
  options: BaseOptions,
): Promise<CompanionFiles> {
  if (named.length > 1) {
    throw new ProductError(storeErrors.definitionInvalid, {
      message: `only one adapter is currently supported, ${named.length} given`,
      hint: "Name one, or merge them with llama.cpp's llama-export-lora.",
      param: "adapters",
    });
  }
  const companions: CompanionFiles = { adapters: [], drafts: [] };
  for (const text of named) companions.adapters.push(await readAdapter(allowedPath(text, options)));
  for (const text of drafts) companions.drafts.push(await readDraft(allowedPath(text, options)));
  return companions;
}

async function adapters(
  maker: LayerMaker,
  base: ModelBase,
  companions: CompanionFiles,
): Promise<Layer[]> {
  const { family } = detailsOfConfiguration(base.configuration);
  const layers: Layer[] = [];
  for (const adapter of companions.adapters) {
    checkAdapter(adapter, family);
    layers.push(await maker.file("adapter", adapter));
  }
  return layers;
}

async function drafts(
  maker: LayerMaker,
  base: ModelBase,
  companions: CompanionFiles,
): Promise<Layer[]> {
  const layers: Layer[] = [];
  for (const draft of companions.drafts) {
    checkDraft(draft, base.files);
    layers.push(await maker.file("draft", draft));
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

/**
 * Gives a model a second name: copies its manifest, not its weights. A model of another store
 * becomes ours and refers to the other store's files.
 *
 * @param source a reference; @param destination replaced if it is there
 * @throws ProductError `STORE_MODEL_NOT_FOUND`, `STORE_MODEL_READ_ONLY`, `STORE_NAME_INVALID` for a
 *   file, those of `createModel`
 */
export async function copyModel(
  catalog: ModelCatalog,
  store: ModelStore,
  source: string,
  destination: ModelName,
): Promise<void> {
  refuseBuiltInName(destination, "replaced", "Choose another name for the copy.");
  if (catalog.parse(source).kind === "file") {
    throw new ProductError(storeErrors.nameInvalid, {
      message: `${source} is a file, not a model of the store.`,
      hint: "Create a model from it with modelctl create and a Modelfile.",
      param: "source",
    });
  }
  const parent = await catalog.parentOf(source);
  if (parent.kind === "stored" && parent.stored.folder.path === store.path) {
    // Read again under the lock: it may have been removed since.
    const replaced = await store.whileWriting(async () => {
      const now = await store.folder.read(parent.stored);
      return await store.writeManifest(destination, now.manifest);
    });
    if (replaced !== undefined) await store.removeUnused(blobsOf(replaced.manifest));
    return;
  }
  const definition = defineModel({ from: [source] });
  const resolveName = async () => parent;
  await createModel(store, destination, definition, { resolveName });
}
