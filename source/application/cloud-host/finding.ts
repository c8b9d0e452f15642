// Finding of `deployctl doctor`.
export interface Finding {
  subject: string;
  /** A fault keeps all apps from running; a warning, only some. */
  kind: "ok" | "warning" | "fault";
  sentence: string;
  hint?: string;
}

/** Result of a check that knows its subject. */
export type Verdict = Omit<Finding, "subject">;

export function ok(sentence: string): Verdict {
  return { kind: "ok", sentence };
}

export function warning(sentence: string, hint: string): Verdict {
  return { kind: "warning", sentence, hint };
}

export function fault(sentence: string, hint?: string): Verdict {
  return { kind: "fault", sentence, ...(hint !== undefined && { hint }) };
}
