// What is known of a key of the gateway and the control plane; never its secret.

/** `admin` may also use the control plane; `api:read` may only call GET and HEAD. */
export type KeyScope = "admin" | "api" | "api:read";
export const keyScopes = ["admin", "api", "api:read"] as const satisfies KeyScope[];

/** Times are milliseconds since 1970. */
export interface CloudKey {
  id: string;
  organisation: string;
  scope: KeyScope;
  /** The apps of its organisation that it may call; empty: all. */
  apps: readonly string[];
  description: string;
  /** Undefined: as many as it likes. */
  requestsPerMinute: number | undefined;
  createdAt: number;
  expiresAt: number | undefined;
  /** To the minute. */
  lastUsedAt: number | undefined;
  revokedAt: number | undefined;
  /** The key that was made to take its place. */
  replacedBy: string | undefined;
}

/** What a caller wants to do with an app. */
export interface WantedCall {
  organisation: string;
  app: string;
  method: string;
}

/** How the gateway tells whose token it was given. */
export interface KeyVerifier {
  /** The active key that a token belongs to; takes the same time for every wrong one. */
  verify(token: string): CloudKey | undefined;
}

const readingMethods = new Set(["GET", "HEAD", "OPTIONS"]);

/** Whether an active key of the right organisation covers a call by its scope and its apps. */
export function keyCovers(key: CloudKey, { organisation, app, method }: WantedCall): boolean {
  if (key.scope === "api:read" && !readingMethods.has(method)) return false;
  if (key.apps.length === 0) return true;
  return key.organisation === organisation && key.apps.includes(app);
}
