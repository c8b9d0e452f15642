// A value that a screen reads in the background, and its three states.

import { describeError } from "../../base/product-error.ts";

export type Loadable<T> =
  | { readonly kind: "loading" }
  | { readonly kind: "loaded"; readonly value: T }
  | { readonly kind: "failed"; readonly sentence: string };

/** Returns the value; undefined until it is loaded. */
export function loadedValue<T>(loadable: Loadable<T> | undefined): T | undefined {
  return loadable?.kind === "loaded" ? loadable.value : undefined;
}

/** Reads the value, and returns it or why that failed. Never rejects. */
export async function load<T>(read: () => Promise<T> | T): Promise<Loadable<T>> {
  try {
    return { kind: "loaded", value: await read() };
  } catch (error) {
    return { kind: "failed", sentence: describeError(error) };
  }
}
