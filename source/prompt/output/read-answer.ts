// Reads an answer in which calls are set between the content by marks.
import type { Output } from "./output.ts";
import type { Reading } from "./output-text.ts";

/** How a format writes calls between its content. */
export interface CallSyntax {
  /** Texts with which a call begins; none may be the beginning of another. */
  openings: readonly string[];
  /** Texts with which a call begins only where the answer begins or right behind another call. */
  openingsAtStart?: readonly string[];
  /**
   * Reads from the opening to behind the call's last mark. False gives the text back: it is content.
   */
  read(output: Output): Reading<boolean>;
  /** Marks that some models put around the content of an answer. */
  frame?: { open: string; close: string };
  /** Control tokens that may turn up anywhere in the content and are no part of it. */
  strays?: {
    marks: readonly string[];
    /** Reads one of the marks and what belongs to it. */
    read(output: Output): Reading;
  };
}

/**
 * Content is passed on as it comes; only a possible mark is held back. White space before the first
 * call, between calls and behind the last one is not content.
 *
 * @param gap white space already read before the answer
 */
export function* readAnswer(output: Output, syntax: CallSyntax, gap: string): Reading {
  const { text } = output;
  const { open, close } = syntax.frame ?? {};
  const isFramed = open !== undefined && (yield* text.skip(open));
  const openings = output.hasTools ? syntax.openings : [];
  const openingsHere = output.hasTools ? [...openings, ...(syntax.openingsAtStart ?? [])] : [];
  const strays = syntax.strays?.marks ?? [];
  const frameEnd = isFramed && close !== undefined ? [close] : [];
  const marks = [...openings, ...frameEnd, ...strays];
  let space = isFramed ? "" : gap;
  // White space at the end belongs to a call or a frame before it, if there was one.
  let isContent = true;
  for (;;) {
    space += yield* text.takeSpace();
    const opening = yield* text.oneOf(openingsHere);
    if (opening !== undefined && (yield* text.attempt(syntax.read(output)))) {
      space = "";
      isContent = false;
      continue;
    }
    if ((yield* text.oneOf(strays)) !== undefined) {
      yield* syntax.strays?.read(output) ?? [];
      continue;
    }
    if (text.isOver && !isContent) return;
    output.content(space);
    if (opening !== undefined) output.content(text.take(1));
    const mark = yield* text.passUntil(marks, output.content);
    if (mark === undefined) return;
    space = "";
    isContent = !(mark === close && (yield* text.skip(mark)));
  }
}
