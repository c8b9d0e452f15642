// Caller of an admin request and its access: the user over the socket, or the holder of an admin key,
// which covers the whole server for the server's own organisation, and otherwise one organisation.
import type { IncomingMessage } from "node:http";
import { ProductError } from "../../base/product-error.ts";
import { checkName } from "../app-name.ts";
import { cloudErrors } from "../errors.ts";
import { type AppKey, appName } from "../state/app-records.ts";

/** Key that authorised a request. */
export interface Caller {
  keyId: string;
  organisation: string;
}

const callers = new WeakMap<IncomingMessage, Caller>();

export function noteCaller(request: IncomingMessage, caller: Caller): void {
  callers.set(request, caller);
}

/** @returns undefined for the user who owns the socket */
export function callerOf(request: IncomingMessage): Caller | undefined {
  return callers.get(request);
}

/** Access check that hides other organisations as if they did not exist. */
export class Access {
  /** Organisation of names that have none. */
  readonly organisation: string;
  /** True for access to the server itself and to every organisation on it. */
  readonly isServerWide: boolean;

  constructor(caller: Caller | undefined, ownOrganisation: string) {
    this.organisation = caller?.organisation ?? ownOrganisation;
    this.isServerWide = this.organisation === ownOrganisation;
  }

  covers({ organisation }: { organisation: string }): boolean {
    return this.isServerWide || organisation === this.organisation;
  }

  /**
   * Resolves `org/app` or `app`.
   *
   * @throws ProductError `CLOUD_NAME_INVALID`, `CLOUD_APP_UNKNOWN`
   */
  app(text: string): AppKey {
    const key = readAppReference(text, this.organisation);
    if (this.covers(key)) return key;
    throw new ProductError(cloudErrors.appUnknown, {
      message: `App ${appName(key)} does not exist.`,
      hint: "Run `deployctl apps list` to see all apps.",
    });
  }

  /**
   * Returns the organisation in which to create something.
   *
   * @throws ProductError `CLOUD_NAME_INVALID`, `CLOUD_KEY_TOO_WEAK`
   */
  organisationFor(wanted: string | undefined): string {
    const organisation = checkName("organisation", wanted ?? this.organisation);
    if (this.covers({ organisation })) return organisation;
    throw this.#tooWeak(`the organisation ${organisation}`);
  }

  /** @throws ProductError `CLOUD_KEY_TOO_WEAK` */
  requireServerAccess(): void {
    if (!this.isServerWide) throw this.#tooWeak("the server itself");
  }

  #tooWeak(what: string): ProductError {
    return new ProductError(cloudErrors.keyTooWeak, {
      message: `This key gives access to the apps and keys of ${this.organisation}, not to ${what}.`,
      hint: "Use an admin key of the server's own organisation, or run the command on the server.",
    });
  }
}

/** @param raw the incoming request */
export function accessOf(
  { raw }: { raw: IncomingMessage },
  { organisation }: { organisation: string },
): Access {
  return new Access(callerOf(raw), organisation);
}

/**
 * Reads `org/app`, or `app` of the given organisation.
 *
 * @throws ProductError `CLOUD_NAME_INVALID`
 */
function readAppReference(text: string, organisation: string): AppKey {
  const slash = text.indexOf("/");
  if (slash < 0) return { organisation, app: checkName("app", text) };
  return {
    organisation: checkName("organisation", text.slice(0, slash)),
    app: checkName("app", text.slice(slash + 1)),
  };
}
