// Values as JSON, as Go's encoding/json writes it: compact, with <, > and & escaped.
import { type Origin, TemplateText, type TextPiece } from "./template-text.ts";
import { GoList, type GoMap, GoStruct, type GoValue, isNil } from "./values.ts";

/** Writes JSON; maps keep the order of their entries, which is the client's or the model's own. */
export function jsonText(value: GoValue): TemplateText {
  const pieces: TextPiece[] = [];
  write(value, pieces);
  return TemplateText.fromPieces(pieces);
}

function write(value: GoValue, pieces: TextPiece[]): void {
  const put = (text: string, origin: Origin = "template") => pieces.push({ text, origin });
  if (isNil(value)) {
    put("null");
  } else if (typeof value === "number") {
    put(jsonNumber(value), "outside");
  } else if (typeof value === "boolean" || typeof value === "bigint") {
    put(String(value));
  } else if (value instanceof TemplateText) {
    writeString(value, pieces);
  } else if (value instanceof GoStruct) {
    write(value.json(), pieces);
  } else if (value instanceof GoList) {
    put("[");
    for (let index = 0; index < value.length; index += 1) {
      if (index > 0) put(",");
      write(value.at(index), pieces);
    }
    put("]");
  } else {
    writeMap(value, pieces);
  }
}

function writeMap(map: GoMap, pieces: TextPiece[]): void {
  let separator = "{";
  for (const [key, item] of map.entries) {
    pieces.push({ text: separator, origin: "template" });
    writeString(TemplateText.of(key, "outside"), pieces);
    pieces.push({ text: ":", origin: "template" });
    write(item, pieces);
    separator = ",";
  }
  pieces.push({ text: map.entries.size === 0 ? "{}" : "}", origin: "template" });
}

function writeString(text: TemplateText, pieces: TextPiece[]): void {
  pieces.push({ text: '"', origin: "template" });
  for (const { text: part, origin } of text.pieces) pieces.push({ text: escaped(part), origin });
  pieces.push({ text: '"', origin: "template" });
}

function escaped(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(
      /[<>&\u2028\u2029]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
}

function jsonNumber(value: number): string {
  if (Object.is(value, -0)) return "-0";
  return Number.isFinite(value) ? String(value) : "null";
}
