// The parts of a model that this engine ignores: kept for other programs, and reported.

/** Ends a sentence that names it. */
export const keptWithoutEffect = {
  renderer:
    "is kept, but has no effect here: prompts follow the TEMPLATE, or the model's own template.",
  parser: "is kept, but has no effect here: the template decides how answers are parsed.",
  typicalP: "is kept, but has no effect here: this engine has no such sampler; min_p is similar.",
} as const;
