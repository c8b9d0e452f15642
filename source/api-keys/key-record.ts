// Stored facts about a key, without its secret.

/** `infer` may use models; `manage` may also change them and see other users' requests. */
export type KeyRole = "infer" | "manage";

/** Times are milliseconds since 1970. */
export interface KeyRecord {
  id: string;
  name: string;
  role: KeyRole;
  createdAt: number;
  expiresAt: number | undefined;
  /** To the minute. */
  lastUsedAt: number | undefined;
  revokedAt: number | undefined;
}

export type KeyState = "active" | "expired" | "revoked";

export function keyState(key: Pick<KeyRecord, "expiresAt" | "revokedAt">, now: number): KeyState {
  if (key.revokedAt !== undefined) return "revoked";
  return key.expiresAt !== undefined && key.expiresAt <= now ? "expired" : "active";
}
