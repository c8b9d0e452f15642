// Record of a request: who asked for what, and the outcome. Never prompts or answers.

export interface RequestRecord {
  /** Unique while the server runs, e.g. `r-1f`. */
  id: string;
  /** Time of arrival, milliseconds since 1970. */
  startedAt: number;
  method: string;
  path: string;
  /** As the client named it. */
  model: string | undefined;
  /** Key of the request, if it sent one. */
  keyId: string | undefined;
  client: { address: string; agent: string | undefined };
  stream: boolean;
  /** Parameters in force: the model's, overridden by the request's; short texts and numbers. */
  parameters: Record<string, unknown> | undefined;
  state: "running" | "done";
  /** Undefined while it runs; 499 when the client left. */
  status: number | undefined;
  /** Code and sentence of a failure. */
  error: { code: string; message: string } | undefined;
  finishReason: string | undefined;
  promptTokens: number | undefined;
  cachedTokens: number | undefined;
  /** `slot`, `checkpoint`, `memory`, `none`, or `not kept` where an earlier prompt began alike. */
  cachedFrom?: string | undefined;
  /** Why it is `none`, in words. */
  cacheMiss?: string | undefined;
  completionTokens: number | undefined;
  slot: number | undefined;
  /** Milliseconds. */
  loadMs: number | undefined;
  queueMs: number | undefined;
  promptMs: number | undefined;
  completionMs: number | undefined;
  tokensPerSecond: number | undefined;
  /** From arrival to the first piece of the answer. */
  firstTokenMs: number | undefined;
  totalMs: number | undefined;
}

type Opening = Pick<RequestRecord, "id" | "startedAt" | "method" | "path" | "client">;

/** Returns the record of a request that has just arrived. */
export function openRecord({ id, ...more }: Opening): RequestRecord {
  return {
    id,
    ...more,
    model: undefined,
    keyId: undefined,
    stream: false,
    parameters: undefined,
    state: "running",
    status: undefined,
    error: undefined,
    finishReason: undefined,
    promptTokens: undefined,
    cachedTokens: undefined,
    completionTokens: undefined,
    slot: undefined,
    loadMs: undefined,
    queueMs: undefined,
    promptMs: undefined,
    completionMs: undefined,
    tokensPerSecond: undefined,
    firstTokenMs: undefined,
    totalMs: undefined,
  };
}
