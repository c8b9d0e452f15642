// Fields of a chat completion request that this server would have to ignore: refused instead, since
// the client would get another answer than it asked for.
import { unsupportedField } from "../../errors.ts";
import type { ChatCompletionBody } from "./schema.ts";

/** @throws ProductError `SERVER_FIELD_UNSUPPORTED` naming the field */
export function refuseUnsupported(body: ChatCompletionBody): void {
  if ((body.functions?.length ?? 0) > 0) {
    throw unsupportedField("functions", "it is the older form of 'tools', which is");
  }
  if (typeof body.function_call === "object") {
    throw unsupportedField("function_call", "it is the older form of 'tool_choice', which is");
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
  // The word for as long as the model likes.
  if (body.verbosity !== undefined && body.verbosity !== "medium") {
    throw unsupportedField("verbosity", "the length of an answer is the model's choice");
  }
}
