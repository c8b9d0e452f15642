// Error class of the product: a stable code, a sentence for people, a status for clients.

/** An entry of a subsystem's error table. */
export interface ErrorDefinition {
  /** Stable, documented in docs/errors.md; never reused for another meaning. */
  readonly code: string;
  /** HTTP status that a client of our server sees. */
  readonly status: number;
  /** Exit code of a command that fails with it (see `exitCodes`). */
  readonly exitCode: number;
  /** Cause in one sentence, for docs/errors.md. */
  readonly description: string;
}

/** Exit codes of every command. */
export const exitCodes = {
  ok: 0,
  unexpected: 1,
  usage: 2,
  notFound: 3,
  refused: 4,
  conflict: 5,
  loadFailed: 6,
  timeout: 7,
  unreachable: 8,
  noCapacity: 9,
  interrupted: 130,
} as const;

export interface ProductErrorDetails {
  /** Failure and reason, in one sentence. */
  message: string;
  /** Advice, in one sentence. */
  hint?: string | undefined;
  /** The invalid request field, for `/v1`'s `param`. */
  param?: string | undefined;
  /** Seconds until a retry makes sense (`Retry-After`). */
  retryAfterSeconds?: number | undefined;
  cause?: unknown;
}

/**
 * An error for people and clients. Anything else that is thrown is a defect, reported as
 * `UNEXPECTED`.
 */
export class ProductError extends Error {
  override readonly name = "ProductError";
  readonly code: string;
  readonly status: number;
  readonly exitCode: number;
  readonly hint: string | undefined;
  readonly param: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(definition: ErrorDefinition, details: ProductErrorDetails) {
    super(details.message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = definition.code;
    this.status = definition.status;
    this.exitCode = definition.exitCode;
    this.hint = details.hint;
    this.param = details.param;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }

  /** Returns the same error with another text. */
  reworded(
    change: Pick<Partial<ProductErrorDetails>, "message" | "hint" | "param"> &
      Pick<Partial<ErrorDefinition>, "status" | "exitCode">,
  ): ProductError {
    const { code, retryAfterSeconds } = this;
    const { status = this.status, exitCode = this.exitCode, message = this.message } = change;
    const { hint = this.hint, param = this.param } = change;
    const details = { message, hint, param, retryAfterSeconds, cause: this };
    return new ProductError({ code, status, exitCode, description: "" }, details);
  }

  /** The message followed by the hint: what, why, what to do. */
  get sentence(): string {
    if (this.hint === undefined) return this.message;
    return `${this.message}${/[.!?]$/.test(this.message) ? "" : "."} ${this.hint}`;
  }
}

/** Returns the sentence to show for anything that was thrown. */
export function describeError(error: unknown): string {
  if (error instanceof ProductError) return error.sentence;
  return error instanceof Error ? error.message : String(error);
}
