// Access control: checks the app, the key, its scope and its rate limit.
import type { Clock } from "../../base/clock.ts";
import { FailedAttempts } from "../../keys/failed-attempts.ts";
import { RequestBudget } from "../../keys/request-budget.ts";
import { type CloudKey, type KeyVerifier, keyCovers } from "../keys/cloud-key.ts";
import type { AppTraffic } from "./app-traffic.ts";
import { refuseUnavailable } from "./app-unavailable.ts";
import type { Refusal } from "./refusals.ts";
import type { RequestHead } from "./request-head.ts";
import type { AppPath } from "./request-path.ts";
import type { RoutingTable } from "./routing-table.ts";

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
  readonly #clock: Clock;
  readonly #log: (text: string) => void;
  readonly #failures: FailedAttempts;
  /** Keyed by requests per minute. */
  readonly #budgets = new Map<number, RequestBudget>();

  constructor(
    table: RoutingTable,
    keys: KeyVerifier,
    options: { clock: Clock; log: (text: string) => void },
  ) {
    this.#table = table;
    this.#keys = keys;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#failures = new FailedAttempts(options.clock);
  }

  /** Treats an unknown app like a private one for callers without a valid key. */
  admit(path: AppPath, caller: Caller): Admitted | Refused {
    const traffic = this.#table.find(path.organisation, path.app);
    let key: CloudKey | undefined;
    if (traffic === undefined || traffic.routed.auth !== "public") {
      const identified = this.#identify(caller, `${path.organisation}/${path.app}`);
      if ("refusal" in identified) return { ...identified, traffic, key };
      key = identified.key;
      const isForeign = key.organisation !== path.organisation;
      if (traffic === undefined || (isForeign && traffic.routed.auth === "private")) {
        return { refusal: notFound(path), traffic: undefined, key };
      }
      const refusal = this.#refuseKey(key, path, caller.method);
      if (refusal !== undefined) return { refusal, traffic, key };
    }
    const refusal = refuseUnavailable(traffic.routed, traffic.isOpen);
    return refusal === undefined ? { traffic, key } : { refusal, traffic, key };
  }

  /** Returns the caller's key, regardless of its scope. */
  identify(caller: Caller): CloudKey | undefined {
    const identified = this.#identify(caller, "deployctl");
    return "key" in identified ? identified.key : undefined;
  }

  #identify({ head, address }: Caller, realm: string): Identified {
    if (head.authorizationCount > 1) {
      const detail = "The request has more than one Authorization header. Send exactly one.";
      return { refusal: { type: "bad_request", detail } };
    }
    const challenge = ["WWW-Authenticate", `Key realm="${realm}"`];
    const { authorization } = head;
    if (authorization === undefined) {
      const detail = `This app requires a key. ${howToSend}`;
      return { refusal: { type: "auth_missing", detail, headers: challenge } };
    }
    if (!authorization.startsWith(scheme)) {
      const detail = `The Authorization header does not use the scheme Key. ${howToSend}`;
      return { refusal: { type: "auth_scheme", detail, headers: challenge } };
    }
    const key = this.#keys.verify(authorization.slice(scheme.length));
    return key === undefined ? { refusal: this.#refuseToken(address, challenge) } : { key };
  }

  /** Gives the same refusal for mistyped, unknown, revoked and expired keys. */
  #refuseToken(address: string, headers: string[]): Refusal {
    const { isNews, unreported, waitMs } = this.#failures.note(address);
    if (isNews) {
      const more = unreported > 0 ? `, and ${unreported} more since the last report` : "";
      this.#log(`request from ${address} without a valid key${more}`);
    }
    if (waitMs > 0) {
      return {
        type: "rate_limited",
        detail: "Too many requests without a valid key from this address. Try again later.",
        retryAfterSeconds: waitMs / 1000,
      };
    }
    const detail = "The key is invalid, unknown, revoked or expired.";
    return { type: "auth_invalid", detail, headers };
  }

  #refuseKey(key: CloudKey, path: AppPath, method: string): Refusal | undefined {
    const name = `${path.organisation}/${path.app}`;
    if (!keyCovers(key, { ...path, method })) {
      const what = key.scope === "api:read" ? `${method} requests to ${name}` : name;
      const detail = `The scope or the apps of the key ${key.id} do not allow ${what}.`;
      return { type: "auth_forbidden", detail };
    }
    if (key.requestsPerMinute === undefined) return undefined;
    const waitMs = this.#budget(key.requestsPerMinute).take(key.id);
    if (waitMs === 0) return undefined;
    return {
      type: "rate_limited",
      detail: `The key ${key.id} is limited to ${key.requestsPerMinute} requests per minute.`,
      retryAfterSeconds: waitMs / 1000,
    };
  }

  #budget(perMinute: number): RequestBudget {
    const known = this.#budgets.get(perMinute);
    if (known !== undefined) return known;
    const budget = new RequestBudget(perMinute, this.#clock);
    this.#budgets.set(perMinute, budget);
    return budget;
  }
}

function notFound({ organisation, app }: AppPath): Refusal {
  return { type: "app_not_found", detail: `The app ${organisation}/${app} does not exist.` };
}
