// The models that ship with the program.
import path from "node:path";
import { packageFolder } from "../base/package-facts.ts";
import { ProductError } from "../base/product-error.ts";
import { storeErrors } from "./errors.ts";
import type { ModelParameters } from "./model-parameters.ts";
import { isSameName, type ModelName, parseModelReference } from "./model-reference.ts";

export interface BuiltInModel {
  name: string;
  file: string;
  parameters: ModelParameters;
  /** What it can do. */
  card: string;
  /** Sample questions that it answers well. */
  examples: readonly string[];
}

export const builtInModels: readonly BuiltInModel[] = [
  {
    name: "tiny",
    file: path.join(packageFolder(), "media", "models", "tiny-chat.gguf"),
    parameters: { temperature: 0 },
    card:
      "A test model of one million parameters: it knows 36 capitals, sums up to 9 + 9, counting, " +
      "repeating, and names you tell it, in English. It knows nothing else.",
    examples: ["What is the capital of France?", "Count from 1 to 10.", "Write a poem."],
  },
];

/** The built-in model of that name, in any letter case. */
export function findBuiltInModel(
  name: ModelName,
  models: readonly BuiltInModel[] = builtInModels,
): BuiltInModel | undefined {
  return models.find((model) => {
    const own = parseModelReference(model.name);
    return own.kind === "name" && isSameName(own.name, name);
  });
}

/** @throws ProductError `STORE_MODEL_READ_ONLY` */
export function refuseBuiltInName(name: ModelName, doing: string, hint: string): void {
  if (findBuiltInModel(name) === undefined) return;
  throw new ProductError(storeErrors.modelReadOnly, {
    message: `The model '${name.display}' is built in and cannot be ${doing}.`,
    hint,
    param: "model",
  });
}
