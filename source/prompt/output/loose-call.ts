// A call as models write it without their format's marks: one object, which may not be quite JSON.
import { isRecord, parseJson } from "../../base/json.ts";
import { looseArgumentsKeys } from "./compact-start.ts";
import { JsonScanner } from "./json-scanner.ts";
import { parseLooseValue, pythonNotation } from "./loose-value.ts";

export interface LooseCall {
  name: string;
  arguments: Record<string, unknown>;
}

export const nameKeys = ["name", "tool_name", "function_name", "tool", "function"];
/** Members that say nothing about the call itself. */
export const idKeys = ["id", "tool_call_id", "call_id", "index"];
export const callTypes = ["function", "function_call", "tool_call", "tool_use"];

/**
 * Returns the call that an object's text stands for, or undefined. Unambiguous faults are repaired:
 * trailing commas, single quotes, Python's words, raw line breaks, doubled braces.
 */
export function parseLooseCall(
  text: string,
  isTool: (name: string) => boolean,
): LooseCall | undefined {
  const value =
    parseObject(text) ?? (text.startsWith("{{") ? parseObject(undoubled(text)) : undefined);
  return isRecord(value) ? callOf(value, isTool) : undefined;
}

function parseObject(text: string): unknown {
  const scanner = new JsonScanner();
  const { length, json } = scanner.scan(text);
  if (scanner.state === "complete" && length === text.length) return JSON.parse(json);
  return parseLooseValue(text, pythonNotation);
}

/** Halves the braces outside strings, which templates double where they mean one. */
function undoubled(text: string): string {
  return text.replaceAll(/("(?:[^"\\]|\\[\s\S])*")|\{\{|\}\}/g, (match, string) =>
    typeof string === "string" ? string : match.charAt(0),
  );
}

function callOf(
  value: Record<string, unknown>,
  isTool: (name: string) => boolean,
): LooseCall | undefined {
  if (isRecord(value.function)) return callOf(value.function, isTool);
  const members = Object.entries(value).filter(
    ([key, member]) => !idKeys.includes(key) && !isCallType(key, member),
  );
  const named = members.find(([key, member]) => nameKeys.includes(key) && isNameOf(member, isTool));
  const others = members.filter((member) => member !== named);
  const [other] = others;
  if (other === undefined || others.length > 1) return undefined;
  const [key, member] = other;
  if (named === undefined) {
    return isTool(key) && isRecord(member) ? { name: key, arguments: member } : undefined;
  }
  const values = argumentsOf(member, looseArgumentsKeys.includes(key));
  return values === undefined ? undefined : { name: String(named[1]), arguments: values };
}

function isCallType(key: string, member: unknown): boolean {
  return key === "type" && callTypes.some((type) => type === member);
}

function isNameOf(member: unknown, isTool: (name: string) => boolean): boolean {
  return typeof member === "string" && isTool(member);
}

/** @param isDeclared the key says that these are arguments, which may then also be a string of JSON */
function argumentsOf(member: unknown, isDeclared: boolean): Record<string, unknown> | undefined {
  if (isDeclared && (member === null || member === "")) return {};
  const values = isDeclared && typeof member === "string" ? parseJson(member) : member;
  if (!isRecord(values)) return undefined;
  // The definition of a tool has its schema in the same place.
  const isSchema = values.type === "object" && isRecord(values.properties);
  return isSchema ? undefined : values;
}
