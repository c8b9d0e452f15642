// Services and settings that the application hands to the routes.
import type { FastifyPluginAsync } from "fastify";
import type { KeyStore } from "../api-keys/key-store.ts";
import type { MinimumRate } from "../base/body-rate.ts";
import type { KnownRate } from "../base/quantities.ts";
import type { Scheduler } from "../engine/scheduler/scheduler.ts";
import type { MachineMonitor } from "../metrics/machine-monitor.ts";
import type { ServerMetrics } from "../metrics/server-metrics.ts";
import type { RequestLog } from "../request-log/request-log.ts";
import type { Transcripts } from "../request-log/transcripts.ts";
import type { ResolvedModel } from "../store/library/resolved-model.ts";
import type { LibraryServices, MakeOptions, Work } from "../store/make-model.ts";
import type { ModelCatalog } from "../store/model-catalog.ts";
import type { ModelDefinition } from "../store/model-definition.ts";
import type { ModelName } from "../store/model-reference.ts";
import type { ParsedModelfile } from "../store/modelfile/parse-modelfile.ts";
import type { Tracing } from "../tracing/tracing.ts";

/** Known API keys. */
export interface KeyAccess {
  /** Undefined for a server without keys. */
  keys: Pick<KeyStore, "verify"> | undefined;
  /** Refuses requests without a valid key. */
  isRequired: boolean;
  requestsPerMinute: number | undefined;
}

export interface ImageRules {
  /** Allows fetching images that a request names by URL. */
  fetchesRemote: boolean;
}

/** Size limits of a request. */
export interface SizeLimits {
  bodyBytes: number;
  /** Limit of one decoded image. */
  imageBytes: number;
  /** Minimum transfer rate of a body, see `usualRate`. */
  bodyRate?: MinimumRate | undefined;
}

/** Plugin with the routes of one API. */
export type Routes = FastifyPluginAsync<{ dependencies: ServerDependencies }>;

/** What is done with stored models; modelctl's commands do the same without a server. */
export interface ModelActions extends LibraryServices {
  /** @throws ProductError, see `pullModel` */
  pull(name: ModelName, work: Work): Promise<void>;
  /** @throws ProductError, see `makeModel` */
  make(
    name: ModelName,
    definition: ModelDefinition,
    options: MakeOptions,
    work: Work,
  ): Promise<void>;
  /** @throws ProductError `STORE_MODELFILE_...`, `PROMPT_TEMPLATE_INVALID`, with line and column */
  parseModelfile(source: string | Uint8Array): Promise<ParsedModelfile>;
  /** Creates a model from a Modelfile. @throws ProductError as `make`, with line and column */
  create(
    name: ModelName,
    modelfile: ParsedModelfile,
    options: MakeOptions & { baseFolder: string },
    work: Work,
  ): Promise<void>;
  /** @throws ProductError, see `copyModel` */
  copy(source: string, destination: ModelName): Promise<void>;
  /** Removes a model and its stored prompts. @throws ProductError, see `removeModel` */
  remove(reference: string): Promise<ModelName>;
}

/** Speeds of answers on this machine, in tokens per second. */
export interface ModelSpeeds {
  speedOf(model: Pick<ResolvedModel, "digest" | "facts" | "sizeBytes">): Promise<KnownRate>;
  /** Measures the machine's memory, unless that was done before; takes a second. */
  ensureMeasured(): Promise<void>;
}

/** A model of the hub that suits this machine. */
export interface RecommendedModel {
  purpose: string;
  /** Reference to pull. */
  name: string;
  sizeBytes: number;
  memoryBytes: number;
  speed: KnownRate;
  diskAfterBytes?: number;
  isRough: boolean;
  why: string;
}

export interface ServerDependencies {
  version: string;
  catalog: ModelCatalog;
  library: ModelActions;
  scheduler: Scheduler;
  requestLog: RequestLog;
  /** Prompts and answers, while recording is on. */
  transcripts: Transcripts;
  metrics: ServerMetrics;
  /** Undefined: traces are off. */
  tracing: Tracing | undefined;
  monitor: MachineMonitor;
  speeds: ModelSpeeds;
  /** An unreachable hub is a note, a sentence. @throws ProductError `STORE_HUB_SETTING_INVALID` */
  recommend(signal: AbortSignal): Promise<{ models: RecommendedModel[]; notes: string[] }>;
  keyAccess: KeyAccess;
  limits: SizeLimits;
  images: ImageRules;
  /** Strips texts that agents change in every request. */
  stablePrompts: boolean;
  /** Token whose sender may name any file that the user can read. */
  ownerToken: string;
  /** Folders whose files any client may name. */
  modelFolders: readonly string[];
  /** Origins that browsers may call from, besides local ones; may contain `*`. */
  origins: readonly string[];
  /** Further names of this machine that a Host header may have. */
  allowedHosts: readonly string[];
  log: (text: string) => void;
  /** Resolves when the server is ready; only then does it identify itself. */
  ready: Promise<void>;
  /** Returns true until the model of --preload is loaded. */
  isLoading: () => boolean;
  /** Aborts when the server begins to stop: new work is refused and followed streams end. */
  stopping: AbortSignal;
}
