// Tests that Markdown fits any width, that a growing answer looks as it will in the end, and that
// finished blocks are not laid out again. Compares rows as texts and as tones.
import { describe, expect, it } from "vitest";
import { CodeHighlighter } from "../../../source/ui/markdown/code-highlighter.ts";
import { codePieces, MarkdownLayout } from "../../../source/ui/markdown/markdown-layout.ts";
import { runsText, runsWidth, type TextRow } from "../../../source/ui/text/text-run.ts";
import { toAscii } from "../../../source/ui/theme.ts";

const highlighter = new CodeHighlighter();
await highlighter.load();

function layout(width = 60): MarkdownLayout {
  return new MarkdownLayout(width, { highlighter });
}

function texts(markdown: string, width = 60): string[] {
  return layout(width).rows(markdown, false).map(runsText);
}

function tones(markdown: string): string[][] {
  const rows = layout().rows(markdown, false);
  return rows.map((row) => row.map(({ text, tone }) => `${tone}:${text}`));
}

const everything = `# Title

A paragraph with **strong**, *emphasis*, \`code\`, ~~struck~~ and a [link](https://example.com/a).
A second line of it.

1. first
2. second
   - nested
   - [x] done

> quoted
> lines

| Name | Size |
| ---- | ---: |
| tiny | 2 MB |
| large one | 20 GB |

---

\`\`\`ts
const a = "b"; // why
if (a) {
\treturn 1;
}
\`\`\`

Last &amp; least: <b>html</b>.
`;

describe("Markdown", () => {
  it("becomes rows", () => {
    expect(texts(everything)).toMatchInlineSnapshot(`
      [
        "Title",
        "",
        "A paragraph with strong, emphasis, code, struck and a link ",
        "(https://example.com/a).",
        "A second line of it.",
        "",
        "1. first",
        "2. second",
        "   • nested",
        "   • [x] done",
        "",
        "▎ quoted",
        "▎ lines",
        "",
        "Name      │  Size",
        "──────────┼──────",
        "tiny      │  2 MB",
        "large one │ 20 GB",
        "",
        "────────────────────────────────────────",
        "",
        "┌─ ts",
        "│ const a = "b"; // why",
        "│ if (a) {",
        "│     return 1;",
        "│ }",
        "└─",
        "",
        "Last & least: <b>html</b>.",
      ]
    `);
  });

  it("is drawn in ASCII on request", () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII is the subject
    expect(toAscii(texts(everything).join("\n"))).toMatch(/^[\x00-\x7f]*$/);
  });

  it("keeps line breaks, and one blank row between blocks", () => {
    expect(texts("one\ntwo\n\n\n\nthree\n")).toEqual(["one", "two", "", "three"]);
    expect(texts("Look:\n- a\n- b")).toEqual(["Look:", "• a", "• b"]);
  });

  it("styles strong, code and links", () => {
    expect(tones("**a** `b` [c](d) *e*")).toEqual([
      ["strong:a", "plain: ", "code:b", "plain: ", "link:c", "dim: (d)", "plain: ", "emphasis:e"],
    ]);
  });

  it("highlights code in a known language", () => {
    const [, first] = tones('```ts\nconst a = "b"; // why\n```');
    expect(first).toEqual([
      "dim:│ ",
      "keyword:const",
      "plain: a = ",
      'string:"b"',
      "plain:; ",
      "comment:// why",
    ]);
    expect(tones("```nonsense\nconst\n```")[1]).toEqual(["dim:│ ", "code:const"]);
  });

  it.each([20, 33, 60, 120])("is never wider than %d cells", (width) => {
    const wide = `${everything}\n漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字 👩‍👩‍👧 é\n\n\`\`\`\n${"x".repeat(300)}\n漢字\t漢字\n\`\`\`\n`;
    for (const row of layout(width).rows(wide, false)) {
      expect(runsWidth(row), runsText(row)).toBeLessThanOrEqual(width);
    }
  });

  it("cannot send control sequences", () => {
    const said = texts("a\u001b[2Jb\u202ec\n\n```\n\u0007\u009b\n```\n# \u001b]0;x").join("\n");
    for (const obeyed of ["\u001b", "\u0007", "\u009b", "\u202e"]) {
      expect(said).not.toContain(obeyed);
    }
    expect(said).toContain("^[[2J");
  });

  it("never fails, however malformed", () => {
    for (const broken of [
      "```",
      "| a |\n|",
      "> > > >",
      "[a](",
      "- - - - a",
      "\\",
      "*".repeat(999),
      "&#x;",
    ]) {
      expect(texts(broken).length, broken).toBeGreaterThan(0);
    }
  });
});

describe("a growing answer", () => {
  it("ends up the same wherever its pieces were cut", () => {
    for (const size of [1, 3, 7, 50]) {
      const growing = layout();
      for (let end = size; end < everything.length; end += size) {
        growing.rows(everything.slice(0, end), true);
      }
      expect(growing.rows(everything, false).map(runsText)).toEqual(texts(everything));
    }
  });

  it("accepts Windows line breaks", () => {
    const windows = everything.replaceAll("\n", "\r\n");
    const growing = layout();
    for (let end = 1; end < windows.length; end += 1) growing.rows(windows.slice(0, end), true);
    expect(growing.rows(windows, false).map(runsText)).toEqual(texts(everything));
  });

  it("keeps the rows of finished blocks", () => {
    const growing = layout();
    const first = growing.rows("one\n\ntwo\n\nthr", true);
    const second = growing.rows("one\n\ntwo\n\nthree and", true);
    expect(second.slice(0, 4).every((row: TextRow, at) => row === first[at])).toBe(true);
    expect(runsText(second[4] ?? [])).toBe("three and");
  });

  it("shows code while it is written", () => {
    const growing = layout();
    growing.rows("Look:\n```ts\nconst a", true);
    const rows = growing.rows("Look:\n```ts\nconst a = 1;\nconst b", true).map(runsText);
    expect(rows).toEqual(["Look:", "┌─ ts", "│ const a = 1;", "│ const b", "└─"]);
  });

  it("starts over with another text", () => {
    const growing = layout();
    growing.rows("one\n\ntwo\n\nthree", true);
    expect(growing.rows("other", false).map(runsText)).toEqual(["other"]);
  });
});

it("the code blocks of a message are found, also in lists", () => {
  const text = "a\n```ts\nx\n```\n- b\n  ```\n  y\n  ```\n\n> ```sh\n> z\n> ```\n";
  expect(codePieces(text)).toEqual(["x", "y", "z"]);
});
