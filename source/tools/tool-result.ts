// Reads the content of a tool's result, and cuts it for the model.
import { isRecord } from "../base/json.ts";
import type { ToolImage, ToolResult } from "./tool.ts";

/** Reads the content blocks of MCP: texts, images, and resources with a text. */
export function readResult(content: readonly unknown[], isError: boolean): ToolResult {
  const texts: string[] = [];
  const images: ToolImage[] = [];
  for (const block of content) {
    if (!isRecord(block)) continue;
    const { type, text, data, mimeType, resource, uri } = block;
    if (type === "text" && typeof text === "string") texts.push(text);
    else if (type === "image" && typeof data === "string" && typeof mimeType === "string") {
      images.push({ base64: data, type: mimeType });
    } else if (type === "resource" && isRecord(resource)) texts.push(resourceText(resource));
    else if (type === "resource_link") texts.push(`Resource: ${String(uri)}`);
    else texts.push(`[A result of the type ${String(type)}, which is not supported]`);
  }
  return { text: texts.join("\n").toWellFormed(), images, isError };
}

function resourceText({ text, uri, mimeType }: Record<string, unknown>): string {
  if (typeof text === "string") return text;
  return `[The resource ${String(uri)} (${String(mimeType)}) is not a text]`;
}

/** Returns the text for the model: at most so many bytes of UTF-8, with a note about the rest. */
export function cutResult(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= maxBytes) return text;
  // A character that the cut divides is dropped.
  const kept = new TextDecoder().decode(bytes.subarray(0, maxBytes), { stream: true });
  return `${kept}\n[Cut: the first ${maxBytes} of ${bytes.length} bytes. Ask for less to read the rest.]`;
}
