// A piece of a prompt: either the template's own text or text that came from outside.

/**
 * Text with `special` true may become control tokens (the template wrote it); text with `special`
 * false is always tokenised as plain text, whatever it looks like.
 */
export interface PromptSegment {
  text: string;
  special: boolean;
}
