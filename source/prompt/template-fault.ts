// Faults of templates, with their place.
import { ProductError } from "../base/product-error.ts";
import { promptErrors } from "./errors.ts";

/** Thrown while a template is parsed or run. If the place is unknown, it is added further up. */
export class TemplateFault extends Error {
  /** Index into the template's text. */
  offset: number | undefined;

  constructor(message: string, offset?: number) {
    super(message);
    this.offset = offset;
  }
}

/** Thrown when a template exceeds its time or memory. */
export class BudgetFault extends TemplateFault {}

/** @param what names the template and the place where it was stopped */
export function tooCostly(what: string, fault: BudgetFault): ProductError {
  return new ProductError(promptErrors.templateTooCostly, {
    message: `${what} was stopped: ${fault.message}.`,
    hint: "Correct the template, send a shorter conversation, or raise template_timeout.",
    cause: fault,
  });
}

const longestExcerpt = 40;

/** `line 3, column 7, at "text of the template"`. */
export function placeInTemplate(source: string, fault: TemplateFault): string {
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
  return `line ${line}, column ${column}${near}`;
}
