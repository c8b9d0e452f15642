// Explains why a file cannot be read.

const reasons: Record<string, string> = {
  ENOENT: "no such file",
  ENOTDIR: "no such file",
  EISDIR: "is a folder",
  EACCES: "permission denied",
};

/** @param error of a reading of the file; without the name of the file, which the caller says */
export function readFault(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
  return (code && reasons[code]) ?? String(code ?? error);
}
