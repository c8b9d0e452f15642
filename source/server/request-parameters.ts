// The parameters that a request's record shows: short, and without anything that was said.
import type { CanonicalRequest } from "../engine/request.ts";
import type { ResolvedModel } from "../store/model-catalog.ts";

const longestText = 60;
const mostTexts = 8;

/** What was in force: the model's parameters overridden by the request's, and what else it set. */
export function parametersInForce(
  canonical: CanonicalRequest,
  model: ResolvedModel,
): Record<string, unknown> {
  const { input, format, think, truncate, shift } = canonical;
  const chat = input.kind === "chat" ? input : undefined;
  return Object.fromEntries(
    Object.entries({
      ...model.parameters,
      ...canonical.parameters,
      format: format?.kind,
      think,
      tools: chat === undefined || chat.tools.length === 0 ? undefined : chat.tools.length,
      truncate: truncate || undefined,
      shift: shift || undefined,
      messages: chat?.messages.length,
    })
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, Array.isArray(value) ? shortTexts(value) : value]),
  );
}

function shortTexts(values: readonly unknown[]): string[] {
  return values.slice(0, mostTexts).map((value) => String(value).slice(0, longestText));
}
