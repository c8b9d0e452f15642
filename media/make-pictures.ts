// Makes the README's pictures: runs the built program in a terminal of its own, asks the tiny model,
// and draws what the screen shows as SVG. Usage: npm run build && npm run pictures
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";

const columns = 100;
const rows = 30;
const cell = { width: 8.4, height: 18 };
const margin = 12;
const background = "#1c1f26";
const foreground = "#d7dae0";
// The 16 colours of the terminal that the picture pretends to be.
const palette = [
  "#3b4048 #e06c75 #98c379 #e5c07b #61afef #c678dd #56b6c2 #abb2bf",
  "#6b7280 #ef8a91 #b0d68f #f0d197 #84c3f5 #d59ce5 #7cc8d1 #ffffff",
]
  .join(" ")
  .split(" ");

const home = mkdtempSync(path.join(tmpdir(), "modelctl-pictures-"));
const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
const program = spawn(
  process.execPath,
  [path.join(import.meta.dirname, "..", "dist", "cli.js"), "run", "tiny", "--port", "11939"],
  {
    cols: columns,
    rows,
    cwd: home,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      TERM: "xterm-256color",
      COLORTERM: "truecolor",
      FORCE_COLOR: "3",
      LANG: "C.UTF-8",
      CI: "false",
    },
  },
);
program.onData((data) => terminal.write(data));
terminal.onData((data) => program.write(data));

try {
  await untilShown("Send a message");
  await ask("What is the capital of France?", "Paris.");
  await ask("Write a poem.", "it is spring.");
  await ask("List three colors.", "3. Blue");
  await untilShown("tok/s");
  writeFileSync(path.join(import.meta.dirname, "chat.svg"), draw());
} finally {
  program.write("\u0003\u0003");
  program.kill();
  rmSync(home, { recursive: true, force: true });
}
process.exit(0);

async function ask(question: string, answer: string): Promise<void> {
  for (const character of question) program.write(character);
  await untilShown(question);
  program.write("\r");
  await untilShown(answer);
  await untilShown("Enter send");
}

async function untilShown(text: string): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    if (screenLines().some((line) => line.includes(text))) return;
    await wait(50);
  }
  throw new Error(`the screen never showed ${JSON.stringify(text)}:\n${screenLines().join("\n")}`);
}

function screenLines(): string[] {
  const buffer = terminal.buffer.active;
  return Array.from({ length: rows }, (_, y) => buffer.getLine(y)?.translateToString(true) ?? "");
}

function draw(): string {
  const width = columns * cell.width + 2 * margin;
  const height = rows * cell.height + 2 * margin;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">`,
    "<title>A chat with the built-in model in a terminal</title>",
    `<rect width="100%" height="100%" rx="8" fill="${background}"/>`,
    ...Array.from({ length: rows }, (_, y) => drawRow(y)),
    "</svg>",
    "",
  ]
    .filter((line, index, all) => line !== "" || index === all.length - 1)
    .join("\n");
}

/** One text element for each run of one style: positions are exact whatever the font's width. */
function drawRow(y: number): string {
  const line = terminal.buffer.active.getLine(y);
  const runs: Array<{ x: number; text: string; style: string }> = [];
  for (let x = 0; x < columns; x += 1) {
    const here = line?.getCell(x);
    const text = here?.getChars() || " ";
    const colour = here?.isFgPalette()
      ? (palette[here.getFgColor()] ?? foreground)
      : here?.isFgRGB()
        ? `#${here.getFgColor().toString(16).padStart(6, "0")}`
        : foreground;
    const weight = here?.isBold() ? ' font-weight="bold"' : "";
    const faint = here?.isDim() ? ' opacity="0.6"' : "";
    const style = `fill="${colour}"${weight}${faint}`;
    const last = runs.at(-1);
    if (last?.style === style) last.text += text;
    else runs.push({ x, text, style });
  }
  const baseline = margin + y * cell.height + 14;
  return runs
    .filter(({ text }) => text.trim() !== "")
    .map(({ x, text, style }) => {
      const kept = text.trimEnd();
      const left = (margin + x * cell.width).toFixed(1);
      const length = (kept.length * cell.width).toFixed(1);
      return `<text x="${left}" y="${baseline}" textLength="${length}" xml:space="preserve" ${style}>${escapeXml(kept)}</text>`;
    })
    .join("\n");
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
