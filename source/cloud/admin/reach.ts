// How far a caller's commands reach: the whole server for its own organisation, else one organisation.
import type { IncomingMessage } from "node:http";
import { ProductError } from "../../base/product-error.ts";
import { checkName } from "../app-name.ts";
import { cloudErrors } from "../errors.ts";
import { type AppKey, appName } from "../state/app-records.ts";
import { type Caller, callerOf } from "./caller.ts";
import { readAppReference } from "./read-query.ts";

/** What belongs to other organisations looks as if it were not there. */
export class Reach {
  /** Of names without one. */
  readonly organisation: string;
  /** Whether the server itself is commanded too, and every organisation on it. */
  readonly isWhole: boolean;

  constructor(caller: Caller | undefined, ownOrganisation: string) {
    this.organisation = caller?.organisation ?? ownOrganisation;
    this.isWhole = this.organisation === ownOrganisation;
  }

  covers({ organisation }: { organisation: string }): boolean {
    return this.isWhole || organisation === this.organisation;
  }

  /**
   * `org/app`, or `app` alone.
   *
   * @throws ProductError `CLOUD_NAME_INVALID`, `CLOUD_APP_UNKNOWN`
   */
  app(text: string): AppKey {
    const key = readAppReference(text, this.organisation);
    if (this.covers(key)) return key;
    throw new ProductError(cloudErrors.appUnknown, {
      message: `The app ${appName(key)} is not known here.`,
      hint: "deployctl apps list shows those there are.",
    });
  }

  /**
   * Where something new is to belong.
   *
   * @throws ProductError `CLOUD_NAME_INVALID`, `CLOUD_KEY_TOO_WEAK`
   */
  organisationFor(wanted: string | undefined): string {
    const organisation = checkName("organisation", wanted ?? this.organisation);
    if (this.covers({ organisation })) return organisation;
    throw this.#tooWeak(`what belongs to ${organisation}`);
  }

  /** @throws ProductError `CLOUD_KEY_TOO_WEAK` */
  checkWhole(): void {
    if (!this.isWhole) throw this.#tooWeak("the server itself");
  }

  #tooWeak(what: string): ProductError {
    return new ProductError(cloudErrors.keyTooWeak, {
      message: `The key commands the apps and keys of ${this.organisation}, and not ${what}.`,
      hint: "That takes an admin key of the server's own organisation, or its machine.",
    });
  }
}

/** @param raw the request as it came */
export function reachOf(
  { raw }: { raw: IncomingMessage },
  { organisation }: { organisation: string },
): Reach {
  return new Reach(callerOf(raw), organisation);
}
