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
  /** Environment variables that the script reads. */
  env_read: ReadVariable[];
  /** Programs that it calls. */
  executables: string[];
  /** The first argument list that it calls, as far as it folds: ["vllm", "serve", …]. */
  command: string[];
  /** Top-level imports that this machine lacks and guarded execution replaced. */
  stubbed: string[];
  /** What a container image of the script sets. */
  image?: {
    /** Such as `vllm/vllm-openai:v0.15.1`. */
    base?: string | null;
    env: Record<string, string>;
    pip: string[];
    ignored: string[];
    /** Names of its variables that are secret by their names, and are not taken. */
    secrets?: string[];
  };
  /** What the replica needs, relative to the script's folder, with slashes; the script first. */
  files: string[];
  /** The paths of an app's endpoints. */
  endpoints?: { path: string; method: "POST" | "WebSocket" }[];
  warnings: InspectionWarning[];
}

/** A variable that the script reads, with what it is now. */
export interface ReadVariable {
  name: string;
  line?: number;
  /** Absent: unset, or a secret. */
  value?: string;
  default?: string;
  /** By its name its value is one: it is never part of this document. */
  secret?: boolean;
  /** Whether it has a value now. */
  set?: boolean;
  /** The script fails without it, and it is unset. */
  required?: boolean;
}

export interface InspectionWarning {
  /** Stable, such as `image_ignored`. */
  code: string;
  sentence: string;
  line?: number;
}
