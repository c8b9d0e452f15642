// What a model can be made with and this engine does not follow: kept for others, and told.

/** Ends a sentence that names it. */
export const keptWithoutEffect = {
  renderer:
    "is kept, but has no effect here: prompts follow the TEMPLATE, or the model's own template.",
  parser: "is kept, but has no effect here: how answers are read follows from the template.",
  typicalP: "is kept, but has no effect here: there is no such sampler; min_p does a similar job.",
} as const;
