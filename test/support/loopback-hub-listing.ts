// A page of the loopback hub's list of files, in the form of huggingface.co's tree.
import { createHash } from "node:crypto";

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

function oidOf(path: string): string {
  return createHash("sha1").update(path).digest("hex");
}
