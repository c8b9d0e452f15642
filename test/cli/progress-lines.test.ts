// Progress of a long command, on a terminal and in a file.
import xterm from "@xterm/headless";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ProgressLines } from "../../source/cli/progress-lines.ts";

const megabyte = 1_000_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  vi.stubEnv("TERM", "xterm-256color");
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

/** Returns progress on the screen of a terminal emulator. */
function onTerminal(columns = 60, rows = 10) {
  const terminal = new xterm.Terminal({
    cols: columns,
    rows,
    allowProposedApi: true,
    convertEol: true,
  });
  let writes = 0;
  const stream = {
    isTTY: true,
    columns,
    rows,
    write(text: string) {
      writes += 1;
      terminal.write(text);
    },
  };
  return {
    progress: new ProgressLines(stream),
    writeCount: () => writes,
    write: (text: string) => terminal.write(text),
    /** All lines, including those scrolled off the screen. */
    async screen(): Promise<string[]> {
      await new Promise<void>((resolve) => terminal.write("", resolve));
      const buffer = terminal.buffer.active;
      const lines = Array.from(
        { length: buffer.length },
        (_, row) => buffer.getLine(row)?.translateToString(true) ?? "",
      );
      return lines.join("\n").trimEnd().split("\n");
    },
  };
}

/** Returns progress in a file. */
function inFile(isTTY = false) {
  const written: string[] = [];
  const stream = { isTTY, write: (text: string) => written.push(text) };
  return { progress: new ProgressLines(stream), text: () => written.join("") };
}

describe("on a terminal", () => {
  test("a status has a spinner that turns in place", async () => {
    const { progress, screen } = onTerminal();
    progress.status("pulling manifest");
    const seen = new Set<string>();
    for (let frame = 0; frame < 10; frame += 1) {
      vi.advanceTimersByTime(100);
      const lines = await screen();
      expect(lines).toHaveLength(1);
      seen.add(lines[0] ?? "");
    }
    expect(seen.size).toBe(10);
    for (const line of seen) expect(line).toMatch(/^pulling manifest [⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]$/);
    progress.finish();
    expect(await screen()).toEqual(["pulling manifest"]);
  });

  test("a removed bar leaves nothing behind", async () => {
    const { progress, screen } = onTerminal();
    progress.bar("a", "first", 1 * megabyte, 10 * megabyte);
    progress.bar("b", "second", 1 * megabyte, 10 * megabyte);
    progress.remove("a");
    progress.remove("unknown");
    expect(await screen()).toEqual([expect.stringMatching(/^second: +10%/)]);
    progress.remove("b");
    expect(await screen()).toEqual([""]);
  });

  test.each([40, 60, 80])("Ctrl+C erases the bar at %d columns", async (columns) => {
    const { progress, screen, write } = onTerminal(columns);
    progress.status("pulling manifest");
    progress.bar("a", "pulling aaa", 1 * megabyte, 10 * megabyte);
    vi.advanceTimersByTime(2000);
    progress.bar("a", "pulling aaa", 5 * megabyte, 10 * megabyte);
    vi.advanceTimersByTime(2000);
    expect((await screen()).at(-1)).toMatch(/^pulling aaa: {2}50% .*\S$/);
    write("^C");
    progress.clear();
    expect(await screen()).toEqual(["pulling manifest"]);
  });

  test("a long sentence is cut while it changes, and complete when it is done", async () => {
    const { progress, screen, write } = onTerminal(20);
    const sentence = "the template is left out, as it cannot be read";
    progress.status("first");
    progress.bar("a", "pulling", 0, 10 * megabyte);
    progress.status(sentence);
    expect((await screen()).at(-1)).toMatch(/^the template i… [⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]$/);
    progress.print("exactly twenty chars");
    progress.bar("a", "pulling", 10 * megabyte, 10 * megabyte);
    progress.status("last");
    progress.finish();
    write("next");
    expect(await screen()).toEqual([
      "first",
      "exactly twenty chars",
      "pulling: 100% 10 MB",
      "the template is left",
      " out, as it cannot b",
      "e read",
      "last",
      "next",
    ]);
  });

  test("a bar that starts over replaces its full one", async () => {
    const { progress, screen } = onTerminal();
    progress.bar("all", "pulling model", 5 * megabyte, 20 * megabyte);
    progress.bar("hash", "verifying", 5 * megabyte, 5 * megabyte);
    progress.bar("hash", "verifying", 5 * megabyte, 5 * megabyte);
    progress.bar("all", "pulling model", 10 * megabyte, 20 * megabyte);
    progress.bar("hash", "verifying", 5 * megabyte, 10 * megabyte);
    expect(await screen()).toEqual([
      expect.stringMatching(/^pulling model: {2}50%/),
      expect.stringMatching(/^verifying: {2}50%/),
    ]);
    progress.bar("hash", "verifying", 10 * megabyte, 10 * megabyte);
    progress.bar("all", "pulling model", 20 * megabyte, 20 * megabyte);
    vi.advanceTimersByTime(100);
    progress.bar("hash", "verifying", 0, 10 * megabyte);
    progress.finish();
    expect(await screen()).toEqual([
      expect.stringMatching(/^pulling model: 100%/),
      expect.stringMatching(/^verifying: 100%/),
      expect.stringMatching(/^verifying: {3}0%/),
    ]);
  });

  test("each new line ends the spinner before it, and finished lines stay", async () => {
    const { progress, screen, write } = onTerminal();
    progress.status("pulling manifest");
    progress.bar("a", "pulling aaa", 0, 10 * megabyte);
    progress.bar("b", "pulling bbb", 5 * megabyte, 10 * megabyte);
    expect(await screen()).toEqual([
      "pulling manifest",
      "pulling aaa:   0% ▕     ▏    0 B/ 10 MB",
      "pulling bbb:  50% ▕██   ▏   5 MB/ 10 MB",
    ]);
    progress.bar("a", "pulling aaa", 10 * megabyte, 10 * megabyte);
    progress.bar("b", "pulling bbb", 10 * megabyte, 10 * megabyte);
    progress.status("verifying");
    progress.status("success");
    progress.finish();
    write("$ ");
    const lines = await screen();
    expect(lines).toEqual([
      "pulling manifest",
      expect.stringMatching(/^pulling aaa: 100% ▕█+▏ {2}10 MB$/),
      expect.stringMatching(/^pulling bbb: 100% ▕█+▏ {2}10 MB$/),
      "verifying",
      "success",
      "$",
    ]);
  });

  test("other output goes above the lines that still change", async () => {
    const { progress, screen, write } = onTerminal();
    progress.status("first");
    progress.status("starting");
    progress.above(() =>
      write("a line that is longer than the terminal is wide, and goes on so\n"),
    );
    vi.advanceTimersByTime(300);
    progress.above(() => write("another\n"));
    expect(await screen()).toEqual([
      "first",
      "a line that is longer than the terminal is wide, and goes on",
      " so",
      "another",
      expect.stringMatching(/^starting .$/),
    ]);
    progress.finish();
    progress.above(() => write("after the end\n"));
    expect((await screen()).slice(-2)).toEqual(["starting", "after the end"]);
  });

  test("finished lines below an unfinished one wait for it", async () => {
    const { progress, screen } = onTerminal();
    progress.bar("a", "a", 0, 2);
    progress.bar("b", "b", 2, 2);
    vi.advanceTimersByTime(500);
    progress.bar("a", "a", 2, 2);
    vi.advanceTimersByTime(500);
    progress.status("success");
    progress.finish();
    expect((await screen()).map((line) => line.slice(0, 7))).toEqual([
      "a: 100%",
      "b: 100%",
      "success",
    ]);
  });

  test("more lines than rows are all there in the end", async () => {
    const { progress, screen } = onTerminal(60, 5);
    const keys = Array.from({ length: 12 }, (_, index) => `file ${index + 10}`);
    for (const key of keys) progress.bar(key, key, 1, 4);
    for (const key of keys.toReversed()) {
      progress.bar(key, key, 4, 4);
      vi.advanceTimersByTime(300);
    }
    progress.finish();
    const lines = await screen();
    expect(lines.map((line) => line.slice(0, 13))).toEqual(keys.map((key) => `${key}: 100%`));
  });

  test("a status may change its text", async () => {
    const { progress, screen } = onTerminal();
    progress.status("loading tiny 1 %", "load");
    progress.status("loading tiny 57 %", "load");
    vi.advanceTimersByTime(100);
    expect(await screen()).toEqual([expect.stringMatching(/^loading tiny 57 % .$/)]);
  });

  test("cleared lines leave only what was finished before them", async () => {
    const { progress, screen, write } = onTerminal();
    progress.print("a note");
    progress.status("waiting");
    progress.status("loading");
    progress.print("another\nnote");
    progress.clear();
    write("answer");
    expect(await screen()).toEqual(["a note", "waiting", "another note", "answer"]);
  });

  test("nothing is written before the start or after the end", () => {
    const { progress, writeCount } = onTerminal();
    progress.clear();
    progress.finish();
    expect(writeCount()).toBe(0);
    progress.status("x");
    progress.finish();
    const count = writeCount();
    vi.advanceTimersByTime(1000);
    progress.finish();
    progress.clear();
    expect(writeCount()).toBe(count);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("a long status stays on one row, with its spinner", async () => {
    const { progress, screen } = onTerminal(20);
    progress.status("日本語の長いステータスメッセージ");
    vi.advanceTimersByTime(300);
    expect(await screen()).toEqual([expect.stringMatching(/^日本語の長いス… .$/)]);
  });
});

test("a terminal of unknown size gets a default", () => {
  const written: string[] = [];
  const stream = { isTTY: true, columns: 0, rows: 0, write: (text: string) => written.push(text) };
  const progress = new ProgressLines(stream);
  progress.status("pulling manifest");
  progress.finish();
  expect(written.join("")).toContain("pulling manifest");
});

describe("in a file", () => {
  test.each([
    ["a pipe", false, "xterm"],
    ["a dumb terminal", true, "dumb"],
  ])("%s gets plain lines, one for each status and tenth of a bar", (_, isTTY, term) => {
    vi.stubEnv("TERM", term);
    const { progress, text } = inFile(isTTY);
    progress.status("pulling manifest");
    progress.status("pulling manifest");
    for (let done = 0; done <= 1000; done += 1) progress.bar("a", "pulling aaa", done, 1000);
    progress.bar("a", "pulling aaa", 1000, 1000);
    progress.bar("b", "pulling bbb", 7, 7);
    progress.print("a \u001b[31mnote");
    progress.status("success");
    vi.advanceTimersByTime(1000);
    progress.finish();
    expect(text()).toBe(
      [
        "pulling manifest",
        "pulling aaa: 0% 0 B/1 kB",
        ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((tenth) => `pulling aaa: ${tenth}0% ${tenth}00 B/1 kB`),
        "pulling aaa: 100% 1 kB",
        "pulling bbb: 100% 7 B",
        "a  [31mnote",
        "success",
        "",
      ].join("\n"),
    );
    expect(vi.getTimerCount()).toBe(0);
  });

  test("a cleared spinner leaves its line", () => {
    const { progress, text } = inFile();
    progress.status("loading");
    progress.clear();
    expect(text()).toBe("loading\n");
  });
});
