// What the routes work with, handed in by the application.

import type { MinimumRate } from "../base/body-rate.ts";
import type { Scheduler } from "../engine/scheduler/scheduler.ts";
import type { KeyStore } from "../keys/key-store.ts";
import type { MachineMonitor } from "../metrics/machine-monitor.ts";
import type { ServerMetrics } from "../metrics/server-metrics.ts";
import type { RequestLog } from "../request-log/request-log.ts";
import type { Transcripts } from "../request-log/transcripts.ts";
import type { LibraryServices } from "../store/make-model.ts";
import type { ModelCatalog } from "../store/model-catalog.ts";

/** Who is let in. */
export interface KeyAccess {
  /** Undefined for a server that knows no keys. */
  keys: Pick<KeyStore, "verify"> | undefined;
  /** Whether a request without a valid key is refused. */
  isRequired: boolean;
  requestsPerMinute: number | undefined;
}

export interface ImageRules {
  /** Images that a request names by address are fetched. */
  fetchesRemote: boolean;
}

/** What a request may be as large as. */
export interface SizeLimits {
  bodyBytes: number;
  /** Of one image, once it is no longer base64. */
  imageBytes: number;
  /** What must come of a body, see `usualRate`. */
  bodyRate?: MinimumRate | undefined;
}

export interface ServerDependencies {
  version: string;
  catalog: ModelCatalog;
  /** What models are made and pulled with. */
  library: LibraryServices;
  /** Removes a model, and what is stored of its prompts; throws as the store's `removeModel`. */
  removeModel: (name: string) => Promise<unknown>;
  scheduler: Scheduler;
  requestLog: RequestLog;
  /** Prompts and answers, while they are recorded. */
  transcripts: Transcripts;
  metrics: ServerMetrics;
  monitor: MachineMonitor;
  keyAccess: KeyAccess;
  limits: SizeLimits;
  images: ImageRules;
  /** Leaves out texts that agents change in every request. */
  stablePrompts: boolean;
  /** Who sends it may name any file that the user can read. */
  ownerToken: string;
  /** Folders whose files any client may name. */
  modelFolders: readonly string[];
  /** Origins that browsers may call from, beside the local ones; may hold `*`. */
  origins: readonly string[];
  /** Names of this machine that a Host header may have, beside those it knows itself. */
  allowedHosts: readonly string[];
  log: (text: string) => void;
  /** Resolves when the server can be found and used: only then does it say who it is. */
  ready: Promise<void>;
  /** Aborted when the server begins to stop: nothing new is begun, and followers are let go. */
  stopping: AbortSignal;
}
