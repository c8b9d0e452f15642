// What the metrics say of a model that is loaded or being loaded.

export interface LoadedModelSample {
  name: string;
  state: "loading" | "busy" | "idle";
  /** Requests that are being answered. */
  running: number;
  /** Requests that wait for the load or for a slot. */
  waiting: number;
  ramBytes: number;
  vramBytes: number;
}
