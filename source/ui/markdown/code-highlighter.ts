// Syntax highlighting. Grammars load with the first code block, so that a chat opens faster.

import type { Element, ElementContent, Root, RootContent } from "hast";
import type { TextRun } from "../text/text-run.ts";
import type { Tone } from "../theme.ts";
import { linesOf } from "./wrap-runs.ts";

/** Longer code stays plain, since colouring would block the screen. */
const longestCode = 32 * 1024;

/** Tones for the classes of highlight.js. */
const toneOfClass: Readonly<Record<string, Tone>> = {
  keyword: "keyword",
  built_in: "type",
  type: "type",
  literal: "number",
  number: "number",
  symbol: "number",
  string: "string",
  regexp: "string",
  addition: "string",
  deletion: "error",
  comment: "comment",
  quote: "comment",
  meta: "comment",
  title: "name",
  name: "keyword",
  section: "heading",
  tag: "keyword",
  attr: "name",
  attribute: "name",
  "selector-tag": "keyword",
  "selector-class": "name",
  "selector-id": "name",
};

interface Grammars {
  registered(language: string): boolean;
  highlight(language: string, code: string): Root;
}

export class CodeHighlighter {
  readonly #onLoaded: () => void;
  #grammars: Grammars | undefined;
  #loading: Promise<void> | undefined;

  /** @param onLoaded called when plain code can be coloured */
  constructor(onLoaded: () => void = () => {}) {
    this.#onLoaded = onLoaded;
  }

  /** Resolves when grammars are loaded. */
  load(): Promise<void> {
    this.#loading ??= import("lowlight").then(({ common, createLowlight }) => {
      this.#grammars = createLowlight(common);
      this.#onLoaded();
    });
    return this.#loading;
  }

  /** Returns lines of runs; undefined for an unknown language or before grammars are loaded. */
  lines(code: string, language: string): TextRun[][] | undefined {
    if (code.length > longestCode || language === "") return undefined;
    const grammars = this.#grammars;
    // Code is readable without colours.
    if (grammars === undefined) this.load().catch(() => {});
    if (!grammars?.registered(language)) return undefined;
    return linesOf(runsOf(grammars.highlight(language, code).children, "plain"));
  }
}

function* runsOf(
  nodes: ReadonlyArray<RootContent | ElementContent>,
  tone: Tone,
): Generator<TextRun> {
  for (const node of nodes) {
    if (node.type === "text") yield { text: node.value, tone };
    else if (node.type === "element") yield* runsOf(node.children, toneOf(node) ?? tone);
  }
}

function toneOf({ properties }: Element): Tone | undefined {
  const { className } = properties;
  const names = Array.isArray(className) ? className : [];
  for (const name of names) {
    const tone = toneOfClass[String(name).replace(/^hljs-/, "")];
    if (tone !== undefined) return tone;
  }
  return undefined;
}
