// Parameters shown in a request's record: short, without content.
import type { CanonicalRequest } from "../engine/request.ts";
import type { ResolvedModel } from "../store/model-catalog.ts";

const longestText = 60;
const mostTexts = 8;

/** Effective parameters: the model's, overridden by the request's. */
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
