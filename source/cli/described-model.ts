// Converts a server's description of a model for the sections of `show`.
import { isRecord } from "../base/json-record.ts";
import type { ShownModel } from "../client/chat-calls.ts";
import type { DescribedModel } from "./show-sections.ts";

/** Fields that an older server lacks are left out. */
export function describedModel(shown: ShownModel): DescribedModel {
  const origin = objectOf(shown.template_origin);
  const { projector_info: projector } = shown;
  return {
    details: objectOf(shown.details),
    model_info: objectOf(shown.model_info),
    ...(isRecord(projector) && { projector_info: projector }),
    // Printed as they are: a later server may know more of them.
    capabilities: shown.capabilities as DescribedModel["capabilities"],
    tensors: [],
    parameters: shown.parameters,
    system: shown.system,
    license: shown.license,
    ...(typeof shown.requires === "string" && { requires: shown.requires }),
    template_origin: {
      reason: textOf(origin.reason),
      is_guess: origin.is_guess === true,
      unsupported: (Array.isArray(origin.unsupported) ? origin.unsupported : [])
        .map(objectOf)
        .map(({ conversation, reason }) => ({
          conversation: textOf(conversation),
          reason: textOf(reason),
        })),
    },
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function objectOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}
