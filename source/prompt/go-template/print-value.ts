// Printed values: Go's %v.

import { jsonText } from "./json-text.ts";
import { shortestFloat } from "./number-text.ts";
import { TemplateText } from "./template-text.ts";
import { GoList, GoMap, type GoValue, isNil } from "./values.ts";

/** Prints `{{ value }}`. A missing value prints nothing, unlike Go's `<no value>`. */
export function printValue(value: GoValue): TemplateText {
  return isNil(value) ? TemplateText.empty : displayValue(value);
}

/** Prints a value with Go's %v. */
export function displayValue(value: GoValue): TemplateText {
  if (isNil(value)) return TemplateText.of("<nil>");
  switch (typeof value) {
    case "boolean":
    case "bigint":
      return TemplateText.of(String(value));
    case "number":
      // Such numbers come from arguments and schemas, which are untrusted.
      return TemplateText.of(shortestFloat(value), "outside");
  }
  if (value instanceof TemplateText) return value;
  if (value instanceof GoList) return value.printed?.() ?? listText(value, displayValue);
  if (value instanceof GoMap) return value.printed?.(value) ?? mapText(value, displayValue);
  return jsonText(value);
}

/** Prints values as Go's Sprint does: blanks between neighbours of which neither is a text. */
export function displayValues(values: readonly GoValue[]): TemplateText {
  const parts = values.flatMap((value, index) => {
    const text = displayValue(value);
    const isApart =
      index > 0 && ![value, values[index - 1]].some((each) => each instanceof TemplateText);
    return isApart ? [" ", text] : [text];
  });
  return TemplateText.join(parts);
}

/** Prints `[a b]`. */
export function listText(list: GoList, show: (value: GoValue) => TemplateText): TemplateText {
  return TemplateText.join([
    "[",
    ...[...list].flatMap((item, index) => (index === 0 ? [show(item)] : [" ", show(item)])),
    "]",
  ]);
}

/** Prints `map[key:value key:value]`, sorted. */
export function mapText(map: GoMap, show: (value: GoValue) => TemplateText): TemplateText {
  return TemplateText.join([
    "map[",
    ...map.sorted.flatMap(([key, item], index) => [
      index === 0 ? "" : " ",
      show(TemplateText.of(key, "outside")),
      ":",
      show(item),
    ]),
    "]",
  ]);
}
