// Access control: checks the app, the key, its scope and its limit.
import { type CloudKey, type KeyVerifier, keyCovers } from "../keys/cloud-key.ts";
import type { AppTraffic } from "./app-traffic.ts";
import type { CallLimits } from "./call-limits.ts";
import type { Refusal } from "./refusals.ts";
import type { RequestHead } from "./request-head.ts";
import type { AppPath } from "./request-path.ts";
import type { RoutingTable } from "./routing-table.ts";
import { refuseSleepRoute, refuseUnavailable } from "./waiting-rules.ts";

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
/** Scheme of OpenAI's clients, unless they are given the whole header. */
const bearer = /^bearer /i;
const howOpenAiSends =
  'With OpenAI\'s clients set default_headers={"Authorization": "Key <token>"} in Python, ' +
  'or defaultHeaders: { Authorization: "Key <token>" } in JavaScript.';

export class Admission {
  readonly #table: RoutingTable;
  readonly #keys: KeyVerifier;
  readonly #limits: CallLimits;

  constructor(table: RoutingTable, keys: KeyVerifier, limits: CallLimits) {
    this.#table = table;
    this.#keys = keys;
    this.#limits = limits;
  }

  /** Treats an unknown app like a private one for callers without a valid key. */
  admit(path: AppPath, caller: Caller): Admitted | Refused {
    const traffic = this.#table.find(path.organisation, path.app);
    if (traffic?.routed.auth === "public") return admitIfAvailable(traffic, undefined, path);
    const identified = this.#identify(caller, `${path.organisation}/${path.app}`);
    if ("refusal" in identified) return { ...identified, traffic, key: undefined };
    const { key } = identified;
    const isForeign = key.organisation !== path.organisation;
    if (traffic === undefined || (isForeign && traffic.routed.auth === "private")) {
      return { refusal: notFound(path), traffic: undefined, key };
    }
    const refusal = refuseScope(key, path, caller.method) ?? this.#refuseRate(key);
    return refusal === undefined ? admitIfAvailable(traffic, key, path) : { refusal, traffic, key };
  }

  /**
   * Admits a caller to an app's queue. Questions about requests do not count against the key's limit, and are
   * answered for a paused app too; a submission is accepted for an app whose replicas fail.
   */
  admitToQueue(path: AppPath, caller: Caller, isSubmission: boolean): Admitted | Refused {
    const traffic = this.#table.find(path.organisation, path.app);
    if (traffic?.routed.auth === "public") {
      const key = this.#keys.verify((caller.head.authorization ?? "").slice(scheme.length));
      return refuseQueue(traffic, key, isSubmission ? path : undefined);
    }
    const identified = this.#identify(caller, `${path.organisation}/${path.app}`);
    if ("refusal" in identified) return { ...identified, traffic, key: undefined };
    const { key } = identified;
    const isForeign = key.organisation !== path.organisation;
    if (traffic === undefined || (isForeign && traffic.routed.auth === "private")) {
      return { refusal: notFound(path), traffic: undefined, key };
    }
    const refusal =
      refuseScope(key, path, caller.method) ?? (isSubmission ? this.#refuseRate(key) : undefined);
    if (refusal !== undefined) return { refusal, traffic, key };
    return refuseQueue(traffic, key, isSubmission ? path : undefined);
  }

  /** Admits a request that the queue has held; its submission was checked. */
  admitRun(path: AppPath, key: CloudKey | undefined): Admitted | Refused {
    const traffic = this.#table.find(path.organisation, path.app);
    if (traffic === undefined) return { refusal: notFound(path), traffic, key };
    return admitIfAvailable(traffic, key, path);
  }

  /** Returns the caller's key, regardless of its scope; undefined without a valid one. */
  identify(caller: Caller): CloudKey | undefined {
    const identified = this.#identify(caller, "deployctl");
    return "key" in identified ? identified.key : undefined;
  }

  #identify({ head, address }: Caller, realm: string): Identified {
    const challenge = ["WWW-Authenticate", `Key realm="${realm}"`];
    const refusal = refuseHeader(head, challenge);
    if (refusal !== undefined) return { refusal };
    const key = this.#keys.verify((head.authorization ?? "").slice(scheme.length));
    return key === undefined ? { refusal: this.#refuseToken(address, challenge) } : { key };
  }

  /** Gives the same refusal for mistyped, unknown, revoked and expired keys. */
  #refuseToken(address: string, headers: string[]): Refusal {
    const waitMs = this.#limits.countFailure(address);
    if (waitMs === 0) {
      const detail = "The key is invalid, unknown, revoked or expired.";
      return { type: "auth_invalid", detail, headers };
    }
    const detail = "Too many requests without a valid key from this address. Try again later.";
    return { type: "rate_limited", detail, retryAfterSeconds: waitMs / 1000 };
  }

  #refuseRate({ id: keyId, requestsPerMinute: perMinute }: CloudKey): Refusal | undefined {
    if (perMinute === undefined) return undefined;
    const waitMs = this.#limits.countRequest(keyId, perMinute);
    if (waitMs === 0) return undefined;
    const detail = `The key ${keyId} is limited to ${perMinute} requests per minute.`;
    return { type: "rate_limited", detail, retryAfterSeconds: waitMs / 1000 };
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
    const isBearer = bearer.test(authorization);
    const found = isBearer ? "uses the scheme Bearer" : "does not use the scheme Key";
    const advice = isBearer ? `${howToSend} ${howOpenAiSends}` : howToSend;
    const detail = `The Authorization header ${found}. ${advice}`;
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

function admitIfAvailable(
  traffic: AppTraffic,
  key: CloudKey | undefined,
  { rest }: AppPath,
): Admitted | Refused {
  const { routed } = traffic;
  const refusal = refuseSleepRoute(routed, rest) ?? refuseUnavailable(routed, traffic.isOpen);
  return refusal === undefined ? { traffic, key } : { refusal, traffic, key };
}

/**
 * Refuses questions about requests of a deleted app, and submissions to a deleted or paused one. A failing app
 * may recover before a queued request's time is over.
 *
 * @param submitted path of a submission
 */
function refuseQueue(
  traffic: AppTraffic,
  key: CloudKey | undefined,
  submitted: AppPath | undefined,
): Admitted | Refused {
  const { routed } = traffic;
  const isRefused = routed.state === "deleted" || (submitted && routed.state === "paused");
  const refusal =
    (submitted && refuseSleepRoute(routed, submitted.rest)) ??
    (isRefused ? refuseUnavailable(routed, traffic.isOpen) : undefined);
  return refusal === undefined ? { traffic, key } : { refusal, traffic, key };
}

function notFound({ organisation, app }: AppPath): Refusal {
  return { type: "app_not_found", detail: `The app ${organisation}/${app} does not exist.` };
}
