// Tool that fetches a page of the public internet, if the person typed its address: a page or a file
// that the model reads could otherwise send it anywhere, with what it knows in the address.
import { quoteShort } from "../../base/display-text.ts";
import { FetchRefusal, fetchPublic } from "../../base/fetch-public.ts";
import { type BuiltInTool, ToolFailure } from "./built-in-server.ts";

const maxPageBytes = 5 * 1024 * 1024;
const textTypes = /^(?:text\/.*|application\/(?:.*[+])?(?:json|xml)|application\/javascript|)$/;

/** @param isAllowed tells if an address may be contacted; defaults to foreign public addresses */
export function fetchPageTool(isAllowed?: (address: string) => boolean): BuiltInTool {
  return {
    name: "fetch_page",
    description: "Fetch the text of a web page whose address the user typed",
    parameters: { url: { type: "string", description: "Address, as the user typed it" } },
    isReadOnly: true,
    async run(values, { signal, typed }) {
      const wanted = values.text("url");
      const address = typedAddress(wanted, typed);
      if (address === undefined) {
        throw new ToolFailure(
          `${quoteShort(wanted)} was not fetched: only addresses that the user typed are. Ask for it.`,
        );
      }
      try {
        const { type, charset, bytes } = await fetchPublic(address, {
          maxBytes: maxPageBytes,
          signal,
          isAllowed,
        });
        if (!textTypes.test(type)) throw new ToolFailure(`The page is not a text but ${type}.`);
        const text = decode(bytes, charset);
        return /html/.test(type) || /^\s*<(?:!doctype html|html)/i.test(text)
          ? pageText(text)
          : text;
      } catch (error) {
        if (!(error instanceof FetchRefusal)) throw error;
        signal.throwIfAborted();
        throw new ToolFailure(`${quoteShort(error.url)} was not fetched: ${error.message}.`);
      }
    },
  };
}

/**
 * Returns an address to fetch; undefined if no typed text has it. A person may leave out `https://`.
 */
export function typedAddress(wanted: string, typed: readonly string[]): string | undefined {
  const target = addressOf(wanted);
  if (target === undefined) return undefined;
  for (const text of typed) {
    for (const word of text.split(/[\s<>"'`()[\]{}]+/)) {
      const written = addressOf(word.replace(/[.,;:!?]+$/, ""));
      const isSame = written !== undefined && bare(written) === bare(target);
      // The typed scheme is kept: nobody who typed https gets http.
      if (isSame) return written.href;
    }
  }
  return undefined;
}

function addressOf(text: string): URL | undefined {
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  if (!hasScheme && !/^[^/\s@:]+\.[^/\s@:]+/.test(text)) return undefined;
  const url = URL.parse(hasScheme ? text : `https://${text}`);
  return url !== null && /^https?:$/.test(url.protocol) ? url : undefined;
}

function bare({ host, pathname, search }: URL): string {
  return `${host}${pathname}${search}`;
}

function decode(bytes: Buffer, charset = "utf-8"): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    // A name that no standard has.
    return new TextDecoder().decode(bytes);
  }
}

/** Elements without readable text. */
const hidden = new Set(["script", "style", "template", "svg", "noscript", "title", "iframe"]);
const lineElements =
  /^(?:address|article|aside|blockquote|br|dd|div|dl|dt|footer|form|h[1-6]|header|hr|li|main|nav|ol|p|pre|section|table|tr|ul)$/;
const entities: Readonly<Record<string, string>> = {
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", copy: "©", reg: "®" },
  ...{ hellip: "…", mdash: "—", ndash: "–", lsquo: "‘", rsquo: "’", ldquo: "“", rdquo: "”" },
};

/** Returns the readable text of HTML, in one pass: pages of strangers may be of any form. */
export function pageText(html: string): string {
  const parts: string[] = [];
  const title = /<title[^>]{0,200}>([^<]{0,500})/i.exec(html)?.[1];
  if (title !== undefined) parts.push(title, "\n\n");
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    parts.push(html.slice(at, open < 0 ? undefined : open).replaceAll(/\s+/g, " "));
    if (open < 0) break;
    const isComment = html.startsWith("<!--", open);
    const close = isComment ? html.indexOf("-->", open + 4) : html.indexOf(">", open);
    if (close < 0) break;
    at = close + (isComment ? 3 : 1);
    const [, slash = "", tag = ""] =
      /^<(\/?)([a-z][a-z0-9-]*)/i.exec(html.slice(open, open + 40)) ?? [];
    const name = tag.toLowerCase();
    if (lineElements.test(name)) parts.push(name === "li" && slash === "" ? "\n- " : "\n");
    else if (/^t[dh]$/.test(name) && slash === "") parts.push(" | ");
    if (!hidden.has(name) || slash !== "") continue;
    const end = new RegExp(`</${name}`, "gi");
    end.lastIndex = at;
    // Without an end, the rest of the page belongs to it.
    at = end.exec(html)?.index ?? html.length;
  }
  return parts
    .join("")
    .replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi, entityText)
    .split("\n")
    .map((line) => line.trim())
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

function entityText(all: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return entities[name.toLowerCase()] ?? all;
  const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
  return code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : "\ufffd";
}
