// Reads the version of a REQUIRES line.

const identifier = "[0-9A-Za-z-]+";
const preRelease = "(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)";
const number = "(?:0|[1-9]\\d*)";
const version = new RegExp(
  `^${number}(?:\\.${number}(?:\\.${number}(?:-${preRelease}(?:\\.${preRelease})*)?(?:\\+${identifier}(?:\\.${identifier})*)?)?)?$`,
);

/**
 * A semantic version without its `v`, or undefined when the text is none. As in Go's
 * `golang.org/x/mod/semver`, `1` and `1.2` are versions too.
 */
export function readVersion(text: string): string | undefined {
  const bare = text.startsWith("v") ? text.slice(1) : text;
  return version.test(bare) ? bare : undefined;
}
