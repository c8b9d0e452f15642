// Result of inspecting a script: the document of `deployctl inspect --json`.

export interface Inspection {
  schema: 1;
  /** Name after `::`. */
  target: string;
  /** Kind of the decorated object. */
  kind: "function" | "app";
  /** Library of its decorator. */
  dialect: "fal" | "deployctl" | "modal" | "none";
  line: number;
  /** Keywords of the decorator in snake case, evaluated to JSON values. */
  config: Record<string, unknown>;
  /** Keywords whose values are only known by running the script. */
  dynamic: string[];
  /** Environment variables that the script reads. */
  env_read: ReadVariable[];
  /** Programs that the script runs. */
  executables: string[];
  /** Arguments of the first program it runs, as far as they are constant: ["vllm", "serve", …]. */
  command: string[];
  /** Top-level imports missing on this machine, which the sandboxed run replaced by stubs. */
  stubbed: string[];
  /** Settings of the script's container image. */
  image?: {
    /** Base image, such as `vllm/vllm-openai:v0.15.1`. */
    base?: string | null;
    env: Record<string, string>;
    pip: string[];
    ignored: string[];
    /** Names of its variables that look secret and are not used. */
    secrets?: string[];
  };
  /**
   * Files that the replica needs, relative to the script's folder, with slashes; the script first.
   */
  files: string[];
  /** Endpoints of an app, with an HTTP method or "WebSocket". */
  endpoints?: { path: string; method: string }[];
  warnings: InspectionWarning[];
}

/** Variable that the script reads, with its current value. */
export interface ReadVariable {
  name: string;
  /** Module beside the script that reads it; absent: the script itself. */
  file?: string;
  line?: number;
  /** Absent when unset or secret. */
  value?: string;
  default?: string;
  /** True for a name that looks secret; the value is never part of this document. */
  secret?: boolean;
  /** True when it is set. */
  set?: boolean;
  /** True when it is unset and the script fails without it. */
  required?: boolean;
}

export interface InspectionWarning {
  /** Stable, such as `image_ignored`. */
  code: string;
  sentence: string;
  line?: number;
  /** Variable that would mend it. */
  variable?: string;
}
