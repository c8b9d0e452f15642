// Nesting limits of templates in Go's language.

/** Nested blocks and parentheses. */
export const deepestNesting = 200;
/** Nested `template` calls and nested values. */
export const deepestCalls = 200;
