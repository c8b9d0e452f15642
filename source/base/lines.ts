// Lines of a text that arrives in pieces.
import type { Readable } from "node:stream";

/** Yields the lines that are not empty, as they arrive. Throws the stream's error. */
export async function* linesOf(stream: Readable): AsyncGenerator<string> {
  stream.setEncoding("utf8");
  let rest = "";
  for await (const piece of stream) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "") yield line;
  }
  if (rest !== "") yield rest;
}
