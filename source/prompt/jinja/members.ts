// `value.name` and `value[index]`, in Jinja2's order: a dot finds methods first, brackets find items.
import { dictMethod, listMethod } from "./container-methods.ts";
import { itemAt } from "./sequences.ts";
import { textMethod } from "./text-methods.ts";
import {
  AttributeObject,
  Callable,
  Dict,
  Float,
  keyOf,
  Namespace,
  numberOf,
  orUndefined,
  type Run,
  refuseUndefined,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from "./values.ts";

/** @throws TemplateFault if the value itself is undefined */
export function attributeOf(value: Value, name: string): Value {
  refuseUndefined(value);
  const method = methodOf(value, name);
  return orUndefined(method === undefined ? ownItem(value, name) : method, missing(value, name));
}

/** @throws TemplateFault if the value itself is undefined */
export function itemOf(value: Value, index: Value, run: Run): Value {
  refuseUndefined(value);
  const found = indexed(value, index, run);
  if (found !== undefined) return found;
  if (typeof index === "string") return orUndefined(methodOf(value, index), missing(value, index));
  return new Undefined(`there is no item \`${String(numberOf(index) ?? typeName(index))}\``);
}

function indexed(value: Value, index: Value, run: Run): Value | undefined {
  if (value instanceof Dict) {
    if (index instanceof Undefined) return undefined;
    return value.entries.get(keyOf(index));
  }
  const number = index instanceof Float ? undefined : numberOf(index);
  if (number !== undefined) return itemAt(value, number, run);
  return undefined;
}

function ownItem(value: Value, name: string): Value | undefined {
  return value instanceof Dict || value instanceof Namespace ? value.entries.get(name) : undefined;
}

function methodOf(value: Value, name: string): Value | undefined {
  if (typeof value === "string") return textMethod(value, name);
  if (value instanceof Dict) return dictMethod(value, name);
  if (Array.isArray(value)) return listMethod(value, name);
  if (value instanceof AttributeObject) return value.attribute(name);
  if (value instanceof Callable) return value.attributes.get(name);
  if (value instanceof Tuple && (name === "count" || name === "index")) {
    return listMethod([...value.items], name);
  }
  return undefined;
}

function missing(value: Value, name: string): string {
  return `${typeName(value)} has no member \`${name}\``;
}
