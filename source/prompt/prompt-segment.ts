// Piece of a prompt: either the template's own text or untrusted text.

/**
 * Text with `special` true may become control tokens (the template wrote it); text with `special`
 * false is always tokenised as plain text, whatever it looks like.
 */
export interface PromptSegment {
  text: string;
  special: boolean;
  /**
   * Index of the image at this place, among all images of the conversation. The text is then not part
   * of the prompt; it shows the place to people.
   */
  image?: number;
}
