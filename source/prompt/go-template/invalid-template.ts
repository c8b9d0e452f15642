// Error message for a faulty TEMPLATE.
import { ProductError } from "../../base/product-error.ts";
import { promptErrors } from "../errors.ts";
import { BudgetFault, placeInTemplate, type TemplateFault, tooCostly } from "../template-fault.ts";

/**
 * @param doing the failure, as in "cannot be parsed"
 * @returns `PROMPT_TEMPLATE_INVALID` with line, column and the text at fault;
 *   `PROMPT_TEMPLATE_TOO_COSTLY`
 */
export function invalidTemplate(source: string, fault: TemplateFault, doing: string): ProductError {
  const place = placeInTemplate(source, fault);
  if (fault instanceof BudgetFault) return tooCostly(`The TEMPLATE (${place})`, fault);
  return new ProductError(promptErrors.templateInvalid, {
    message: `The TEMPLATE ${doing} (${place}): ${fault.message}.`,
    hint: /\{%/.test(source)
      ? "It looks like a Jinja template; TEMPLATE takes Go's template language."
      : "Correct the TEMPLATE, or leave it out to use the model's own.",
    cause: fault,
  });
}
