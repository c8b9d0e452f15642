// How deep a template in Go's language may nest.

/** Blocks and parentheses inside one another. */
export const deepestNesting = 200;
/** `template` inside `template`, and values inside values. */
export const deepestCalls = 200;
