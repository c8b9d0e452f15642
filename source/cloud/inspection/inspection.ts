// Result of inspecting a script: the document of `deployctl inspect --json`, and the others that the
// Python files print.
import { type Static, Type } from "typebox";

const InspectionWarning = Type.Object({
  /** Stable, such as `image_ignored`. */
  code: Type.String(),
  sentence: Type.String(),
  line: Type.Optional(Type.Integer()),
  /** Unset variable that the warning is about. */
  variable: Type.Optional(Type.String()),
});
export type InspectionWarning = Static<typeof InspectionWarning>;

/** Settings of the script's container image. */
const Image = Type.Object({
  /** Base image, such as `vllm/vllm-openai:v0.15.1`. */
  base: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  env: Type.Record(Type.String(), Type.String()),
  pip: Type.Array(Type.String()),
  /** Instructions without effect. */
  ignored: Type.Array(Type.String()),
  /** Names of its variables that look secret and are not used. */
  secrets: Type.Optional(Type.Array(Type.String())),
});

/** Variable that the script reads, with its current value. */
const ReadVariable = Type.Object({
  name: Type.String(),
  /** Module beside the script that reads it; absent: the script itself. */
  file: Type.Optional(Type.String()),
  line: Type.Optional(Type.Integer()),
  /** Absent when unset or secret. */
  value: Type.Optional(Type.String()),
  default: Type.Optional(Type.String()),
  /** True for a name that looks secret; the value is never part of this document. */
  secret: Type.Optional(Type.Boolean()),
  /** True when it is set. */
  set: Type.Optional(Type.Boolean()),
  /** True when it is unset and the script fails without it. */
  required: Type.Optional(Type.Boolean()),
  /** True when it is unset and no read of it has a default. */
  missing: Type.Optional(Type.Boolean()),
});
export type ReadVariable = Static<typeof ReadVariable>;

const facts = {
  /** Name after `::`. */
  target: Type.String(),
  /** Kind of the decorated object. */
  kind: Type.Union([Type.Literal("function"), Type.Literal("app")]),
  /** Library of its decorator. */
  dialect: Type.Union([
    Type.Literal("fal"),
    Type.Literal("deployctl"),
    Type.Literal("modal"),
    Type.Literal("none"),
  ]),
  line: Type.Integer(),
  /** Keywords of the decorator in snake case, evaluated to JSON values. */
  config: Type.Record(Type.String(), Type.Unknown()),
  /** Keywords whose values are only known by running the script. */
  dynamic: Type.Array(Type.String()),
  /** Top-level imports missing on this machine, which the sandboxed run replaced by stubs. */
  stubbed: Type.Array(Type.String()),
  image: Type.Optional(Image),
  warnings: Type.Array(InspectionWarning),
};

export const Inspection = Type.Object({
  schema: Type.Literal(1),
  ...facts,
  /** Environment variables that the script reads. */
  env_read: Type.Array(ReadVariable),
  /** Programs that the script runs. */
  executables: Type.Array(Type.String()),
  /** Arguments of the first program it runs, as far as they are constant: ["vllm", "serve", …]. */
  command: Type.Array(Type.String()),
  /**
   * Files that the replica needs, relative to the script's folder, with slashes; the script first.
   */
  files: Type.Array(Type.String()),
  /** Endpoints of an app, with an HTTP method or "WebSocket". */
  endpoints: Type.Optional(Type.Array(Type.Object({ path: Type.String(), method: Type.String() }))),
});
export type Inspection = Static<typeof Inspection>;

/** Findings from running a script's top level. */
export const Findings = Type.Object(facts);

/** Reason why a script cannot be inspected. */
export const Problem = Type.Object({
  kind: Type.String(),
  sentence: Type.String(),
  hint: Type.Union([Type.String(), Type.Null()]),
  file: Type.Union([Type.String(), Type.Null()]),
  line: Type.Union([Type.Integer(), Type.Null()]),
  text: Type.Union([Type.String(), Type.Null()]),
});
export type Problem = Static<typeof Problem>;

/** Printed when nothing was run, because the system has no sandbox. */
export const Unenforced = Type.Object({ unenforced: Type.String() });
