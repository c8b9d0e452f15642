// Parses /organisation/app/rest from a request's target; the rest stays unchanged.
import { nameFault } from "../app-name.ts";

export interface AppPath {
  organisation: string;
  app: string;
  /** Path for the replica with its query; starts with a slash. */
  rest: string;
}

/**
 * `/organisation/app/rest`, also as sent to proxies, `http://host/organisation/app/rest`:
 * https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2
 */
const pattern = /^(?:https?:\/\/[^/?#]*)?\/([^/]*)\/([^/?]*)(.*)$/is;

/** @returns undefined if the target cannot name an app */
export function readAppPath(target: string): AppPath | undefined {
  const [, organisation = "", app = "", rest = ""] = pattern.exec(target) ?? [];
  if (nameFault("organisation", organisation) !== undefined) return undefined;
  if (nameFault("app", app) !== undefined) return undefined;
  return { organisation, app, rest: rest.startsWith("/") ? rest : `/${rest}` };
}

/** Path of a target without its query. */
export function withoutQuery(target: string): string {
  const mark = target.indexOf("?");
  return mark < 0 ? target : target.slice(0, mark);
}
