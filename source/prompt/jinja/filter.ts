// The type of a filter: `value | name(arguments)`.
import type { Arguments, Run, Value } from "./values.ts";

export type Filter = (input: Value, args: Arguments, run: Run) => Value;
