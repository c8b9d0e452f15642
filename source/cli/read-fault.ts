// Why a file that a person named cannot be read, in words.

const reasons: Record<string, string> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EISDIR: "it is a folder",
  EACCES: "this user may not read it",
};

/** @param error of a reading of the file; without the name of the file, which the caller says */
export function readFault(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
  return (code && reasons[code]) ?? `the system says ${code ?? error}`;
}
