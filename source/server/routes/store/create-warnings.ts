// Warnings about fields of a create request that have no effect.

import { quoteShort } from "../../../base/display-text.ts";
import { nearestName } from "../../../base/nearest-name.ts";
import type { GoChatTemplate } from "../../../prompt/go-template/go-chat-template.ts";
import { unknownFieldText } from "../../../prompt/go-template/unknown-fields.ts";
import { ignoredFields } from "../../../store/model-definition.ts";
import { parameterKinds, removedParameters } from "../../../store/model-parameters.ts";
import { positionWithin } from "../../../store/modelfile/modelfile-text.ts";
import type { CreateBody } from "./schema.ts";

/** Returns a sentence per field, like a Modelfile's warnings. */
export function createWarnings(
  { renderer, parser, parameters = {}, messages = [] }: CreateBody,
  { template, otherNames }: { template: GoChatTemplate | undefined; otherNames: string[] },
): string[] {
  const warnings = template === undefined ? [] : fieldWarnings(template);
  if (renderer) warnings.push(`renderer ${ignoredFields.renderer}`);
  if (parser) warnings.push(`parser ${ignoredFields.parser}`);
  if ((parameters.typical_p ?? 1) !== 1) {
    warnings.push(`parameter typical_p ${ignoredFields.typicalP}`);
  }
  warnings.push(...otherNames.map(unknownParameterText));
  for (const [index, message] of messages.entries()) {
    const lost = ["images", "thinking", "tool_calls"].filter((name) =>
      Object.hasOwn(message, name),
    );
    if (lost.length > 0) {
      warnings.push(`messages.${index}: ${lost.join(", ")} not kept: a model keeps texts alone.`);
    }
  }
  return warnings;
}

function fieldWarnings({ source, unknownFields }: GoChatTemplate): string[] {
  return unknownFields.map((field) => {
    const { line, column } = positionWithin({ line: 1, column: 1 }, source, field.at);
    return `template line ${line}, column ${column}: ${unknownFieldText(field)}`;
  });
}

function unknownParameterText(name: string): string {
  const text = `parameter ${quoteShort(name)} is kept, but has no effect here:`;
  if (removedParameters.has(name)) return `${text} it no longer exists.`;
  const nearest = nearestName(name, Object.keys(parameterKinds));
  const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
  return `${text} there is no such parameter.${hint}`;
}
