// An answer with calls of tools: runs each call, tells the model its result, and lets it go on.

import { plural } from "../../base/quantities.ts";
import type { ChatEvent, ClientMessage, ClientTool } from "../../client/chat-events.ts";
import type { CallOutcome, OfferedTool, WantedCall } from "../../tools/toolbox.ts";
import { readResultImages } from "./result-images.ts";
import { imagesOfResults } from "./transcript-entry.ts";

export interface ToolRunner {
  offered(signal: AbortSignal): Promise<readonly OfferedTool[]>;
  /** @param typed what the person typed in this chat */
  run(call: WantedCall, signal: AbortSignal, typed: readonly string[]): Promise<CallOutcome>;
}

export interface AnswerWithTools {
  readonly messages: readonly ClientMessage[];
  readonly tools: ToolRunner;
  /** Calls for one message; the model then has to answer without more. */
  readonly maxCalls: number;
  readonly signal: AbortSignal;
  /** True if the model takes images. */
  readonly sees: () => Promise<boolean>;
  /** Streams the model's next turn. */
  readonly turn: (
    messages: readonly ClientMessage[],
    tools: readonly ClientTool[],
  ) => AsyncIterable<ChatEvent>;
}

/** Yields the events of all turns, with a `tool-result` for each call and one `done` at the end. */
export async function* answerWithTools({
  messages,
  tools,
  maxCalls,
  signal,
  sees,
  turn,
}: AnswerWithTools): AsyncGenerator<ChatEvent> {
  const conversation = [...messages];
  const typed = messages.flatMap((message) =>
    message.role === "user" ? [message.typed ?? message.content] : [],
  );
  let callCount = 0;
  for (;;) {
    const offered = callCount < maxCalls ? await tools.offered(signal) : [];
    const calls: WantedCall[] = [];
    let text = "";
    let done: Extract<ChatEvent, { type: "done" }> | undefined;
    for await (const event of turn(conversation, offered.map(toClientTool))) {
      if (event.type === "done") {
        done = event;
        continue;
      }
      if (event.type === "text") text += event.text;
      if (event.type === "tool-call") {
        const { name, arguments: values, isFromText = false } = event;
        calls.push({ name, arguments: values, isFromText });
      }
      yield event;
    }
    const isOver = calls.length === 0 || done?.statistics.finishReason !== "stop";
    if (isOver || offered.length === 0) {
      if (done !== undefined) yield done;
      return;
    }
    const results: ClientMessage[] = [];
    const made = [];
    const seen: string[] = [];
    for (const call of calls) {
      callCount += 1;
      const { name } = call;
      const server = offered.find((one) => one.name === name)?.tool.server ?? "";
      yield { type: "tool-start", name, server };
      const { images: found, ...outcome } =
        callCount > maxCalls ? tooMany(call, maxCalls) : await tools.run(call, signal, typed);
      const { images, problems } = await readResultImages(found, name);
      const isBlind = images.length > 0 && !(await sees());
      const notes = [...problems, ...(isBlind ? [unseenNote(images.length)] : [])];
      const content = [outcome.text, ...notes].filter((part) => part !== "").join("\n");
      const shown = images.length > 0 ? { images } : {};
      yield { type: "tool-result", name, ...outcome, text: content, ...shown };
      made.push({ function: { name, arguments: outcome.arguments } });
      results.push({ role: "tool", content, tool_name: name });
      if (!isBlind) seen.push(...images.map(({ base64 }) => base64));
    }
    conversation.push(
      { role: "assistant", content: text, tool_calls: made },
      ...results,
      ...imagesOfResults(seen),
    );
  }
}

export function toClientTool({ name, tool }: OfferedTool): ClientTool {
  const { description, inputSchema: parameters } = tool;
  return { type: "function", function: { name, description, parameters } };
}

function unseenNote(count: number): string {
  return `[${plural(count, "image")}, which you cannot see; the user can]`;
}

function tooMany({ arguments: values }: WantedCall, maxCalls: number): CallOutcome {
  const text = `Not run: the limit of ${maxCalls} calls for a message is reached. Answer now.`;
  return { server: "", arguments: values, text, isError: true, images: [] };
}
