// Finding of `deployctl doctor`.
export interface Finding {
  subject: string;
  /** A fault keeps all apps from running; a warning, only some. */
  kind: "ok" | "warning" | "fault";
  sentence: string;
  hint?: string;
}
