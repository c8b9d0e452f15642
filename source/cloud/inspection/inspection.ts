// What reading a script finds: the document of `deployctl inspect --json`.

export interface Inspection {
  schema: 1;
  /** The name behind `::`. */
  target: string;
  /** What the decorated object is. */
  kind: "function" | "app" | "modal-function" | "modal-cls";
  /** Which library's decorator it has. */
  dialect: "fal" | "deployctl" | "modal" | "none";
  line: number;
  /** The decorator's keywords in snake case, folded to JSON values. */
  config: Record<string, unknown>;
  /** Keywords whose values only running the script can tell. */
  dynamic: string[];
  /** Environment variables that the script reads, and their values now (absent: unset). */
  env_read: { name: string; value?: string; default?: string }[];
  /** Programs that it calls. */
  executables: string[];
  /** The first argument list that it calls, as far as it folds: ["vllm", "serve", …]. */
  command: string[];
  /** Top-level imports that this machine lacks and guarded execution replaced. */
  stubbed: string[];
  /** What a container image of the script sets. */
  image?: { env: Record<string, string>; pip: string[]; ignored: string[] };
  warnings: { code: string; sentence: string; line?: number }[];
}
