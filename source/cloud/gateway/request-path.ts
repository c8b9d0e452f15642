// Parses /organisation/app/rest from a request's target; the rest stays unchanged.
import { nameFault } from "../app-name.ts";

export interface AppPath {
  organisation: string;
  app: string;
  /** Path for the replica with its query; starts with a slash. */
  rest: string;
}

/** @returns undefined if the target cannot name an app */
export function readAppPath(target: string): AppPath | undefined {
  const path = withoutOrigin(target);
  if (path.charCodeAt(0) !== slash) return undefined;
  const organisationEnd = path.indexOf("/", 1);
  if (organisationEnd < 0) return undefined;
  const organisation = path.slice(1, organisationEnd);
  const appEnd = endOfSegment(path, organisationEnd + 1);
  const app = path.slice(organisationEnd + 1, appEnd);
  if (!isLegal("organisation", organisation) || !isLegal("app", app)) return undefined;
  const rest = path.slice(appEnd);
  return { organisation, app, rest: rest.charCodeAt(0) === slash ? rest : `/${rest}` };
}

/** Path of a target without its query. */
export function withoutQuery(target: string): string {
  const mark = target.indexOf("?");
  return mark < 0 ? target : target.slice(0, mark);
}

const slash = 0x2f;
const questionMark = 0x3f;

function endOfSegment(path: string, begin: number): number {
  for (let index = begin; index < path.length; index += 1) {
    const code = path.charCodeAt(index);
    if (code === slash || code === questionMark) return index;
  }
  return path.length;
}

/** Accepts `GET http://host/path`, as sent to proxies: https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2 */
function withoutOrigin(target: string): string {
  if (target.charCodeAt(0) === slash) return target;
  const [, path] = /^https?:\/\/[^/?#]*(\/.*)$/i.exec(target) ?? [];
  return path ?? target;
}

function isLegal(kind: "organisation" | "app", name: string): boolean {
  return nameFault(kind, name) === undefined;
}
