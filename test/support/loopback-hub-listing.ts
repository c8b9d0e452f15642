// A page of the loopback hub's list of files, in the form of huggingface.co's tree.
import { createHash } from "node:crypto";
import type { HubRepository } from "./loopback-hub.ts";

export interface ListedFile {
  path: string;
  size: number;
  /** Absent for a file that the hub keeps in git. */
  sha256?: string;
}

/** The page that the URL's cursor asks for, and the `Link` header that leads to the next. */
export function listingPage(
  files: readonly ListedFile[],
  url: URL,
  pageSize: number,
): { entries: object[]; link?: string } {
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const folders = new Set(sorted.flatMap(({ path }) => path.split("/").slice(0, -1)));
  const all = [
    ...[...folders].map((path) => ({ type: "directory", path, oid: oidOf(path), size: 0 })),
    ...sorted.map(({ path, size, sha256 }) => ({
      type: "file",
      path,
      oid: oidOf(path),
      size,
      ...(sha256 !== undefined && { lfs: { oid: sha256, size, pointerSize: 134 } }),
    })),
  ];
  const first = Number(url.searchParams.get("cursor") ?? 0);
  const entries = all.slice(first, first + pageSize);
  if (first + pageSize >= all.length) return { entries };
  // The hub names itself here, whatever address it was asked under.
  const next = new URL(url.pathname, "https://huggingface.co");
  next.search = url.search;
  next.searchParams.set("cursor", String(first + pageSize));
  return { entries, link: `<${next.href}>; rel="next"` };
}

/**
 * Search results of the hub: public and gated repositories of the wanted kind, sorted by one
 * figure.
 */
export function searchResults(
  repositories: Record<string, HubRepository>,
  query: URLSearchParams,
): object[] {
  const words = (query.get("search") ?? "").toLowerCase().split(" ");
  const author = query.get("author");
  const order = query.get("sort") ?? "";
  const figure = ({ facts = {} }: HubRepository) => String(facts[order] ?? "").padStart(24, "0");
  return Object.entries(repositories)
    .filter(([repo, { access, files }]) => {
      const isModel = Object.keys(files).some((path) => path.endsWith(".gguf"));
      const isWanted = query.get("filter") !== "gguf" || isModel;
      const isNamed = words.every((word) => repo.toLowerCase().includes(word));
      const isOfAuthor = author === null || repo.startsWith(`${author}/`);
      return access !== "private" && isWanted && isNamed && isOfAuthor;
    })
    .toSorted(([, one], [, other]) => (figure(one) < figure(other) ? 1 : -1))
    .slice(0, Number(query.get("limit") ?? 1000))
    .map(([repo, { access, files, facts = {} }]) => ({
      _id: oidOf(repo).slice(0, 24),
      id: repo,
      gated: access === "gated" ? "manual" : false,
      ...Object.fromEntries(
        Object.entries({ siblings: siblingsOf(files), ...facts }).filter(([name]) =>
          query.getAll("expand").includes(name),
        ),
      ),
    }));
}

function siblingsOf(files: HubRepository["files"]): object[] {
  return Object.keys(files).map((rfilename) => ({ rfilename }));
}

function oidOf(path: string): string {
  return createHash("sha1").update(path).digest("hex");
}
