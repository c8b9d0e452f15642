// Draws the contents of a terminal as SVG.
import type { Terminal } from "@xterm/headless";

const cell = { width: 8.4, height: 18 };
const margin = 12;
const background = "#1c1f26";
const foreground = "#d7dae0";
// The terminal's 16 colours.
const palette = [
  "#3b4048 #e06c75 #98c379 #e5c07b #61afef #c678dd #56b6c2 #abb2bf",
  "#6b7280 #ef8a91 #b0d68f #f0d197 #84c3f5 #d59ce5 #7cc8d1 #ffffff",
]
  .join(" ")
  .split(" ");

/** Returns the text of a terminal's rows. */
export function terminalLines(terminal: Terminal): string[] {
  const buffer = terminal.buffer.active;
  return Array.from(
    { length: terminal.rows },
    (_, y) => buffer.getLine(y)?.translateToString(true) ?? "",
  );
}

/** @param title description of the picture, for screen readers */
export function drawTerminal(terminal: Terminal, title: string): string {
  const width = terminal.cols * cell.width + 2 * margin;
  const height = terminal.rows * cell.height + 2 * margin;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect width="100%" height="100%" rx="8" fill="${background}"/>`,
    ...Array.from({ length: terminal.rows }, (_, y) => drawRow(terminal, y)),
    "</svg>",
    "",
  ]
    .filter((line, index, all) => line !== "" || index === all.length - 1)
    .join("\n");
}

interface Run {
  readonly x: number;
  text: string;
  cells: number;
  readonly colour: string;
  readonly back: string | undefined;
  readonly style: string;
}

/** Draws one text element per run of a style, so that positions are exact with any font. */
function drawRow(terminal: Terminal, y: number): string {
  const top = margin + y * cell.height;
  const baseline = top + 14;
  return runsOf(terminal, y)
    .flatMap(({ x, text, cells, colour, back, style }) => {
      const left = (margin + x * cell.width).toFixed(1);
      const width = (cells * cell.width).toFixed(1);
      const behind =
        back === undefined
          ? []
          : [
              `<rect x="${left}" y="${top}" width="${width}" height="${cell.height}" fill="${back}"/>`,
            ];
      const kept = text.trimEnd();
      if (kept === "") return behind;
      const length = ((cells - (text.length - kept.length)) * cell.width).toFixed(1);
      return [
        ...behind,
        `<text x="${left}" y="${baseline}" textLength="${length}" xml:space="preserve" fill="${colour}"${style}>${escapeXml(kept)}</text>`,
      ];
    })
    .join("\n");
}

function runsOf(terminal: Terminal, y: number): Run[] {
  const line = terminal.buffer.active.getLine(y);
  const runs: Run[] = [];
  for (let x = 0; x < terminal.cols; x += 1) {
    const here = line?.getCell(x);
    // Skips the second half of a wide character.
    if (here?.getWidth() === 0) continue;
    const text = here?.getChars() || " ";
    const fore = here?.isFgPalette()
      ? (palette[here.getFgColor()] ?? foreground)
      : here?.isFgRGB()
        ? `#${here.getFgColor().toString(16).padStart(6, "0")}`
        : foreground;
    const [colour, back] = here?.isInverse() ? [background, fore] : [fore, undefined];
    const weight = here?.isBold() ? ' font-weight="bold"' : "";
    const slant = here?.isItalic() ? ' font-style="italic"' : "";
    const underline = here?.isUnderline() ? ' text-decoration="underline"' : "";
    const style = `${weight}${slant}${underline}${here?.isDim() ? ' opacity="0.6"' : ""}`;
    const cells = here?.getWidth() ?? 1;
    const last = runs.at(-1);
    if (last?.style === style && last.colour === colour && last.back === back) {
      last.text += text;
      last.cells += cells;
    } else runs.push({ x, text, cells, colour, back, style });
  }
  return runs.filter(({ text, back }) => text.trim() !== "" || back !== undefined);
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
