// Schemas of the documents that our Python files print.
import { Type } from "typebox";

const Warning = Type.Object({
  code: Type.String(),
  sentence: Type.String(),
  line: Type.Optional(Type.Integer()),
  variable: Type.Optional(Type.String()),
});

const Image = Type.Object({
  base: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  env: Type.Record(Type.String(), Type.String()),
  pip: Type.Array(Type.String()),
  ignored: Type.Array(Type.String()),
  secrets: Type.Optional(Type.Array(Type.String())),
});

const Variable = Type.Object({
  name: Type.String(),
  file: Type.Optional(Type.String()),
  line: Type.Optional(Type.Integer()),
  value: Type.Optional(Type.String()),
  default: Type.Optional(Type.String()),
  secret: Type.Optional(Type.Boolean()),
  set: Type.Optional(Type.Boolean()),
  required: Type.Optional(Type.Boolean()),
});

const facts = {
  target: Type.String(),
  kind: Type.Union([Type.Literal("function"), Type.Literal("app")]),
  dialect: Type.Union([
    Type.Literal("fal"),
    Type.Literal("deployctl"),
    Type.Literal("modal"),
    Type.Literal("none"),
  ]),
  line: Type.Integer(),
  config: Type.Record(Type.String(), Type.Unknown()),
  dynamic: Type.Array(Type.String()),
  stubbed: Type.Array(Type.String()),
  image: Type.Optional(Image),
  warnings: Type.Array(Warning),
};

export const InspectionSchema = Type.Object({
  schema: Type.Literal(1),
  ...facts,
  env_read: Type.Array(Variable),
  executables: Type.Array(Type.String()),
  command: Type.Array(Type.String()),
  files: Type.Array(Type.String()),
  endpoints: Type.Optional(Type.Array(Type.Object({ path: Type.String(), method: Type.String() }))),
});

/** Findings from running a script's top level. */
export const FindingsSchema = Type.Object(facts);

export const ProblemSchema = Type.Object({
  kind: Type.String(),
  sentence: Type.String(),
  hint: Type.Union([Type.String(), Type.Null()]),
  file: Type.Union([Type.String(), Type.Null()]),
  line: Type.Union([Type.Integer(), Type.Null()]),
  text: Type.Union([Type.String(), Type.Null()]),
});

/** Answer when nothing was run, because the system has no sandbox. */
export const UnenforcedSchema = Type.Object({ unenforced: Type.String() });
