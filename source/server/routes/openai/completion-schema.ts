// Shape of a completion request of the older API.
import { type Static, Type } from "typebox";
import { commonFields, samplingFields } from "./common-fields.ts";

export const CompletionBody = Type.Object({
  ...commonFields,
  ...samplingFields,
  prompt: Type.Optional(Type.Union([Type.String(), Type.Array(Type.Unknown())])),
  suffix: Type.Optional(Type.String()),
  echo: Type.Optional(Type.Boolean()),
  logprobs: Type.Optional(Type.Integer({ minimum: 0, maximum: 20 })),
  best_of: Type.Optional(Type.Integer({ minimum: 1 })),
});
export type CompletionBody = Static<typeof CompletionBody>;
