// What functions of a template may use of the rendering that they are part of.
import type { RenderBudget } from "../render-budget.ts";
import type { Arguments } from "./arguments.ts";
import type { Value } from "./values.ts";

export interface Run {
  readonly budget: RenderBudget;
  /** The time that `strftime_now` tells. */
  readonly now: Date;
  filter(name: string, input: Value, args: Arguments): Value;
  test(name: string, input: Value, args: Arguments): boolean;
  /** `value.name` as templates write it. */
  attribute(value: Value, name: string): Value;
}
