// API key of the gateway and the control plane, without its secret.
import { allAppsOf, environmentOf, mainEnvironment } from "../app-name.ts";

/** `admin` may also use the control plane; `api:read` may only call GET and HEAD. */
export type KeyScope = "admin" | "api" | "api:read";
export const keyScopes = ["admin", "api", "api:read"] as const satisfies KeyScope[];

/** Times are milliseconds since 1970. */
export interface CloudKey {
  id: string;
  organisation: string;
  scope: KeyScope;
  /** Apps of its organisation that the key may call, or `*--staging`; empty: all of `main`. */
  apps: readonly string[];
  description: string;
  /** Undefined: unlimited. */
  requestsPerMinute: number | undefined;
  createdAt: number;
  expiresAt: number | undefined;
  /** Rounded to the minute. */
  lastUsedAt: number | undefined;
  revokedAt: number | undefined;
  /** Id of the key that replaced this one. */
  replacedBy: string | undefined;
}

/** Call that the caller of an app wants to make. */
export interface WantedCall {
  organisation: string;
  app: string;
  method: string;
}

/** Verification of tokens for the gateway. */
export interface KeyVerifier {
  /** Returns the active key of a token; takes the same time for every wrong token. */
  verify(token: string): CloudKey | undefined;
}

const readingMethods = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Returns true when the scope and apps of an active key allow a call. The caller checks the
 * organisation.
 */
export function keyCovers(
  key: Pick<CloudKey, "organisation" | "scope" | "apps">,
  { organisation, app, method }: WantedCall,
): boolean {
  if (key.scope === "api:read" && !readingMethods.has(method)) return false;
  const environment = environmentOf(app);
  const isMain = environment === mainEnvironment;
  // A key for commands may call what it can deploy.
  if (key.apps.length === 0) return isMain || key.scope === "admin";
  if (key.organisation !== organisation) return false;
  return key.apps.includes(app) || (!isMain && key.apps.includes(allAppsOf(environment)));
}
