// Apps and keys in the gateway's form.
import { defaultLimits, defaultScale } from "../../source/cloud/app-config.ts";
import type { RoutedApp } from "../../source/cloud/gateway/traffic.ts";
import type { CloudKey, KeyVerifier } from "../../source/cloud/keys/cloud-key.ts";

export function routedApp(changes: Partial<RoutedApp> = {}): RoutedApp {
  return {
    organisation: "acme",
    app: "chat",
    auth: "public",
    state: "active",
    revision: "r0001-00000000",
    scale: { ...defaultScale, maxMultiplexing: 64 },
    limits: defaultLimits,
    coldStart: "wait",
    noWakePaths: ["/health"],
    upstreamAuthorization: undefined,
    failure: undefined,
    replicas: [],
    ...changes,
  };
}

export function cloudKey(changes: Partial<CloudKey> = {}): CloudKey {
  return {
    id: "aaaabbbbcccc",
    organisation: "acme",
    scope: "api",
    apps: [],
    description: "",
    requestsPerMinute: undefined,
    createdAt: 0,
    expiresAt: undefined,
    lastUsedAt: undefined,
    revokedAt: undefined,
    replacedBy: undefined,
    ...changes,
  };
}

/** Knows tokens by their text. */
export function keysBy(tokens: Record<string, CloudKey>): KeyVerifier {
  return { verify: (token) => tokens[token] };
}
