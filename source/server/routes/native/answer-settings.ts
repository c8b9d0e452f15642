// Fields shared by generate and chat, read into the canonical request.

import { quoteShort } from "../../../base/display-text.ts";
import type { AnswerFormat, CanonicalRequest, ThinkLevel } from "../../../engine/request.ts";
import { invalidField } from "../../errors.ts";
import { parseKeepAlive } from "../../options.ts";
import type { AnswerBody } from "./schema.ts";

type AnswerSettings = Pick<
  CanonicalRequest,
  "topLogprobs" | "think" | "truncate" | "shift" | "reportProgress" | "renderOnly" | "keepAliveMs"
>;

/**
 * Reads everything that does not depend on the model.
 *
 * @throws ProductError `SERVER_FIELD_INVALID`
 */
export function readAnswerSettings(body: AnswerBody): AnswerSettings {
  return {
    topLogprobs: topLogprobsOf(body),
    think: parseThink(body.think),
    // Truncation and context shift apply only when the request asks for them.
    truncate: body.truncate === true,
    shift: body.shift === true,
    reportProgress: body.progress === true,
    renderOnly: body._debug_render_only === true,
    keepAliveMs: parseKeepAlive(body.keep_alive),
  };
}

/**
 * @returns undefined for none
 * @throws ProductError `SERVER_FIELD_INVALID`
 */
export function parseFormat(format: unknown): AnswerFormat | undefined {
  if (format === undefined || format === null || format === "") return undefined;
  if (format === "json") return { kind: "json" };
  if (typeof format === "object" && !Array.isArray(format)) {
    return { kind: "schema", schema: format };
  }
  throw invalidField(
    "format",
    `invalid format: ${shown(format)}; expected "json" or a JSON schema object`,
  );
}

const thinkLevels = ["low", "medium", "high", "max"] as const;

/** @throws ProductError `SERVER_FIELD_INVALID` */
export function parseThink(think: unknown): ThinkLevel | undefined {
  if (think === undefined || typeof think === "boolean") return think;
  const level = thinkLevels.find((name) => name === think);
  if (level !== undefined) return level;
  throw invalidField(
    "think",
    `invalid think value: ${shown(think)}; it must be true, false, "low", "medium", "high" or "max"`,
  );
}

/**
 * Undefined when log-probabilities are off: alternatives alone do not turn them on, as in Ollama.
 */
function topLogprobsOf({ logprobs, top_logprobs: top = 0 }: AnswerBody): number | undefined {
  if (top < 0 || top > 20) {
    throw invalidField("top_logprobs", "top_logprobs must be between 0 and 20");
  }
  return logprobs === true ? top : undefined;
}

/** Quotes a value of the client, which may be megabytes long. */
function shown(value: unknown): string {
  return quoteShort(typeof value === "string" ? value : JSON.stringify(value));
}
