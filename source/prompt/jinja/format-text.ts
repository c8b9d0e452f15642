// Python's two ways to format text: `%` and `str.format`.
import { TemplateFault } from "../template-fault.ts";
import { printFloat, printInteger, printQuoted, printValue } from "./print-value.ts";
import {
  type Arguments,
  Dict,
  Float,
  numberOf,
  type Run,
  Tuple,
  typeName,
  type Value,
} from "./values.ts";

interface Specification {
  fill: string;
  align: string;
  sign: string;
  alternate: boolean;
  zero: boolean;
  width: number;
  comma: string;
  precision: number | undefined;
  type: string;
}

const percent =
  /%(?:\((?<key>[^)]{0,200})\))?(?<flags>[-+ #0]*)(?<width>\d+)?(?:\.(?<precision>\d+))?(?<type>[a-zA-Z%])/g;

/**
 * @param values a tuple, a dictionary for `%(name)s`, or the only value
 * @throws TemplateFault if values and placeholders do not match
 */
export function formatPercent(text: string, values: Value, run: Run): string {
  run.budget.text(text.length);
  const list = values instanceof Tuple ? values.items : [values];
  let next = 0;
  return text.replaceAll(percent, (...match) => {
    const groups: Record<string, string | undefined> = match.at(-1);
    const { key, flags = "", width = "0", precision, type = "" } = groups;
    if (type === "%") return "%";
    let value: Value | undefined;
    if (key === undefined) {
      value = list[next];
      next += 1;
    } else if (values instanceof Dict) value = values.entries.get(key);
    if (value === undefined) throw new TemplateFault("a format has more placeholders than values");
    return formatValue(
      value,
      {
        fill: flags.includes("0") && !flags.includes("-") ? "0" : " ",
        align: flags.includes("-") ? "<" : flags.includes("0") ? "=" : ">",
        sign: flags.includes("+") ? "+" : flags.includes(" ") ? " " : "-",
        alternate: flags.includes("#"),
        zero: false,
        width: Number(width),
        comma: "",
        precision: precision === undefined ? undefined : Number(precision),
        type: type === "i" || type === "u" ? "d" : type,
      },
      run,
      true,
    );
  });
}

const place =
  /\{\{|\}\}|\{(?<field>[^{}!:]*)(?:!(?<conversion>[rsa]))?(?::(?<spec>[^{}]*))?\}|[{}]/g;
const specification =
  /^(?:(?<fill>.)?(?<align>[<>=^]))?(?<sign>[-+ ])?(?<alternate>#)?(?<zero>0)?(?<width>\d+)?(?<comma>[,_])?(?:\.(?<precision>\d+))?(?<type>[a-zA-Z%])?$/su;

/** @throws TemplateFault if values and placeholders do not match */
export function formatBraces(text: string, args: Arguments, run: Run): string {
  run.budget.text(text.length);
  let next = 0;
  return text.replaceAll(place, (...match) => {
    const whole: string = match[0];
    if (whole === "{{" || whole === "}}") return whole.slice(1);
    if (whole.length === 1) throw new TemplateFault(`a format contains a single \`${whole}\``);
    const groups: Record<string, string | undefined> = match.at(-1);
    const [name = "", ...path] = (groups.field ?? "").split(/[.[]/);
    let value: Value | undefined;
    if (name === "") {
      value = args.positional[next];
      next += 1;
    } else if (/^\d+$/.test(name)) value = args.positional[Number(name)];
    else value = args.named.get(name);
    if (value === undefined) throw new TemplateFault(`there is no value for \`${whole}\``);
    for (const step of path) value = run.attribute(value, step.replace(/\]$/, ""));
    if (groups.conversion === "r") value = printQuoted(value, run.budget);
    else if (groups.conversion !== undefined) value = printValue(value, run.budget);
    return formatValue(value, readSpecification(groups.spec ?? ""), run, false);
  });
}

/** Parses the specification of Python's `format(value, spec)`. */
function readSpecification(text: string): Specification {
  const groups = specification.exec(text)?.groups;
  if (groups === undefined) throw new TemplateFault(`\`${text}\` is not a valid format`);
  return {
    fill: groups.fill ?? (groups.zero === undefined ? " " : "0"),
    align: groups.align ?? (groups.zero === undefined ? "" : "="),
    sign: groups.sign ?? "-",
    alternate: groups.alternate !== undefined,
    zero: groups.zero !== undefined,
    width: Number(groups.width ?? 0),
    comma: groups.comma ?? "",
    precision: groups.precision === undefined ? undefined : Number(groups.precision),
    type: groups.type ?? "",
  };
}

function formatValue(value: Value, spec: Specification, run: Run, isPercent: boolean): string {
  run.budget.text(spec.width + (spec.precision ?? 0));
  if ((spec.precision ?? 0) > 100 && spec.type !== "s" && spec.type !== "") {
    throw new TemplateFault("a number has a precision of more than 100 digits");
  }
  const number = numberOf(value);
  const isText = spec.type === "s" || spec.type === "r" || spec.type === "a" || spec.type === "c";
  if (isText || number === undefined || (spec.type === "" && typeof value === "boolean")) {
    if (!isText && spec.type !== "") {
      throw new TemplateFault(`\`%${spec.type}\` needs a number, not ${typeName(value)}`);
    }
    const text = spec.type === "r" ? printQuoted(value, run.budget) : printValue(value, run.budget);
    const cut = spec.precision === undefined ? text : text.slice(0, spec.precision);
    return pad(cut, "", spec, isPercent ? ">" : "<");
  }
  const magnitude = digitsOf(Math.abs(number), value instanceof Float, spec);
  const isNegative = number < 0 || Object.is(number, -0);
  const sign = isNegative ? "-" : spec.sign === "-" ? "" : spec.sign;
  return pad(magnitude, sign, spec, ">");
}

function digitsOf(value: number, isFloat: boolean, spec: Specification): string {
  const { type, precision, alternate } = spec;
  switch (type) {
    case "d":
      return grouped(printInteger(Math.trunc(value)), spec);
    case "x":
    case "X":
    case "o":
    case "b": {
      const base = { x: 16, X: 16, o: 8, b: 2 }[type];
      const digits = (alternate ? `0${type}` : "") + Math.trunc(value).toString(base);
      return type === "X" ? digits.toUpperCase() : digits;
    }
    case "f":
    case "F":
      return grouped(value.toFixed(precision ?? 6), spec);
    case "e":
    case "E": {
      const text = value.toExponential(precision ?? 6).replace(/e([+-])(\d)$/, "e$10$2");
      return type === "E" ? text.toUpperCase() : text;
    }
    case "%":
      return `${(value * 100).toFixed(precision ?? 6)}%`;
    case "g":
    case "G":
      return generalText(value, precision ?? 6);
    case "":
      if (precision !== undefined) return generalText(value, precision);
      return grouped(isFloat ? printFloat(value) : printInteger(value), spec);
    default:
      throw new TemplateFault(`there is no format \`${type}\``);
  }
}

function generalText(value: number, precision: number): string {
  const text = value.toPrecision(Math.max(1, precision));
  const [digits = "", exponent] = text.split("e");
  const short = digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits;
  return exponent === undefined ? short : `${short}e${exponent.replace(/^([+-])(\d)$/, "$10$2")}`;
}

function grouped(digits: string, { comma }: Specification): string {
  if (comma === "") return digits;
  const [whole = "", fraction] = digits.split(".");
  const text = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, comma);
  return fraction === undefined ? text : `${text}.${fraction}`;
}

function pad(text: string, sign: string, spec: Specification, byDefault: string): string {
  const room = Math.max(0, spec.width - [...(sign + text)].length);
  switch (spec.align === "" ? byDefault : spec.align) {
    case "<":
      return sign + text + spec.fill.repeat(room);
    case "^":
      return spec.fill.repeat(room >> 1) + sign + text + spec.fill.repeat(room - (room >> 1));
    case "=":
      return sign + spec.fill.repeat(room) + text;
    default:
      return spec.fill.repeat(room) + sign + text;
  }
}
