// The models of this user, and all that can be done with them without a server: our own store,
// Ollama's to read, and the way to the hub.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import type { ProductPaths } from "../configuration/paths.ts";
import type { Settings } from "../configuration/settings.ts";
import type { PlainDownload, SavedFile } from "../store/hub/download-plain-file.ts";
import type { HubSettings } from "../store/hub/hub-settings.ts";
import type { CreateOptions } from "../store/library/create-model.ts";
import type { ProgressRecord } from "../store/library/layer-maker.ts";
import { ModelStore } from "../store/library/model-store.ts";
import { ModelCatalog } from "../store/model-catalog.ts";
import type { ModelDefinition } from "../store/model-definition.ts";
import type { ModelName } from "../store/model-reference.ts";
import type { ParsedModelfile } from "../store/modelfile/parse-modelfile.ts";

export type { ModelName, ProgressRecord };

/** Tells what a long work does, and ends it. */
export interface Work {
  onProgress: (record: ProgressRecord) => void;
  signal: AbortSignal;
  limitRateBytesPerSecond?: number;
}

/** The parts that a command does not need are loaded when one does. */
export class ModelLibrary {
  readonly store: ModelStore;
  readonly catalog: ModelCatalog;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #endpoint: string | undefined;

  constructor(
    settings: Pick<Settings, "models" | "hub_prefixes" | "hub_endpoint">,
    paths: Pick<ProductPaths, "data">,
    environment: NodeJS.ProcessEnv = process.env,
  ) {
    const { hub_prefixes: hubPrefixes, hub_endpoint: endpoint } = settings;
    this.#environment = environment;
    this.#endpoint = endpoint;
    this.store = new ModelStore(settings.models ?? path.join(paths.data, "models"), hubPrefixes);
    this.catalog = new ModelCatalog({
      store: this.store,
      hubPrefixes,
      ollamaFolders: ollamaFolders(environment).filter((folder) => folder !== this.store.path),
    });
  }

  /** Read when it is needed: a token file may be wrong, and most commands need none. */
  async hub(): Promise<HubSettings> {
    const { readHubSettings } = await import("../store/hub/hub-settings.ts");
    const endpoint = this.#endpoint === undefined ? {} : { endpoint: this.#endpoint };
    return await readHubSettings(this.#environment, endpoint);
  }

  /** @throws ProductError, see `pullModel` */
  async pull(name: ModelName, work: Work): Promise<void> {
    const { pullModel } = await import("../store/pull-model.ts");
    await pullModel(this.store, name, { settings: await this.hub(), ...work });
  }

  /** @throws ProductError, see `downloadPlainFile` */
  async download(
    file: Pick<PlainDownload, "repo" | "path" | "revision" | "localFolder" | "replace">,
    { onProgress, ...work }: Work,
  ): Promise<SavedFile[]> {
    const { downloadPlainFile } = await import("../store/hub/download-plain-file.ts");
    return await downloadPlainFile({
      ...file,
      ...work,
      settings: await this.hub(),
      locks: this.store,
      onProgress: ({ state, detail, completedBytes, totalBytes }) => {
        if (detail !== undefined) onProgress({ status: detail });
        const status = state === "verifying" ? `verifying ${file.path}` : file.path;
        onProgress({ status, digest: file.path, total: totalBytes, completed: completedBytes });
      },
    });
  }

  /** @throws ProductError `STORE_MODELFILE_...` with line and column */
  async parseModelfile(source: Uint8Array): Promise<ParsedModelfile> {
    const { parseModelfile } = await import("../store/modelfile/parse-modelfile.ts");
    return parseModelfile(source);
  }

  /**
   * A parent that is named and not in the store is pulled first.
   *
   * @throws ProductError, see `createModel`
   */
  async create(
    name: ModelName,
    definition: ModelDefinition,
    options: Pick<CreateOptions, "baseFolder" | "copy">,
    work: Work,
  ): Promise<void> {
    const { createModel } = await import("../store/library/create-model.ts");
    await createModel(this.store, name, definition, {
      ...options,
      ...work,
      resolveName: async (reference) => {
        const parsed = this.catalog.parse(reference);
        if (parsed.kind === "name" && parsed.name.isHub) {
          const found = await this.catalog.find(parsed.name);
          if (found === undefined) await this.pull(parsed.name, work);
        }
        return await this.catalog.parentOf(reference);
      },
    });
  }

  /** @throws ProductError, see `copyModel` */
  async copy(source: string, destination: ModelName): Promise<void> {
    const { copyModel } = await import("../store/library/copy-model.ts");
    await copyModel(this.catalog, this.store, source, destination);
  }

  /** @throws ProductError, see `removeModel` */
  async remove(reference: string): Promise<ModelName> {
    const { removeModel } = await import("../store/library/remove-model.ts");
    return await removeModel(this.catalog, this.store, reference);
  }

  /** @throws ProductError, see `exportModel` */
  async export(reference: string, file: string, work: Work): Promise<void> {
    const { exportModel } = await import("../store/library/export-model.ts");
    await exportModel(this.catalog, this.store, reference, file, {
      signal: work.signal,
      onProgress: asRecords(`exporting ${reference}`, work),
    });
  }

  /** @throws ProductError, see `importModel` */
  async import(file: string, name: ModelName | undefined, work: Work): Promise<ModelName[]> {
    const { importModel } = await import("../store/library/import-model.ts");
    return await importModel(this.store, file, {
      signal: work.signal,
      onProgress: asRecords(`importing ${path.basename(file)}`, work),
      name,
    });
  }
}

function asRecords(status: string, { onProgress }: Work) {
  return (completed: number, total: number) => onProgress({ status, completed, total });
}

/** Where Ollama keeps its models: for a user, and for its service on Linux. */
function ollamaFolders(environment: NodeJS.ProcessEnv): string[] {
  const named = environment.OLLAMA_MODELS;
  const usual = [
    path.join(environment.HOME || homedir(), ".ollama", "models"),
    "/usr/share/ollama/.ollama/models",
  ];
  return (named ? [path.resolve(named)] : usual).filter((folder) => existsSync(folder));
}
