// What is wrong with a template and where, and the sentence a person reads about it.
import { ProductError } from "../../base/product-error.ts";
import { promptErrors } from "../errors.ts";

/** Thrown while a template is read or run; who runs it knows the place when the thrower does not. */
export class TemplateFault extends Error {
  /** Index into the template's text. */
  readonly offset: number | undefined;

  constructor(message: string, offset?: number) {
    super(message);
    this.offset = offset;
  }
}

const longestExcerpt = 40;

/**
 * @param doing what failed, as in "cannot be read"
 * @returns `PROMPT_TEMPLATE_INVALID` with line, column and the text at fault
 */
export function invalidTemplate(source: string, fault: TemplateFault, doing: string): ProductError {
  const offset = Math.min(fault.offset ?? 0, source.length);
  const before = source.slice(0, offset);
  const line = before.split("\n").length;
  const column = [...before.slice(before.lastIndexOf("\n") + 1)].length + 1;
  const rest = /^[^\n]*/.exec(source.slice(offset))?.[0] ?? "";
  const characters = [...rest.trimEnd()];
  const excerpt =
    characters.length > longestExcerpt
      ? `${characters.slice(0, longestExcerpt).join("")}...`
      : characters.join("");
  const near = excerpt === "" ? "" : `, at \`${excerpt}\``;
  const looksLikeJinja = /\{%/.test(source);
  return new ProductError(promptErrors.templateInvalid, {
    message: `The TEMPLATE ${doing} (line ${line}, column ${column}${near}): ${fault.message}.`,
    hint: looksLikeJinja
      ? "It looks like a Jinja template; TEMPLATE takes Go's template language."
      : "Correct the TEMPLATE, or leave it out to use the model's own.",
    cause: fault,
  });
}
