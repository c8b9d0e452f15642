// gpt-oss: messages in channels, <|channel|>analysis<|message|>…<|end|>
import type { Output } from "../output.ts";
import type { OutputFormatDefinition } from "../output-format.ts";
import type { OutputText, Reading } from "../output-text.ts";
import { readArguments } from "../read-json.ts";

const startOfMessage = "<|message|>";
/** Ends of a message; the last two begin the next one. */
const ends = ["<|end|>", "<|return|>", "<|call|>", "<|start|>", "<|channel|>"];
const beginnings = ["<|start|>", "<|channel|>", "to=functions."];
/** Longer than any header with a tool's name. */
const maxHeaderLength = 256;

/**
 * The channel `analysis` is thinking, `final` and `commentary` are content, and a message to
 * `functions.NAME` is a call, with the recipient before or after the channel. The prompt ends with
 * `<|start|>assistant`. Sources: OpenAI's harmony guide; llama.cpp, common/chat.cpp and
 * tests/test-chat.cpp.
 */
export const harmony: OutputFormatDefinition = {
  isUsedBy: (template) => template.includes("<|channel|>"),
  marks: ["<|start|>", "<|channel|>", "<|constrain|>", startOfMessage, "<|end|>"],
  stopTexts: ["<|return|>", "<|call|>"],
  read,
  shape: {
    opening: "",
    beforeName: "<|channel|>commentary to=functions.",
    beforeArguments: ` <|constrain|>json${startOfMessage}`,
    afterArguments: "",
    separator: undefined,
    closing: "",
  },
  notations: [
    {
      kind: "json",
      mark: "to=functions.",
      shape: {
        opening: "to=functions.",
        beforeName: "",
        beforeArguments: startOfMessage,
        afterArguments: "",
        separator: undefined,
        closing: "",
      },
      header: '("<|channel|>" ("commentary" | "analysis"))? " "? "<|constrain|>"? "json"?',
    },
  ],
  frame: { open: `<|channel|>final${startOfMessage}`, close: "" },
  thinking: { open: `<|channel|>analysis${startOfMessage}`, close: "<|end|><|start|>assistant" },
};

function* read(output: Output): Reading {
  const { text } = output;
  let isFirst = true;
  for (;;) {
    const space = yield* text.takeSpace();
    if (text.isOver && !isFirst) return;
    if (yield* text.attempt(readMessage(output))) {
      isFirst = false;
      continue;
    }
    output.content(space);
    output.content(text.take(1));
    const mark = yield* text.passUntil(["<|start|>"], output.content);
    if (mark === undefined) return;
  }
}

function* readMessage(output: Output): Reading<boolean> {
  const { text } = output;
  const header = yield* readHeader(text);
  if (header === undefined) return false;
  const name = /^functions\.(.+)$/.exec(header.recipient ?? "")?.[1];
  if (name !== undefined) {
    if (!output.isTool(name) || !(yield* readArguments(output, name))) return false;
    yield* text.takeSpace();
  } else if (header.recipient !== undefined) {
    // A tool from the model's training that the request does not offer: not meant for the user.
    yield* text.passUntil(ends, () => {});
  } else {
    const pass = header.channel === "analysis" ? output.thinking : output.content;
    yield* text.passUntil(ends, pass);
  }
  const end = yield* text.oneOf(ends.slice(0, 3));
  text.take(end?.length ?? 0);
  return true;
}

interface Header {
  channel: string | undefined;
  recipient: string | undefined;
}

/** Reads up to and including `<|message|>`; returns undefined if no header follows. */
function* readHeader(text: OutputText): Reading<Header | undefined> {
  if ((yield* text.oneOf(beginnings)) === undefined) return undefined;
  let end = text.ahead.indexOf(startOfMessage);
  while (end < 0 && text.ahead.length < maxHeaderLength && !text.ahead.includes("\n")) {
    if (!(yield* text.more())) return undefined;
    end = text.ahead.indexOf(startOfMessage);
  }
  if (end < 0 || end > maxHeaderLength) return undefined;
  const header = text.take(end);
  text.take(startOfMessage.length);
  return parseHeader(header.replace("<|start|>assistant", ""));
}

/** Parses the parts in any order: the later of two channels counts. */
function parseHeader(header: string): Header | undefined {
  const part = /\s*(?:to=([^\s<]+)|<\|channel\|>(\w+)|<\|constrain\|>\w*|\w+)\s*/y;
  const parsed: Header = { channel: undefined, recipient: undefined };
  while (part.lastIndex < header.length) {
    const [found, recipient, channel] = part.exec(header) ?? [];
    if (found === undefined) return undefined;
    // A message to the model itself counts as one without a recipient.
    if (recipient !== "assistant") parsed.recipient = recipient ?? parsed.recipient;
    parsed.channel = channel ?? parsed.channel;
  }
  return parsed.channel === undefined && parsed.recipient === undefined ? undefined : parsed;
}
