// Access control: checks the app, the key, its scope and its limit.
import { type CloudKey, type KeyVerifier, keyCovers } from "../keys/cloud-key.ts";
import type { AppTraffic } from "./app-traffic.ts";
import type { CallLimits } from "./call-limits.ts";
import type { Refusal } from "./refusals.ts";
import type { RequestHead } from "./request-head.ts";
import type { AppPath } from "./request-path.ts";
import type { RoutingTable } from "./routing-table.ts";
import { refuseUnavailable } from "./waiting-rules.ts";

export interface Caller {
  head: RequestHead;
  method: string;
  /** Address of the client. */
  address: string;
}

export type Admitted = { traffic: AppTraffic; key: CloudKey | undefined };
export type Refused = {
  refusal: Refusal;
  /** Undefined if no such app exists. */
  traffic: AppTraffic | undefined;
  key: CloudKey | undefined;
};

type Identified = { key: CloudKey } | { refusal: Refusal };

const scheme = "Key ";
const howToSend = "Send it as 'Authorization: Key <token>'.";

export class Admission {
  readonly #table: RoutingTable;
  readonly #keys: KeyVerifier;
  readonly #limits: CallLimits;

  constructor(table: RoutingTable, keys: KeyVerifier, limits: CallLimits) {
    this.#table = table;
    this.#keys = keys;
    this.#limits = limits;
  }

  /**
   * Treats an unknown app like a private one for callers without a valid key.
   *
   * @param onDecided called once; at once unless another process counts the call
   */
  admit(path: AppPath, caller: Caller, onDecided: (decision: Admitted | Refused) => void): void {
    const traffic = this.#table.find(path.organisation, path.app);
    if (traffic?.routed.auth === "public") {
      onDecided(admitIfAvailable(traffic, undefined));
      return;
    }
    this.#identify(caller, `${path.organisation}/${path.app}`, (identified) => {
      if ("refusal" in identified) onDecided({ ...identified, traffic, key: undefined });
      else this.#admitKey(identified.key, { path, caller, traffic }, onDecided);
    });
  }

  #admitKey(
    key: CloudKey,
    { path, caller, traffic }: { path: AppPath; caller: Caller; traffic: AppTraffic | undefined },
    onDecided: (decision: Admitted | Refused) => void,
  ): void {
    const isForeign = key.organisation !== path.organisation;
    if (traffic === undefined || (isForeign && traffic.routed.auth === "private")) {
      onDecided({ refusal: notFound(path), traffic: undefined, key });
      return;
    }
    const refusal = refuseScope(key, path, caller.method);
    if (refusal !== undefined) {
      onDecided({ refusal, traffic, key });
      return;
    }
    const { id: keyId, requestsPerMinute: perMinute } = key;
    if (perMinute === undefined) {
      onDecided(admitIfAvailable(traffic, key));
      return;
    }
    this.#limits.count({ kind: "request", keyId, perMinute }, (waitMs) => {
      if (waitMs === 0) onDecided(admitIfAvailable(traffic, key));
      else onDecided({ refusal: tooMany(keyId, perMinute, waitMs), traffic, key });
    });
  }

  /** Passes on the caller's key, regardless of its scope; undefined without a valid one. */
  identify(caller: Caller, onIdentified: (key: CloudKey | undefined) => void): void {
    this.#identify(caller, "deployctl", (identified) => {
      onIdentified("key" in identified ? identified.key : undefined);
    });
  }

  #identify(
    { head, address }: Caller,
    realm: string,
    onIdentified: (identified: Identified) => void,
  ): void {
    const challenge = ["WWW-Authenticate", `Key realm="${realm}"`];
    const refusal = refuseHeader(head, challenge);
    const key =
      refusal === undefined
        ? this.#keys.verify((head.authorization ?? "").slice(scheme.length))
        : undefined;
    if (refusal !== undefined) onIdentified({ refusal });
    else if (key !== undefined) onIdentified({ key });
    else this.#refuseToken(address, challenge, (refused) => onIdentified({ refusal: refused }));
  }

  /** Gives the same refusal for mistyped, unknown, revoked and expired keys. */
  #refuseToken(address: string, headers: string[], onRefused: (refusal: Refusal) => void): void {
    this.#limits.count({ kind: "failure", address }, (waitMs) => {
      const detail = "The key is invalid, unknown, revoked or expired.";
      if (waitMs === 0) {
        onRefused({ type: "auth_invalid", detail, headers });
        return;
      }
      onRefused({
        type: "rate_limited",
        detail: "Too many requests without a valid key from this address. Try again later.",
        retryAfterSeconds: waitMs / 1000,
      });
    });
  }
}

/** @returns undefined for one header with the right scheme */
function refuseHeader(
  { authorization, authorizationCount }: RequestHead,
  headers: string[],
): Refusal | undefined {
  if (authorizationCount > 1) {
    const detail = "The request has more than one Authorization header. Send exactly one.";
    return { type: "bad_request", detail };
  }
  if (authorization === undefined) {
    const detail = `This app requires a key. ${howToSend}`;
    return { type: "auth_missing", detail, headers };
  }
  if (!authorization.startsWith(scheme)) {
    const detail = `The Authorization header does not use the scheme Key. ${howToSend}`;
    return { type: "auth_scheme", detail, headers };
  }
  return undefined;
}

function refuseScope(key: CloudKey, path: AppPath, method: string): Refusal | undefined {
  if (keyCovers(key, { ...path, method })) return undefined;
  const name = `${path.organisation}/${path.app}`;
  const what = key.scope === "api:read" ? `${method} requests to ${name}` : name;
  const detail = `The scope or the apps of the key ${key.id} do not allow ${what}.`;
  return { type: "auth_forbidden", detail };
}

function admitIfAvailable(traffic: AppTraffic, key: CloudKey | undefined): Admitted | Refused {
  const refusal = refuseUnavailable(traffic.routed, traffic.isOpen);
  return refusal === undefined ? { traffic, key } : { refusal, traffic, key };
}

function tooMany(keyId: string, perMinute: number, waitMs: number): Refusal {
  const detail = `The key ${keyId} is limited to ${perMinute} requests per minute.`;
  return { type: "rate_limited", detail, retryAfterSeconds: waitMs / 1000 };
}

function notFound({ organisation, app }: AppPath): Refusal {
  return { type: "app_not_found", detail: `The app ${organisation}/${app} does not exist.` };
}
