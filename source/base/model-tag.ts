// The tag that goes without saying.

/** A model's name as people type it: `tiny` for `tiny:latest`. Every screen and message uses it. */
export function shownModel(name: string): string {
  return name.replace(/:latest$/i, "");
}
