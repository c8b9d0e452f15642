// Shapes of requests about models in the store, and the names in them.
import { type Static, Type } from "typebox";
import { ProductError, type ProductErrorDetails } from "../../../base/product-error.ts";
import { storeErrors } from "../../../store/errors.ts";
import type { ModelCatalog } from "../../../store/model-catalog.ts";
import type { ModelName } from "../../../store/model-reference.ts";
import { invalidField } from "../../errors.ts";

const named = {
  model: Type.Optional(Type.String()),
  /** Older name of `model`. */
  name: Type.Optional(Type.String()),
};
const streamed = { ...named, stream: Type.Optional(Type.Boolean()) };

/** Returns `model` or the older `name`; empty when neither is given. */
export function nameIn({ model, name }: { model?: string; name?: string }): string {
  return model || name || "";
}

export const DeleteBody = Type.Object({
  ...named,
  /** Ours: a dry run that reports what would be freed. */
  dry_run: Type.Optional(Type.Boolean()),
});
export type DeleteBody = Static<typeof DeleteBody>;

export const CopyBody = Type.Object({
  source: Type.Optional(Type.String()),
  destination: Type.Optional(Type.String()),
});
export type CopyBody = Static<typeof CopyBody>;

export const ShowBody = Type.Object({
  ...named,
  verbose: Type.Optional(Type.Boolean()),
  /** These two only change the Modelfile. */
  system: Type.Optional(Type.String()),
  options: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});
export type ShowBody = Static<typeof ShowBody>;

/** `insecure` has no effect: the hub's address is a setting. */
export const TransferBody = Type.Object(streamed);
export type TransferBody = Static<typeof TransferBody>;

/** A relative path, and the digest of its content's blob. */
const Files = Type.Record(Type.String(), Type.String());

export const CreateBody = Type.Object({
  ...streamed,
  from: Type.Optional(Type.String()),
  files: Type.Optional(Files),
  adapters: Type.Optional(Files),
  draft_files: Type.Optional(Files),
  template: Type.Optional(Type.String()),
  system: Type.Optional(Type.String()),
  license: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())])),
  parameters: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  messages: Type.Optional(Type.Array(Type.Object({ role: Type.String(), content: Type.String() }))),
  quantize: Type.Optional(Type.String()),
  renderer: Type.Optional(Type.String()),
  parser: Type.Optional(Type.String()),
  requires: Type.Optional(Type.String()),
  /** The whole definition as a Modelfile, in place of the fields above. */
  modelfile: Type.Optional(Type.String()),
});
export type CreateBody = Static<typeof CreateBody>;

/**
 * Parses the name of a model in the store.
 *
 * @param refusal in the words that clients of Ollama look for
 * @throws ProductError `STORE_NAME_INVALID`
 */
export function parseStoredName(
  catalog: ModelCatalog,
  text: string,
  refusal: ProductErrorDetails,
): ModelName {
  try {
    const parsed = catalog.parse(text);
    if (parsed.kind === "name") return parsed.name;
  } catch (error) {
    const isName = error instanceof ProductError && error.code === storeErrors.nameInvalid.code;
    if (!isName) throw error;
  }
  throw new ProductError(storeErrors.nameInvalid, refusal);
}

/** @throws ProductError `STORE_NAME_INVALID`, `SERVER_FIELD_INVALID` for a path */
export function parseNewName(catalog: ModelCatalog, text: string): ModelName {
  const parsed = catalog.parse(text);
  if (parsed.kind === "name") return parsed.name;
  throw invalidField("model", "invalid model name: it must not be a path.");
}
