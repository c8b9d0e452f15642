// Exports a conversation as Markdown for people, or as JSON for programs.

import type { ChatSettings } from "../chat-backend.ts";
import type { SessionToolCall } from "../sessions/session.ts";
import {
  type EntryImage,
  earlyEndings,
  messageOf,
  type TranscriptEntry,
} from "./transcript-entry.ts";

export interface ExportedChat {
  readonly name: string;
  readonly model: string;
  readonly settings: ChatSettings;
  readonly entries: readonly TranscriptEntry[];
}

/** Returns the format by the file's ending; undefined for another one. */
export function exportFormat(file: string): "markdown" | "json" | undefined {
  if (/\.(md|markdown)$/i.test(file)) return "markdown";
  return /\.json$/i.test(file) ? "json" : undefined;
}

export function toMarkdown({ name, model, settings, entries }: ExportedChat): string {
  const parts = [`# ${name}`, `Model: ${model}`];
  if (settings.system !== undefined) parts.push(`System: ${settings.system}`);
  for (const entry of entries) {
    if (entry.kind === "user") {
      const images = (entry.images ?? []).map((image) => `*${imageText(image)}*`);
      parts.push("## You", ...images, entry.text);
    } else if (entry.kind === "assistant") {
      const callText = ({ name, arguments: values }: SessionToolCall) =>
        `\`${name}(${JSON.stringify(values)})\``;
      const steps = (entry.steps ?? []).flatMap(({ text, calls: made }) => [
        text,
        ...made.flatMap((call) => [callText(call), `> ${call.result.replaceAll("\n", "\n> ")}`]),
      ]);
      const calls = [...steps, ...(entry.toolCalls ?? []).map(callText)];
      const ending = entry.state === "running" ? "not finished" : earlyEndings[entry.state]?.words;
      parts.push("## Assistant", ...calls, entry.text, ending ? `*(${ending})*` : "");
    }
  }
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** Includes the images, so that nothing is lost; messages have the form of `/api/chat`. */
export function toJson({ name, model, settings, entries }: ExportedChat): string {
  const messages = entries.flatMap((entry) => {
    if (entry.kind !== "assistant") return messageOf(entry);
    const { thinking, state } = entry;
    const ending = state === "complete" ? undefined : state;
    return messageOf(entry).map((message) => ({ ...message, thinking, ending }));
  });
  const { system, parameters } = settings;
  const chat = { name, model, system, options: parameters };
  return `${JSON.stringify({ ...chat, messages }, undefined, 2)}\n`;
}

function imageText({ name, width, height }: EntryImage): string {
  return `${name} ${width}x${height}`;
}
