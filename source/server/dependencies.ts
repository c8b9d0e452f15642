// What the routes work with, handed in by the application.
import type { Scheduler } from "../engine/scheduler/scheduler.ts";
import type { RequestLog } from "../request-log/request-log.ts";
import type { ModelCatalog } from "../store/model-catalog.ts";

export interface ServerDependencies {
  version: string;
  catalog: ModelCatalog;
  scheduler: Scheduler;
  requestLog: RequestLog;
  /** Who sends it may name any file that the user can read. */
  ownerToken: string;
  /** Folders whose files any client may name. */
  modelFolders: readonly string[];
  /** Origins that browsers may call from, beside the local ones; may hold `*`. */
  origins: readonly string[];
  log: (text: string) => void;
  /** Resolves when the server can be found and used: only then does it say who it is. */
  ready: Promise<void>;
}
