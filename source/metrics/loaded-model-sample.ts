// The metrics of one model that is loaded or being loaded.

export interface LoadedModelSample {
  name: string;
  /** All names that use the loaded weights, including `name`. */
  names: string[];
  state: "loading" | "busy" | "idle";
  /** Requests that are being answered. */
  running: number;
  /** Requests that wait for the load or for a slot. */
  waiting: number;
  ramBytes: number;
  vramBytes: number;
  /** Requests that it answers at the same time, each with a window of `contextLength` tokens. */
  slots: number;
  contextLength: number;
  /** Memory of all windows together, in numbers of this type. */
  cacheBytes: number;
  cacheType: string;
  /** Milliseconds since 1970; undefined while it is in use or pinned. */
  expiresAt: number | undefined;
  /** 0 to 1. */
  loadFraction: number;
}
