// Escapes for other languages: Go's html, js, urlquery and %q.
import type { TemplateText } from "./template-text.ts";

const htmlEscapes: Record<string, string> = {
  '"': "&#34;",
  "'": "&#39;",
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
};

export function htmlText(text: TemplateText): TemplateText {
  return text.map((part) =>
    part
      .replaceAll("\0", "\ufffd")
      .replaceAll(/["'&<>]/g, (character) => htmlEscapes[character] ?? character),
  );
}

const jsEscapes: Record<string, string> = {
  "\\": "\\\\",
  "'": "\\'",
  '"': '\\"',
  "<": "\\u003C",
  ">": "\\u003E",
  "&": "\\u0026",
  "=": "\\u003D",
};
const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

export function jsText(text: TemplateText): TemplateText {
  return text.map((part) =>
    part.replaceAll(/[\\'"<>&=]|[^ -\x7f]/gu, (character) => {
      const isEscaped = unprintable.test(character);
      return jsEscapes[character] ?? (isEscaped ? `\\u${hexOf(character, 4)}` : character);
    }),
  );
}

export function urlQueryText(text: TemplateText): TemplateText {
  return text.map((part) =>
    encodeURIComponent(part)
      .replaceAll("%20", "+")
      .replaceAll(/[!'()*]/g, (character) => `%${hexOf(character, 2)}`),
  );
}

const quoteEscapes: Record<string, string> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
};

/** Applies Go's escapes inside quotes of the given kind. */
export function quotedCharacters(part: string, quote: string, asciiOnly: boolean): string {
  let result = "";
  for (const character of part) {
    const code = character.codePointAt(0) ?? 0;
    const isPlain = !unprintable.test(character) && !(asciiOnly && code > 0x7e);
    if (character === quote) result += `\\${quote}`;
    else if (quoteEscapes[character] !== undefined) result += quoteEscapes[character];
    else if (isPlain) result += character;
    else if (code < 0x80) result += `\\x${hexOf(character, 2).toLowerCase()}`;
    else if (code <= 0xffff) result += `\\u${hexOf(character, 4).toLowerCase()}`;
    else result += `\\U${hexOf(character, 8).toLowerCase()}`;
  }
  return result;
}

function hexOf(character: string, digits: number): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(digits, "0");
}
