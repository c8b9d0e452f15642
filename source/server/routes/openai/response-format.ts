// Format of an answer: `response_format`, or a grammar.

import { quoteShort } from "../../../base/display-text.ts";
import { isRecord } from "../../../base/json-record.ts";
import type { AnswerFormat, ToolChoice } from "../../../engine/request.ts";
import { invalidField, unsupportedField } from "../../errors.ts";
import type { ResponseFormatBody } from "./schema.ts";

/**
 * Enforces a schema regardless of `strict`. Errors in the schema show up when its grammar is made.
 *
 * @throws ProductError `SERVER_FIELD_INVALID`, `SERVER_FIELD_UNSUPPORTED`
 */
export function toAnswerFormat(format: ResponseFormatBody | undefined): AnswerFormat | undefined {
  if (format === undefined) return undefined;
  switch (format.type) {
    case "text":
      return undefined;
    case "json_object":
      return format.schema === undefined || format.schema === null
        ? { kind: "json" }
        : schemaFormat(format.schema, "response_format.schema");
    case "json_schema":
      return schemaFormat(format.json_schema?.schema, "response_format.json_schema.schema");
    default:
      throw unsupportedField(
        "response_format.type",
        `${quoteShort(format.type)} is none of text, json_object, json_schema`,
      );
  }
}

/**
 * Returns the client's grammar or the format that it requests.
 *
 * @param formatField what the API calls the format of an answer
 * @throws ProductError `SERVER_FIELD_UNSUPPORTED` for a grammar together with another format
 */
export function grammarOr(
  format: AnswerFormat | undefined,
  grammar: AnswerFormat | undefined,
  toolChoice: ToolChoice,
  formatField: string,
): AnswerFormat | undefined {
  if (grammar === undefined) return format;
  const mustCall = toolChoice === "required" || typeof toolChoice === "object";
  if (!mustCall && format === undefined) return grammar;
  const other = mustCall ? "tool_choice" : formatField;
  throw unsupportedField("grammar", `${other} already sets the format of the answer`);
}

function schemaFormat(schema: unknown, param: string): AnswerFormat {
  if (isRecord(schema)) {
    return { kind: "schema", schema };
  }
  throw invalidField(param, `'${param}' must be a JSON schema, which is an object.`);
}
