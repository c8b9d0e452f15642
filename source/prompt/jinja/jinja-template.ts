// Jinja template, run as Hugging Face's transformers does. Where that fails and llama.cpp does not, a
// missing value is an empty text in sums, and an empty list in loops.
import { RenderBudget, type RenderLimits } from "../render-budget.ts";
import { TemplateFault } from "../template-fault.ts";
import { runJinja } from "./interpreter.ts";
import { parseJinja } from "./parser.ts";
import type { Statement } from "./syntax-tree.ts";
import { fromJson, type Value } from "./values.ts";

export class JinjaTemplate {
  readonly #statements: readonly Statement[];

  /** @throws TemplateFault with its place */
  constructor(source: string) {
    this.#statements = parseJinja(source.replaceAll(/\r\n?/g, "\n"));
  }

  /**
   * @param variables JSON values; undefined ones are left out
   * @throws TemplateFault with its place; `BudgetFault` beyond the limits, `RaisedByTemplate` with the
   *   template's own message
   */
  render(
    variables: Readonly<Record<string, unknown>>,
    limits: RenderLimits,
    now: Date = new Date(),
  ): string {
    return runJinja(this.#statements, valuesOf(variables), new RenderBudget(limits), now);
  }
}

function valuesOf(variables: Readonly<Record<string, unknown>>): Map<string, Value> {
  const values = new Map<string, Value>();
  try {
    for (const [name, value] of Object.entries(variables)) {
      if (value !== undefined) values.set(name, fromJson(value));
    }
  } catch (error) {
    if (error instanceof RangeError)
      throw new TemplateFault("the conversation is nested too deeply");
    throw error;
  }
  return values;
}
