// Global names of every template: Jinja's own, and those that transformers adds for chat templates.
import { BudgetFault, TemplateFault } from "../template-fault.ts";
import { entriesOf } from "./container-methods.ts";
import { printValue } from "./print-value.ts";
import { timeText } from "./time-text.ts";
import { AttributeObject, Callable, Dict, Namespace, type Value } from "./values.ts";

/** Error that a template itself raises about a conversation. */
export class RaisedByTemplate extends TemplateFault {}

/** Limit of Jinja2's sandbox. */
const longestRange = 100_000;

const functions: ReadonlyArray<Callable> = [
  new Callable("range", (args, run) => {
    const isOne = args.positional.length === 1;
    const from = isOne ? 0 : args.integer(0, "start");
    const to = args.integer(isOne ? 0 : 1, "stop");
    const step = args.integer(2, "step", 1);
    if (step === 0) throw new TemplateFault("the step of a range cannot be 0");
    const length = Math.max(0, Math.ceil((to - from) / step));
    if (length > longestRange) {
      throw new BudgetFault(`a range has more than ${longestRange} numbers`);
    }
    run.budget.items(length);
    return Array.from({ length }, (_, index) => from + index * step);
  }),
  new Callable("dict", (args, run) => new Dict(entriesOf(args, run))),
  new Callable("namespace", (args, run) => new Namespace(entriesOf(args, run))),
  new Callable("raise_exception", (args, run) => {
    throw new RaisedByTemplate(printValue(args.need(0, "message"), run.budget));
  }),
  new Callable("strftime_now", (args, run) => timeText(run.now, args.text(0, "format"))),
  new Callable("cycler", (args) => new Cycler(args.positional)),
  new Callable("joiner", (args) => {
    let isFirst = true;
    return new Callable("joiner", () => {
      const text = isFirst ? "" : args.text(0, "sep", ", ");
      isFirst = false;
      return text;
    });
  }),
];

export const globalTable: ReadonlyMap<string, Value> = new Map(
  functions.map((each) => [each.name, each]),
);

class Cycler extends AttributeObject {
  readonly #items: readonly Value[];
  #position = 0;

  constructor(items: readonly Value[]) {
    super();
    if (items.length === 0) throw new TemplateFault("`cycler` needs items");
    this.#items = items;
  }

  override attribute(name: string): Value | undefined {
    if (name === "current") return this.#items[this.#position];
    if (name === "reset") {
      return new Callable("reset", () => {
        this.#position = 0;
        return null;
      });
    }
    if (name !== "next") return undefined;
    return new Callable("next", () => {
      const item = this.#items[this.#position] ?? null;
      this.#position = (this.#position + 1) % this.#items.length;
      return item;
    });
  }
}

/** The variable `loop`, which can be called in recursive loops. */
export class Loop extends AttributeObject {
  readonly #items: readonly Value[];
  readonly #depth: number;
  readonly again: ((items: Value) => Value) | undefined;
  index = 0;
  #last: readonly Value[] | undefined;

  constructor(
    items: readonly Value[],
    depth: number,
    again: ((items: Value) => Value) | undefined,
  ) {
    super();
    this.#items = items;
    this.#depth = depth;
    this.again = again;
  }

  override attribute(name: string): Value | undefined {
    const { length } = this.#items;
    switch (name) {
      case "index":
        return this.index + 1;
      case "index0":
        return this.index;
      case "revindex":
        return length - this.index;
      case "revindex0":
        return length - this.index - 1;
      case "first":
        return this.index === 0;
      case "last":
        return this.index === length - 1;
      case "length":
        return length;
      case "depth":
        return this.#depth + 1;
      case "depth0":
        return this.#depth;
      case "previtem":
        return this.index === 0 ? undefined : this.#items[this.index - 1];
      case "nextitem":
        return this.#items[this.index + 1];
      case "cycle":
        return new Callable("cycle", ({ positional }) => {
          if (positional.length === 0) throw new TemplateFault("`cycle` needs items");
          return positional[this.index % positional.length] ?? null;
        });
      case "changed":
        return new Callable("changed", ({ positional }, run) => {
          const text = (values: readonly Value[] | undefined) =>
            values?.map((value) => printValue(value, run.budget)).join("\0");
          const hasChanged = text(this.#last) !== text(positional);
          this.#last = positional;
          return hasChanged;
        });
      default:
        return undefined;
    }
  }
}
