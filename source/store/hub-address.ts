// Converts an address copied from the hub's web pages to a model reference.

// Matches the page of a repository, of a file in it, or its download; the GGUF viewer names its
// file in the query.
const page = /^([^/:?#]+\/[^/:?#]+)(?:\/(?:tree\/main\/?)?)?(?:\?([^#]*))?(?:#.*)?$/;
const file = /^([^/:?#]+\/[^/:?#]+)\/(?:blob|resolve)\/main\/(?:[^?#]*\/)?([^/?#]+)(?:[?#].*)?$/;

/**
 * @param text the part after the hub's host
 * @returns `OWNER/REPO` or `OWNER/REPO:FILE`; the text itself when it is not a page's address
 */
export function nameOfPage(text: string): string {
  const [, repoOfFile, shown] = file.exec(text) ?? [];
  if (repoOfFile !== undefined && shown !== undefined) return `${repoOfFile}:${decoded(shown)}`;
  const [, repo, query] = page.exec(text) ?? [];
  if (repo === undefined) return text;
  const viewed = new URLSearchParams(query).get("show_file_info");
  return viewed === null ? repo : nameOfPage(`${repo}/blob/main/${encodeURI(viewed)}`);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
