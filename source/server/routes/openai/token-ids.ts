// Token ids of the model in place of a text.
import { invalidField } from "../../errors.ts";

/** Tells if a list holds token ids, not texts or lists. */
export function isTokenList(value: unknown): value is [number, ...unknown[]] {
  return Array.isArray(value) && typeof value[0] === "number";
}

/**
 * @param param names the list in an error
 * @throws ProductError `SERVER_FIELD_INVALID` for an unknown token
 */
export function readTokens(
  values: readonly unknown[],
  param: string,
  vocabularySize: number,
): number[] {
  return values.map((value, index) => {
    const isToken = typeof value === "number" && Number.isInteger(value);
    if (isToken && value >= 0 && value < vocabularySize) return value;
    throw invalidField(
      `${param}.${index}`,
      `'${param}.${index}' is ${JSON.stringify(value)}, but must be a token of the model, from 0 to ${vocabularySize - 1}.`,
    );
  });
}
