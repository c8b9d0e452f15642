// A piece of a prompt: either the template's own text or text that came from outside.

/**
 * Text with `special` true may become control tokens (the template wrote it); text with `special`
 * false is always tokenised as plain text, whatever it looks like.
 */
export interface PromptSegment {
  text: string;
  special: boolean;
  /**
   * An image stands here: its place among all images of the conversation, from 0. The text is no part
   * of the prompt then; it shows the place to people.
   */
  image?: number;
}
