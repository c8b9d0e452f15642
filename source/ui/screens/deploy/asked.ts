// Something that is asked for in the background: on its way, here, or failed.

export type Asked<T> =
  | { readonly kind: "none" }
  | { readonly kind: "waiting"; readonly about: string }
  | { readonly kind: "here"; readonly about: string; readonly value: T }
  | { readonly kind: "failed"; readonly about: string; readonly sentence: string };

export const notAsked = { kind: "none" } as const;

/** What came; undefined as long as nothing has. */
export function arrived<T>(asked: Asked<T>): T | undefined {
  return asked.kind === "here" ? asked.value : undefined;
}

/** Whether it was asked about this very thing, whatever came of it. */
export function isAbout(asked: Asked<unknown>, about: string): boolean {
  return asked.kind !== "none" && asked.about === about;
}
