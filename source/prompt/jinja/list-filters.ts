// Filters on lists and dictionaries.
import { TemplateFault } from "../template-fault.ts";
import { entriesOf, pairsOf } from "./container-methods.ts";
import { binary, isEqual, order } from "./operators.ts";
import { printValue } from "./print-value.ts";
import { itemAt, itemsOf } from "./sequences.ts";
import {
  Arguments,
  Dict,
  type Filter,
  isTrue,
  orUndefined,
  type Run,
  refuseUndefined,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from "./values.ts";

export const listFilters: Readonly<Record<string, Filter>> = {
  list: (input, _, run) => copyOf(itemsOf(input, run), run),
  first: (input, _, run) => orUndefined(itemsOf(input, run)[0], "there is no first item"),
  last: (input, _, run) => orUndefined(itemsOf(input, run).at(-1), "there is no last item"),
  items: (input, _, run) => {
    if (input instanceof Undefined) return [];
    return pairsOf(dictOf(input), run);
  },
  join: (input, args, run) => {
    const attribute = args.get(1, "attribute") ?? null;
    const between = printValue(args.get(0, "d") ?? "", run.budget);
    const texts = itemsOf(input, run).map((item) => {
      const text = printValue(attribute === null ? item : at(item, attribute, run), run.budget);
      run.budget.text(text.length + between.length);
      return text;
    });
    return texts.join(between);
  },
  reverse: (input, _, run) => {
    const items = copyOf(itemsOf(input, run), run).reverse();
    return typeof input === "string" ? items.join("") : items;
  },
  sort: (input, args, run) => {
    const isCaseSensitive = args.flag(1, "case_sensitive");
    const sign = args.flag(0, "reverse") ? -1 : 1;
    return sorted(itemsOf(input, run), args.get(2, "attribute"), isCaseSensitive, run, sign);
  },
  dictsort: (input, args, run) => {
    const by = args.text(1, "by", "key") === "value" ? 1 : 0;
    const sign = args.flag(2, "reverse") ? -1 : 1;
    return sorted(pairsOf(dictOf(input), run), by, args.flag(0, "case_sensitive"), run, sign);
  },
  unique: (input, args, run) => {
    const attribute = args.get(1, "attribute");
    const seen: Value[] = [];
    return itemsOf(input, run).filter((item) => {
      const key = sortKey(item, attribute, args.flag(0, "case_sensitive"), run);
      if (seen.some((other) => isEqual(other, key, run))) return false;
      run.budget.items(1);
      seen.push(key);
      return true;
    });
  },
  groupby: (input, args, run) => {
    const attribute = args.need(0, "attribute");
    const groups: Array<{ key: Value; name: Value; items: Value[] }> = [];
    for (const item of sorted(
      itemsOf(input, run),
      attribute,
      args.flag(2, "case_sensitive"),
      run,
    )) {
      const key = sortKey(item, attribute, args.flag(2, "case_sensitive"), run);
      const last = groups.at(-1);
      run.budget.items(1);
      if (last !== undefined && isEqual(last.key, key, run)) last.items.push(item);
      else groups.push({ key, name: at(item, attribute, run), items: [item] });
    }
    return groups.map(({ name, items }) => new Tuple([name, items]));
  },
  min: (input, args, run) => extreme(input, args, run, -1),
  max: (input, args, run) => extreme(input, args, run, 1),
  sum: (input, args, run) => {
    const attribute = args.get(0, "attribute") ?? null;
    return itemsOf(input, run).reduce<Value>(
      (sum, item) => binary("+", sum, attribute === null ? item : at(item, attribute, run), run),
      args.get(1, "start") ?? 0,
    );
  },
  map: (input, args, run) => {
    const items = copyOf(itemsIfAny(input, run), run);
    const attribute = args.named.get("attribute");
    if (attribute === undefined) {
      const name = args.text(0, "filter");
      return items.map((item) => run.filter(name, item, args.from(1)));
    }
    const byDefault = args.named.get("default");
    return items.map((item) => {
      const value = at(item, attribute, run);
      return value instanceof Undefined && byDefault !== undefined ? byDefault : value;
    });
  },
  select: (input, args, run) => chosen(input, args, run, false, true),
  reject: (input, args, run) => chosen(input, args, run, false, false),
  selectattr: (input, args, run) => chosen(input, args, run, true, true),
  rejectattr: (input, args, run) => chosen(input, args, run, true, false),
  batch: (input, args, run) => {
    const size = Math.max(1, args.integer(0, "linecount"));
    const items = itemsOf(input, run);
    const fill = args.get(1, "fill_with") ?? null;
    const rows: Value[][] = [];
    for (let from = 0; from < items.length; from += size) {
      const row = copyOf(items.slice(from, from + size), run);
      if (fill !== null) {
        run.budget.items(size - row.length);
        while (row.length < size) row.push(fill);
      }
      rows.push(row);
    }
    return rows;
  },
  slice: (input, args, run) => {
    const count = Math.max(1, args.integer(0, "slices"));
    const fill = args.get(1, "fill_with") ?? null;
    const items = itemsOf(input, run);
    run.budget.items(count + items.length);
    const longer = items.length % count;
    const size = Math.floor(items.length / count);
    let from = 0;
    return Array.from({ length: count }, (_, index) => {
      const row = items.slice(from, from + size + (index < longer ? 1 : 0));
      from += row.length;
      return fill !== null && index >= longer && longer > 0 ? [...row, fill] : row;
    });
  },
  dict: (input, _, run) => new Dict(entriesOf(new Arguments([input]), run)),
};

function copyOf(items: readonly Value[], run: Run): Value[] {
  run.budget.items(items.length);
  return [...items];
}

/** Treats none and false as an empty list, as Jinja's lazy filters do. */
function itemsIfAny(input: Value, run: Run): readonly Value[] {
  return isTrue(input) ? itemsOf(input, run) : [];
}

function dictOf(value: Value): Dict {
  refuseUndefined(value);
  if (value instanceof Dict) return value;
  throw new TemplateFault(`it needs a dictionary, not ${typeName(value)}`);
}

/** Returns the member at a path such as `function.name`. */
function at(item: Value, path: Value, run: Run): Value {
  if (typeof path === "number")
    return orUndefined(itemAt(item, path, run), "there is no such item");
  return printValue(path, run.budget)
    .split(".")
    .reduce<Value>((value, name) => run.attribute(value, name), item);
}

function sortKey(
  item: Value,
  attribute: Value | undefined,
  isCaseSensitive: boolean,
  run: Run,
): Value {
  const value = (attribute ?? null) === null ? item : at(item, attribute ?? null, run);
  return typeof value === "string" && !isCaseSensitive ? value.toLowerCase() : value;
}

function sorted(
  items: readonly Value[],
  attribute: Value | undefined,
  isCaseSensitive: boolean,
  run: Run,
  sign = 1,
): Value[] {
  run.budget.items(2 * items.length);
  return items
    .map((item) => ({ item, key: sortKey(item, attribute, isCaseSensitive, run) }))
    .sort((a, b) => sign * order(a.key, b.key, run))
    .map(({ item }) => item);
}

function extreme(input: Value, args: Arguments, run: Run, sign: number): Value {
  const [first, ...others] = itemsOf(input, run);
  if (first === undefined) return new Undefined("the list is empty");
  const keyed = (item: Value) =>
    sortKey(item, args.get(1, "attribute"), args.flag(0, "case_sensitive"), run);
  return others.reduce<Value>(
    (best, item) => (sign * order(keyed(item), keyed(best), run) > 0 ? item : best),
    first,
  );
}

/** Returns the items whose test or truth value is as wanted. */
function chosen(
  input: Value,
  args: Arguments,
  run: Run,
  byAttribute: boolean,
  wanted: boolean,
): Value {
  const path = byAttribute ? args.need(0, "attribute") : undefined;
  const rest = byAttribute ? args.from(1) : args;
  const [test] = rest.positional;
  return itemsIfAny(input, run).filter((item) => {
    run.budget.items(1);
    const value = path === undefined ? item : at(item, path, run);
    const holds =
      test === undefined
        ? isTrue(value)
        : run.test(printValue(test, run.budget), value, rest.from(1));
    return holds === wanted;
  });
}
