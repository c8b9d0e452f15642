// An answer as a response: the whole object, or stream events.
import type { ProductError } from "../../../../base/product-error.ts";
import type { CanonicalEvent, Truncation } from "../../../../engine/request.ts";
import { openaiCode } from "../../../plugins/error-replies.ts";
import type { NamedAnswer, NamedEvent } from "../../named-events.ts";
import { TokenMeter } from "../reply-fields.ts";
import type { OfferedTools } from "./offered-tools.ts";
import { uniqueId } from "./output-items.ts";
import { ResponseOutput } from "./response-output.ts";
import type { ResponseBody } from "./schema.ts";

type Status = "in_progress" | "completed" | "incomplete" | "failed";

export class ResponseAnswer implements NamedAnswer {
  readonly #id = uniqueId("resp");
  readonly #createdAt = nowSeconds();
  readonly #body: ResponseBody;
  readonly #meter = new TokenMeter();
  readonly #output: ResponseOutput;
  #status: Status = "in_progress";
  #hasBegun = false;
  #sequence = 0;
  #truncated: Truncation | undefined;

  /** @param tools that the model was offered */
  constructor(body: ResponseBody, tools: Pick<OfferedTools, "find">) {
    this.#body = body;
    this.#output = new ResponseOutput(tools);
  }

  take(event: CanonicalEvent): NamedEvent[] {
    this.#meter.take(event);
    if (event.type === "started") return this.#begin();
    if (event.type !== "done") return this.#numbered(this.#output.take(event));
    const begun = this.#begin();
    this.#truncated = event.truncated;
    this.#status = event.reason === "length" ? "incomplete" : "completed";
    const ended = this.#numbered(this.#output.complete(this.#status));
    const last = this.#lifecycle(`response.${this.#status}`, this.#output.toJson());
    return [...begun, ...ended, ...last];
  }

  fail(error: ProductError): NamedEvent[] {
    const { sentence: message, param = null } = error;
    const code = openaiCode(error);
    // A silent stream was opened before its answer began.
    const begun = this.#begin();
    this.#status = "failed";
    const ended = this.#numbered(this.#output.end("incomplete"));
    const told = this.#numbered([{ type: "error", code, message, param }]);
    // Response error codes are a fixed list; our code is in the preceding event.
    const response = { error: { code: "server_error", message } };
    return [
      ...begun,
      ...ended,
      ...told,
      ...this.#lifecycle("response.failed", this.#output.toJson(), response),
    ];
  }

  toJson() {
    return this.#response(this.#output.wholeItems());
  }

  #begin(): NamedEvent[] {
    // An answer that drops its oldest turns starts several times.
    if (this.#hasBegun) return [];
    this.#hasBegun = true;
    return [
      ...this.#lifecycle("response.created", []),
      ...this.#lifecycle("response.in_progress", []),
    ];
  }

  #lifecycle(
    type: string,
    output: Array<Record<string, unknown>>,
    more: Record<string, unknown> = {},
  ): NamedEvent[] {
    return this.#numbered([{ type, response: { ...this.#response(output), ...more } }]);
  }

  #numbered(events: readonly NamedEvent[]): NamedEvent[] {
    return events.map((event) => {
      const sequence_number = this.#sequence;
      this.#sequence += 1;
      return { ...event, sequence_number };
    });
  }

  #response(output: Array<Record<string, unknown>>) {
    const status = this.#status;
    const hasEnded = status === "completed" || status === "incomplete";
    return {
      id: this.#id,
      object: "response",
      created_at: this.#createdAt,
      completed_at: status === "completed" ? nowSeconds() : null,
      status,
      background: false,
      error: null,
      incomplete_details: status === "incomplete" ? { reason: "max_output_tokens" } : null,
      ...requestFields(this.#body),
      output,
      usage: hasEnded ? usageOf(this.#meter) : null,
      // Ours: parts dropped from the conversation.
      ...(this.#truncated !== undefined && { truncated: this.#truncated }),
    };
  }
}

/** Request fields that a response repeats. */
function requestFields(body: ResponseBody) {
  return {
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: body.max_tool_calls ?? null,
    metadata: body.metadata ?? {},
    model: body.model,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: null,
    reasoning: { effort: body.reasoning?.effort ?? null, summary: body.reasoning?.summary ?? null },
    store: false,
    // Null when the model's own settings apply.
    temperature: body.temperature ?? null,
    text: {
      format: body.text?.format ?? { type: "text" },
      verbosity: body.text?.verbosity ?? "medium",
    },
    tool_choice: body.tool_choice ?? "auto",
    tools: body.tools ?? [],
    top_logprobs: body.top_logprobs ?? 0,
    top_p: body.top_p ?? null,
    truncation: body.truncation ?? "disabled",
  };
}

function usageOf({ promptTokens, cachedTokens, completionTokens, reasoningTokens }: TokenMeter) {
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: 0 },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: promptTokens + completionTokens,
  };
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
