// Shape of an embedding request.
import { type Static, Type } from "typebox";

export const EmbeddingBody = Type.Object({
  model: Type.String(),
  input: Type.Optional(Type.Union([Type.String(), Type.Array(Type.Unknown())])),
  dimensions: Type.Optional(Type.Integer({ minimum: 1 })),
  encoding_format: Type.Optional(Type.String()),
  // Extensions: as on the native API.
  truncate: Type.Optional(Type.Boolean()),
  keep_alive: Type.Optional(Type.Union([Type.String(), Type.Number()])),
  options: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});
export type EmbeddingBody = Static<typeof EmbeddingBody>;
