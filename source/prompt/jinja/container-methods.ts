// Methods of Python's list and dict that chat templates call.
import { TemplateFault } from "../template-fault.ts";
import { isEqual } from "./operators.ts";
import { keyValue } from "./print-value.ts";
import { itemsOf } from "./sequences.ts";
import {
  type Arguments,
  Callable,
  Dict,
  type Key,
  keyOf,
  type Run,
  Tuple,
  type Value,
} from "./values.ts";

const listMethods: Readonly<Record<string, (list: Value[], args: Arguments, run: Run) => Value>> = {
  append: (list, args, run) => {
    run.budget.items(1);
    list.push(args.need(0, "object"));
    return null;
  },
  extend: (list, args, run) => {
    const items = itemsOf(args.need(0, "iterable"), run);
    run.budget.items(items.length);
    // A copy, since a list may be extended by itself.
    for (const item of [...items]) list.push(item);
    return null;
  },
  insert: (list, args, run) => {
    run.budget.items(1);
    run.budget.step(list.length >> 6);
    list.splice(args.integer(0, "index"), 0, args.need(1, "object"));
    return null;
  },
  pop: (list, args, run) => {
    run.budget.step(list.length >> 6);
    const [item] = list.splice(args.integer(0, "index", -1), 1);
    if (item === undefined) throw new TemplateFault("pop index out of range");
    return item;
  },
  index: (list, args, run) => {
    const value = args.need(0, "value");
    const at = list.findIndex((item) => isEqual(item, value, run));
    if (at < 0) throw new TemplateFault("the value is not in the list");
    return at;
  },
  count: (list, args, run) => {
    const value = args.need(0, "value");
    return list.filter((item) => isEqual(item, value, run)).length;
  },
  reverse: (list, _, run) => {
    run.budget.step(list.length);
    list.reverse();
    return null;
  },
  copy: (list, _, run) => {
    run.budget.items(list.length);
    return [...list];
  },
  clear: (list) => {
    list.length = 0;
    return null;
  },
};

const dictMethods: Readonly<Record<string, (dict: Dict, args: Arguments, run: Run) => Value>> = {
  get: ({ entries }, args) =>
    valueOr(entries.get(keyOf(args.need(0, "key"))), args.get(1, "default")) ?? null,
  items: (dict, _, run) => pairsOf(dict, run),
  keys: (dict, _, run) => [...itemsOf(dict, run)],
  values: ({ entries }, _, run) => {
    run.budget.items(entries.size);
    return [...entries.values()];
  },
  update: ({ entries }, args, run) => {
    for (const [key, value] of [...entriesOf(args, run)]) entries.set(key, value);
    return null;
  },
  setdefault: ({ entries }, args, run) => {
    const key = keyOf(args.need(0, "key"));
    const value = valueOr(entries.get(key), args.get(1, "default")) ?? null;
    run.budget.items(1);
    entries.set(key, value);
    return value;
  },
  pop: ({ entries }, args) => {
    const key = keyOf(args.need(0, "key"));
    const value = valueOr(entries.get(key), args.get(1, "default"));
    if (value === undefined) throw new TemplateFault(`the key \`${key}\` does not exist`);
    entries.delete(key);
    return value;
  },
  copy: ({ entries }, _, run) => {
    run.budget.items(entries.size);
    return new Dict(new Map(entries));
  },
  clear: ({ entries }) => {
    entries.clear();
    return null;
  },
};

export function pairsOf({ entries }: Dict, run: Run): Value[] {
  run.budget.items(2 * entries.size);
  return [...entries].map(([key, value]) => new Tuple([keyValue(key), value]));
}

/** Returns the default only for a missing value; none is a value. */
function valueOr(value: Value | undefined, byDefault: Value | undefined): Value | undefined {
  return value === undefined ? byDefault : value;
}

const ofLists = new Map(Object.entries(listMethods));
const ofDicts = new Map(Object.entries(dictMethods));

export function listMethod(list: Value[], name: string): Callable | undefined {
  const method = ofLists.get(name);
  return method && new Callable(`list.${name}`, (args, run) => method(list, args, run));
}

export function dictMethod(dict: Dict, name: string): Callable | undefined {
  const method = ofDicts.get(name);
  return method && new Callable(`dict.${name}`, (args, run) => method(dict, args, run));
}

/** Returns the entries for `dict`, `namespace` and `update`, given as a dictionary, pairs or names. */
export function entriesOf(args: Arguments, run: Run): Map<Key, Value> {
  const entries = new Map<Key, Value>();
  const [first] = args.positional;
  if (first instanceof Dict) {
    for (const [key, value] of first.entries) entries.set(key, value);
  } else if (first !== undefined) {
    for (const pair of itemsOf(first, run)) {
      const [key, value] = itemsOf(pair, run);
      if (key === undefined || value === undefined)
        throw new TemplateFault("it needs pairs of key and value");
      entries.set(keyOf(key), value);
    }
  }
  for (const [key, value] of args.named) entries.set(key, value);
  run.budget.items(entries.size);
  return entries;
}
