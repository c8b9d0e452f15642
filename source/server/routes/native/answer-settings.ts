// How generate and chat are asked to answer: the fields they share, read into the canonical request.
import type { AnswerFormat, CanonicalRequest, ThinkLevel } from "../../../engine/request.ts";
import { invalidField } from "../../errors.ts";
import { parseKeepAlive } from "../../options.ts";
import type { AnswerBody } from "./schema.ts";

type AnswerSettings = Pick<
  CanonicalRequest,
  "topLogprobs" | "think" | "truncate" | "shift" | "reportProgress" | "renderOnly" | "keepAliveMs"
>;

/**
 * What can be told without knowing the model.
 *
 * @throws ProductError `SERVER_FIELD_INVALID`
 */
export function readAnswerSettings(body: AnswerBody): AnswerSettings {
  return {
    topLogprobs: topLogprobsOf(body),
    think: parseThink(body.think),
    // A prompt is cut, and a full window moved on, only where the request asks for it.
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
    `invalid format: ${shorten(JSON.stringify(format))}; expected "json" or a JSON schema object`,
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
    `invalid think value: ${shorten(JSON.stringify(think))}; it must be true, false, "low", "medium", "high" or "max"`,
  );
}

/** Undefined where no log-probabilities are wanted: alternatives alone are not, as Ollama has it. */
function topLogprobsOf({ logprobs, top_logprobs: top = 0 }: AnswerBody): number | undefined {
  if (top < 0 || top > 20) {
    throw invalidField("top_logprobs", "top_logprobs must be between 0 and 20");
  }
  return logprobs === true ? top : undefined;
}

/** What a client sent may be megabytes long. */
function shorten(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`;
}
