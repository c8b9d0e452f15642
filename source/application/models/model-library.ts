// This user's models without a server: our own store, read-only stores of other programs, the hub.
import path from "node:path";
import type { Readable, Writable } from "node:stream";
import { formatBytes } from "../../base/formats.ts";
import { ProductError } from "../../base/product-error.ts";
import type { KnownRate } from "../../base/quantities.ts";
import type { ProductPaths } from "../../configuration/paths.ts";
import type { Settings } from "../../configuration/settings.ts";
import type { ModelActions } from "../../server/dependencies.ts";
import type { ModelDescription } from "../../server/description/describe-model.ts";
import type { PlainDownload, SavedFile } from "../../store/hub/download-plain-file.ts";
import type { HubSettings } from "../../store/hub/hub-settings.ts";
import type { ProgressRecord } from "../../store/library/layer-maker.ts";
import type { MissingFile, ModelSummary } from "../../store/library/model-list.ts";
import { ModelStore } from "../../store/library/model-store.ts";
import type { LibraryServices, MakeOptions, Work } from "../../store/make-model.ts";
import { ModelCatalog } from "../../store/model-catalog.ts";
import type { ModelDefinition } from "../../store/model-definition.ts";
import { type ModelName, parseRepository } from "../../store/model-reference.ts";
import type { ParsedModelfile } from "../../store/modelfile/parse-modelfile.ts";
import type { PrintedModelfile } from "../../store/modelfile/print-modelfile.ts";
import type { TemplateProblem } from "../../store/pull-model.ts";
import type { QuantizeProgram } from "../../store/quantize/quantize-weights.ts";
import type { FoundFile } from "./find-files.ts";
import type { PlannedWindows } from "./memory-fit.ts";
import { lmStudioFolder, ollamaFolders } from "./other-stores.ts";
import type { HubState } from "./outdated-models.ts";
import type {
  Recommendation,
  Recommended,
  RecommendQuestion,
} from "./recommend/recommend-models.ts";
import type { RenderedPrompt } from "./render-prompt.ts";

export type {
  MissingFile,
  ModelDescription,
  ModelName,
  PlannedWindows,
  ProgressRecord,
  Recommendation,
  Recommended,
  Work,
};

/** Loads its parts when they are first used. */
export class ModelLibrary implements ModelActions {
  readonly store: ModelStore;
  readonly catalog: ModelCatalog;
  readonly hub: () => Promise<HubSettings>;
  readonly quantizeProgram: QuantizeProgram;
  readonly templateProblem: TemplateProblem;
  readonly templateTimeoutMs: number;
  readonly templateWarnings: LibraryServices["templateWarnings"];
  readonly #cacheFolder: string;

  constructor(
    settings: Pick<
      Settings,
      "models" | "hub_prefixes" | "hub_endpoint" | "llama_quantize" | "template_timeout"
    >,
    paths: Pick<ProductPaths, "data" | "cache">,
    environment: NodeJS.ProcessEnv = process.env,
  ) {
    const { hub_prefixes: hubPrefixes, hub_endpoint: endpoint } = settings;
    this.#cacheFolder = paths.cache;
    const folder = settings.models ?? path.join(paths.data, "models");
    const theirs = ollamaFolders(environment);
    const ollama = theirs.filter((other) => other !== folder);
    this.store = new ModelStore(folder, hubPrefixes, theirs);
    this.catalog = new ModelCatalog({
      store: this.store,
      hubPrefixes,
      ollamaFolders: ollama,
      lmStudioFolder: () => lmStudioFolder(environment),
    });
    this.hub = async () => {
      const { readHubSettings } = await import("../../store/hub/hub-settings.ts");
      return await readHubSettings(environment, endpoint === undefined ? {} : { endpoint });
    };
    this.templateProblem = async (template) => {
      const { problemOf } = await import("./check-template.ts");
      return problemOf(template);
    };
    this.templateTimeoutMs = settings.template_timeout;
    this.templateWarnings = async (model, signal) => {
      const { templateWarnings } = await import("../../server/description/template-in-force.ts");
      return await templateWarnings(model, this.templateTimeoutMs, signal);
    };
    this.quantizeProgram = {
      path: async (work) => {
        const { findQuantizeProgram } = await import("../devices/quantize-program.ts");
        const places = { named: settings.llama_quantize, cacheFolder: paths.cache };
        return await findQuantizeProgram(places, work);
      },
    };
  }

  async findMissingFiles(models: readonly ModelSummary[]): Promise<MissingFile[]> {
    const { findMissingFiles } = await import("../../store/library/model-list.ts");
    return await findMissingFiles(models);
  }

  /** @throws ProductError of the store */
  async describe(reference: string, verbose = false): Promise<ModelDescription> {
    const { describeModel } = await import("../../server/description/describe-model.ts");
    const { templateTimeoutMs } = this;
    return await describeModel(await this.catalog.resolve(reference), {
      verbose,
      templateTimeoutMs,
    });
  }

  /**
   * Returns a Modelfile that would create the model again. If one of its files was moved or has changed,
   * `problem` says so, and FROM names the old path.
   *
   * @throws ProductError of the store
   */
  async modelfile(reference: string): Promise<PrintedModelfile & { problem?: string }> {
    const { modelfileOf } = await import("../../server/description/modelfile-of.ts");
    try {
      return modelfileOf(await this.catalog.resolve(reference), {});
    } catch (error) {
      const recorded = error instanceof ProductError && (await this.catalog.recorded(reference));
      if (!recorded) throw error;
      return { ...modelfileOf(recorded, {}), problem: error.sentence };
    }
  }

  /**
   * Renders the prompt for a conversation.
   *
   * @param conversation JSON; undefined: a sample chat
   * @throws ProductError of the store or the prompt, `SERVER_FIELD_INVALID`
   */
  async render(reference: string, conversation: string | undefined): Promise<RenderedPrompt> {
    const { renderPrompt } = await import("./render-prompt.ts");
    const model = await this.catalog.resolve(reference);
    return await renderPrompt(model, conversation, this.templateTimeoutMs);
  }

  /** Finds model files outside the store, in the usual folders of this machine; see `findModelFiles`. */
  async findFiles(): Promise<FoundFile[]> {
    const { findModelFiles } = await import("./find-files.ts");
    const { models } = await this.catalog.listModels({ withDetails: false });
    const files = models.flatMap(({ refersTo, blobs }) => [...refersTo, ...blobs]);
    return await findModelFiles(files.map(({ path: file }) => file));
  }

  /** Estimates if a model fits into free memory; `sentence` begins with "needs". */
  async memoryFit(
    reference: string,
    settings: Settings,
  ): Promise<{ fits: boolean; sentence: string }> {
    const { fitOf } = await import("./memory-fit.ts");
    return await fitOf(await this.catalog.resolve(reference), settings);
  }

  /**
   * Finds how fast models answer, by name; leaves out embedding models and damaged ones. Measures this
   * machine's memory first if nobody has, which takes a second.
   */
  async speeds(
    models: readonly Pick<ModelSummary, "name">[],
    { values, paths }: { values: Settings; paths: Pick<ProductPaths, "cache"> },
  ): Promise<Map<string, KnownRate>> {
    const { MachineSpeed } = await import("../speed/machine-speed.ts");
    const machine = await MachineSpeed.open(values, paths);
    await machine.ensureMeasured();
    const found = new Map<string, KnownRate>();
    // In sequence: each opens a file.
    for (const { name } of models) {
      const model = await this.catalog.resolve(name).catch(() => undefined);
      if (model === undefined || model.facts.isEmbeddingOnly) continue;
      found.set(name, await machine.speedOf(model));
    }
    return found;
  }

  /**
   * Recommends models of the hub. Measures this machine's memory first if nobody has.
   *
   * @throws ProductError `STORE_HUB_SETTING_INVALID`; an unreachable hub is a note instead
   */
  async recommend(
    question: RecommendQuestion,
    { values, paths }: { values: Settings; paths: Pick<ProductPaths, "cache"> },
  ): Promise<Recommended> {
    const { recommendModels } = await import("./recommend/recommend-models.ts");
    const { KeptListing } = await import("./recommend/kept-listing.ts");
    const { MachineSpeed } = await import("../speed/machine-speed.ts");
    const services = {
      listing: new KeptListing(paths.cache),
      speed: await MachineSpeed.open(values, paths),
      hub: this.hub,
      hubPrefixes: this.store.folder.hubPrefixes,
      storePath: this.store.path,
    };
    return await recommendModels(services, question);
  }

  /** Compares models that were pulled with their repositories; see `hubStates`. */
  async hubStates(prefix: string, signal: AbortSignal): Promise<HubState[]> {
    const { hubStates } = await import("./outdated-models.ts");
    const { models } = await this.catalog.listModels({ withDetails: false });
    const wanted = models.filter(({ name }) => name.toLowerCase().startsWith(prefix.toLowerCase()));
    return await hubStates(this.catalog, wanted, { settings: await this.hub(), signal });
  }

  /** Describes the windows that a model would have if it were loaded now. */
  async windows(reference: string, settings: Settings): Promise<PlannedWindows> {
    const { windowsOf } = await import("./memory-fit.ts");
    return await windowsOf(await this.catalog.resolve(reference), settings);
  }

  /**
   * Pulls a model, after reporting if it will fit into memory.
   *
   * @throws ProductError, see `pullModel`
   */
  async pull(name: ModelName, work: Work): Promise<void> {
    const { pullModel } = await import("../../store/pull-model.ts");
    await pullModel(this.store, name, {
      ...(await tellingFit(work)),
      settings: await this.hub(),
      templateProblem: this.templateProblem,
    });
  }

  /** Parses `owner/repo:tag`, see `parseRepository`. @throws ProductError `STORE_NAME_INVALID` */
  parseRepository(text: string): ModelName | undefined {
    return parseRepository(text, this.store.folder.hubPrefixes);
  }

  /** @throws ProductError, see `downloadPlainFile` */
  async download(
    file: Pick<PlainDownload, "repo" | "path" | "revision" | "localFolder" | "replace">,
    { onProgress, ...work }: Work,
  ): Promise<SavedFile[]> {
    const { downloadPlainFile } = await import("../../store/hub/download-plain-file.ts");
    const { downloadLocks } = await import("../../store/hub/wait-for-download.ts");
    return await downloadPlainFile({
      ...file,
      ...work,
      settings: await this.hub(),
      locks: downloadLocks(path.join(this.#cacheFolder, "locks")),
      onProgress: ({ detail, file: part, completedBytes: completed, totalBytes: total }) => {
        if (detail !== undefined) onProgress({ status: detail });
        if (part?.verifiedBytes === undefined) onProgress({ status: file.path, total, completed });
        else {
          const { path: name, sizeBytes, verifiedBytes } = part;
          onProgress({ status: `verifying ${name}`, total: sizeBytes, completed: verifiedBytes });
        }
      },
    });
  }

  /** @throws ProductError `STORE_MODELFILE_...`, `PROMPT_TEMPLATE_INVALID`, with line and column */
  async parseModelfile(source: string | Uint8Array): Promise<ParsedModelfile> {
    const { parseModelfile } = await import("../../store/modelfile/parse-modelfile.ts");
    const parsed = parseModelfile(source);
    if (!parsed.definition.template) return parsed;
    const { checkTemplate } = await import("./check-template.ts");
    return { ...parsed, warnings: [...parsed.warnings, ...checkTemplate(parsed)] };
  }

  /**
   * Creates a model; a parent from the hub that is not in the store is pulled first.
   *
   * @throws ProductError, see `makeModel`
   */
  async make(
    name: ModelName,
    definition: ModelDefinition,
    options: MakeOptions,
    work: Work,
  ): Promise<void> {
    const { makeModel } = await import("../../store/make-model.ts");
    // The quantized model will be smaller than the pulled one.
    const told = options.quantize === undefined ? await tellingFit(work) : work;
    await makeModel(this, name, definition, options, told);
  }

  /**
   * Creates a model from a Modelfile.
   *
   * @throws ProductError as `make`, with line and column for errors about files
   */
  async create(
    name: ModelName,
    modelfile: ParsedModelfile,
    options: MakeOptions & { baseFolder: string },
    work: Work,
  ): Promise<void> {
    try {
      await this.make(name, modelfile.definition, options, work);
    } catch (error) {
      if (!(error instanceof ProductError)) throw error;
      const { withPlace } = await import("../../store/modelfile/place-error.ts");
      throw withPlace(error, modelfile, options.baseFolder);
    }
  }

  /** True if our own store has the model. */
  async has(name: ModelName): Promise<boolean> {
    return (await this.store.folder.find(name)) !== undefined;
  }

  /** @throws ProductError, see `copyModel` */
  async copy(source: string, destination: ModelName): Promise<void> {
    const { copyModel } = await import("../../store/library/create-model.ts");
    await copyModel(this.catalog, this.store, source, destination);
  }

  /**
   * Removes a model and its stored prompts.
   *
   * @throws ProductError, see `removeModel`
   */
  async remove(reference: string): Promise<ModelName> {
    const { removeModel } = await import("../../store/library/remove-model.ts");
    const { PromptCache } = await import("./prompt-cache.ts");
    const prompts = new PromptCache({ cache: this.#cacheFolder }, this.catalog);
    const marks = await prompts.marksOf(reference);
    const removed = await removeModel(this.catalog, this.store, reference);
    await prompts.forget(marks);
    return removed;
  }

  /** @throws ProductError, see `exportModel` */
  async export(reference: string, target: string | Writable, work: Work): Promise<void> {
    const { exportModel } = await import("../../store/library/export-model.ts");
    await exportModel(this.catalog, this.store, reference, target, {
      signal: work.signal,
      onProgress: asRecords(`exporting ${reference}`, work),
      onHashed: asRecords(`hashing ${reference}`, work),
    });
  }

  /** Returns the names of the models in an exported file. @throws ProductError, see `modelsInArchive` */
  async modelsInArchive(file: string): Promise<ModelName[]> {
    const { modelsInArchive } = await import("../../store/library/import-model.ts");
    return await modelsInArchive(this.store, file);
  }

  /**
   * @param onReplacing throws if an existing model must not be replaced
   * @throws ProductError, see `importModel`
   */
  async import(
    source: string | Readable,
    name: ModelName | undefined,
    work: Work,
    onReplacing?: (name: ModelName) => void,
  ): Promise<ModelName[]> {
    const { importModel } = await import("../../store/library/import-model.ts");
    const shown = typeof source === "string" ? path.basename(source) : "from standard input";
    return await importModel(this.store, source, {
      signal: work.signal,
      onProgress: asRecords(`importing ${shown}`, work),
      name,
      onReplacing,
    });
  }
}

function asRecords(status: string, { onProgress }: Work) {
  return (completed: number, total: number | undefined) => {
    if (total !== undefined) onProgress({ status, completed, total });
    // Keeps its key, so that the text changes in place.
    else onProgress({ status: `${status}: ${formatBytes(completed)}`, digest: status });
  };
}

/** Reports if a hub model will fit into memory, before its download. */
async function tellingFit(work: Work): Promise<Work> {
  const { fitSentence, freeMemoryBytes, roughMemoryNeed } = await import(
    "../../engine/scheduler/memory-plan.ts"
  );
  const onChoice: Work["onChoice"] = ({ totalBytes }) => {
    const fit = fitSentence(roughMemoryNeed(totalBytes), freeMemoryBytes());
    work.onProgress({ status: `memory: ${fit}` });
  };
  return { ...work, onChoice };
}
