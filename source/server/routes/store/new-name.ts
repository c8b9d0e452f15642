// Reads the name of a model to be created.
import type { ModelCatalog } from "../../../store/model-catalog.ts";
import type { ModelName } from "../../../store/model-reference.ts";
import { invalidField } from "../../errors.ts";

/** @throws ProductError `STORE_NAME_INVALID`, `SERVER_FIELD_INVALID` for a path */
export function parseNewName(catalog: ModelCatalog, text: string): ModelName {
  const parsed = catalog.parse(text);
  if (parsed.kind === "name") return parsed.name;
  throw invalidField("model", "invalid model name: it must not be a path.");
}
