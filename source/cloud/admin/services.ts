// Services behind the admin API; the composition root provides them.
import type { ControlPlane } from "../control-plane/control-plane.ts";
import type { Engine } from "../engines/engine.ts";
import type { AppKey } from "../state/app-records.ts";
import type { CloudStore } from "../state/cloud-store.ts";
import type {
  KeyDocument,
  NewKeyDocument,
  NewKeyRequest,
  QueuedRequestDocument,
  ServerStatus,
  UsageDocument,
} from "./documents.ts";

export interface KeyAdministration {
  list(): KeyDocument[];
  /**
   * @param id or the whole token
   * @param organisation to search in; undefined: all
   * @throws ProductError `CLOUD_KEY_UNKNOWN`
   */
  find(id: string, organisation: string | undefined): KeyDocument;
  create(request: NewKeyRequest): NewKeyDocument;
  /** @param hard also aborts requests that run under the key */
  revoke(id: string, hard: boolean): KeyDocument;
  rotate(id: string, graceMs: number): NewKeyDocument;
}

export interface QueueAdministration {
  /** Newest first. */
  list(of: { organisation?: string; app?: string }, count: number): QueuedRequestDocument[];
  find(id: string): QueuedRequestDocument | undefined;
  /** @throws ProductError `CLOUD_CONFLICT` for a completed request */
  cancel(id: string): Promise<QueuedRequestDocument>;
  /** Cancels an app's requests and deletes its results. */
  purge(app: AppKey): Promise<{ cancelled: number; deleted: number }>;
}

export interface UsageReports {
  /** @param sinceMs milliseconds since 1970 */
  usage(query: { organisation?: string; app?: string; sinceMs: number }): UsageDocument[];
  /** Returns metrics in Prometheus text format. */
  metrics(): Promise<string>;
}

export interface AdminServices {
  /** Organisation of names that have none. */
  organisation: string;
  controlPlane: ControlPlane;
  store: CloudStore;
  engine: Pick<Engine, "logs" | "openShell" | "connect">;
  /** Opens shells and forwards ports also for other machines, with an admin key of the server. */
  allowsRemoteShell: boolean;
  keys: KeyAdministration;
  usage: UsageReports;
  queue: QueueAdministration;
  status: () => ServerStatus;
  /** Begins shutdown; the response is sent before the sockets close. */
  stop: (how: { drain: boolean; keepReplicas: boolean }) => void;
  log: (text: string) => void;
}
