// What the admin API puts within reach; the composition root fills it in.
import type { ControlPlane } from "../control-plane/control-plane.ts";
import type { Engine } from "../engines/engine.ts";
import type { CloudStore } from "../state/cloud-store.ts";
import type {
  KeyDocument,
  NewKeyDocument,
  NewKeyRequest,
  ServerStatus,
  UsageDocument,
} from "./documents.ts";

export interface KeyAdministration {
  list(): KeyDocument[];
  /**
   * @param id or the whole token
   * @param organisation whose keys alone are looked at; undefined: all
   * @throws ProductError `CLOUD_KEY_UNKNOWN`
   */
  find(id: string, organisation: string | undefined): KeyDocument;
  create(request: NewKeyRequest): NewKeyDocument;
  /** @param hard also ends the requests that run under it */
  revoke(id: string, hard: boolean): KeyDocument;
  rotate(id: string, graceMs: number): NewKeyDocument;
}

export interface UsageReports {
  /** @param sinceMs milliseconds since 1970 */
  usage(query: { organisation?: string; app?: string; sinceMs: number }): UsageDocument[];
  /** As Prometheus reads them. */
  metrics(): Promise<string>;
}

export interface AdminServices {
  /** Of names without one. */
  organisation: string;
  controlPlane: ControlPlane;
  store: CloudStore;
  engine: Pick<Engine, "logs">;
  keys: KeyAdministration;
  usage: UsageReports;
  status: () => ServerStatus;
  /** Begins to stop; the answer is sent before the sockets close. */
  stop: (how: { drain: boolean; keepReplicas: boolean }) => void;
  log: (text: string) => void;
}
