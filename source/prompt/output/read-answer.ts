// Reading of an answer with marked calls between its content.
import type { Output } from "./output.ts";
import type { Reading } from "./output-text.ts";

/** Syntax of calls between content. */
export interface CallSyntax {
  /** Texts that begin a call; none may be the beginning of another. */
  openings: readonly string[];
  /** Texts that begin a call only at the start of the answer or directly after another call. */
  openingsAtStart?: readonly string[];
  /**
   * Reads from the opening to the end of the call's last mark. False restores the text: it is content.
   */
  read(output: Output): Reading<boolean>;
  /** Marks that some models write around the content of an answer. */
  frame?: { open: string; close: string };
  /** Control tokens that may appear anywhere in the content and are not part of it. */
  strays?: {
    marks: readonly string[];
    /** Reads one of the marks and the text that belongs to it. */
    read(output: Output): Reading;
  };
}

/** Calls that models write without the marks of their format. */
export interface LooseCallSyntax {
  /** Texts that may begin one anywhere in the answer. */
  openings: readonly string[];
  /**
   * @param isAtStart nothing of the answer has been read before
   * @param frameEnd mark that may close the answer after the calls
   * @returns the number of characters that are content, unread; 0 if calls were read
   */
  read(output: Output, isAtStart: boolean, frameEnd: string | undefined): Reading<number>;
}

/**
 * Passes content on as it arrives, holding back only possible marks. White space before the first call,
 * between calls and after the last one is not content.
 *
 * @param gap white space already read before the answer
 * @param loose undefined if only marked calls count
 */
export function* readAnswer(
  output: Output,
  syntax: CallSyntax,
  gap: string,
  loose: LooseCallSyntax | undefined,
): Reading {
  const { text } = output;
  const { open, close } = syntax.frame ?? {};
  const isFramed = open !== undefined && (yield* text.skip(open));
  const openings = output.hasTools ? syntax.openings : [];
  const openingsHere = output.hasTools ? [...openings, ...(syntax.openingsAtStart ?? [])] : [];
  const strays = syntax.strays?.marks ?? [];
  const frameEnd = isFramed && close !== undefined ? [close] : [];
  const looseOpenings = output.hasTools ? (loose?.openings ?? []) : [];
  const marks = [...openings, ...frameEnd, ...strays, ...looseOpenings];
  let space = isFramed ? "" : gap;
  // White space at the end belongs to a preceding call or frame, if any.
  let isContent = true;
  let isAtStart = true;
  for (;;) {
    space += yield* text.takeSpace();
    const opening = yield* text.oneOf(openingsHere);
    if (opening !== undefined && (yield* text.attempt(syntax.read(output)))) {
      space = "";
      isContent = false;
      isAtStart = false;
      continue;
    }
    let contentLength = opening === undefined ? 0 : 1;
    if (loose !== undefined && (yield* text.oneOf(looseOpenings)) !== undefined) {
      contentLength = yield* loose.read(output, isAtStart, frameEnd[0]);
      isAtStart = false;
      if (contentLength === 0) {
        space = "";
        isContent = false;
        continue;
      }
    }
    if ((yield* text.oneOf(strays)) !== undefined) {
      yield* syntax.strays?.read(output) ?? [];
      continue;
    }
    if (text.isOver && !isContent) return;
    output.content(space);
    output.content(text.take(contentLength));
    isAtStart = false;
    const mark = yield* text.passUntil(marks, output.content);
    if (mark === undefined) return;
    space = "";
    isContent = !(mark === close && (yield* text.skip(mark)));
  }
}
