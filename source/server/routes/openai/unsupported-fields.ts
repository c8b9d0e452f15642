// Refuses fields of a chat completion request that this server cannot honour: ignoring them would
// change the answer.
import { unsupportedField } from "../../errors.ts";
import type { ChatCompletionBody } from "./schema.ts";

/** @throws ProductError `SERVER_FIELD_UNSUPPORTED` naming the field */
export function refuseUnsupported(body: ChatCompletionBody): void {
  if ((body.functions?.length ?? 0) > 0) {
    throw unsupportedField("functions", "use 'tools' instead");
  }
  if (typeof body.function_call === "object") {
    throw unsupportedField("function_call", "use 'tool_choice' instead");
  }
  if (body.modalities?.some((modality) => modality !== "text")) {
    throw unsupportedField("modalities", "answers are text");
  }
  if (body.audio !== undefined) throw unsupportedField("audio", "answers are text");
  if (body.web_search_options !== undefined) {
    throw unsupportedField("web_search_options", "this server does not search the web");
  }
  if (body._debug_render_only === true) {
    throw unsupportedField("_debug_render_only", "/api/chat shows prompts");
  }
  if (body.moderation !== undefined) {
    throw unsupportedField("moderation", "answers are not moderated");
  }
  // OpenAI's word for unlimited.
  if (body.verbosity !== undefined && body.verbosity !== "medium") {
    throw unsupportedField("verbosity", "the length of an answer is the model's choice");
  }
}
