// Goal: a row tells how a request stands in a glyph and a word, a detail where its time went.
// Method: records in, rows out; the curl command is run by a real shell.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { plainText, rowWidth } from "../../../../source/ui/panes/styled-row.ts";
import { fitColumns } from "../../../../source/ui/panes/table.ts";
import { curlCommand } from "../../../../source/ui/screens/server/curl-command.ts";
import {
  requestColumns,
  requestRow,
  speedOf,
  statusSpan,
} from "../../../../source/ui/screens/server/request-columns.ts";
import {
  detailRows,
  detailText,
  phasesText,
  summaryRows,
} from "../../../../source/ui/screens/server/request-detail.ts";
import { asciiGlyphs, unicodeGlyphs } from "../../../../source/ui/theme.ts";
import { requestView } from "../../support/request-views.ts";

const running = { state: "running", status: undefined, totalMs: undefined } as const;

describe("the state", () => {
  test.each([
    ["✓ 200", {}],
    ["✗ 404", { status: 404, error: { code: "X", message: "gone" } }],
    ["⊘ 499", { status: 499 }],
    ["✗ broken", { error: { code: "X", message: "crashed in the middle" } }],
    ["✗ lost", { status: undefined, error: { code: "X", message: "the server went away" } }],
    ["◐ stream", { ...running }],
    ["◐ prompt", { ...running, firstTokenMs: undefined }],
    ["◌ queue", { ...running, firstTokenMs: undefined, promptTokens: undefined }],
    ["◌ open", { ...running, firstTokenMs: undefined, promptTokens: undefined, model: undefined }],
  ])("%s", (expected, change) => {
    expect(statusSpan(requestView(change), unicodeGlyphs).text).toBe(expected);
  });
});

describe("a row", () => {
  const options = { glyphs: unicodeGlyphs, isRelative: true, now: 1_007_000 };
  const columns = fitColumns(requestColumns(options), 110);

  test("has the figures in their columns", () => {
    const row = requestRow(columns, requestView(), 110, unicodeGlyphs);
    expect(plainText(row)).toMatch(
      /^7 s +r-1 +POST +\/v1\/chat\/completions +tiny +✓ 200 +2014 +71 +840 ms +55\.0 +2\.10 s$/,
    );
    expect(rowWidth(row)).toBe(110);
  });

  test("of a failure has the reason in place of figures", () => {
    const view = requestView({
      status: 400,
      error: { code: "X", message: "num_ctx 1 is \u001b[31mtoo small" },
    });
    const row = requestRow(columns, view, 110, unicodeGlyphs);
    expect(plainText(row)).toContain("✗ 400     num_ctx 1 is ␛[31mtoo small");
    expect(rowWidth(row)).toBe(110);
  });

  test("that still runs has the speed since its first token", () => {
    const view = requestView({ ...running, tokensPerSecond: undefined, completionTokens: 101 });
    expect(speedOf(view, view.startedAt + 840 + 2000)).toBe(50);
    expect(speedOf({ ...view, firstTokenMs: undefined }, view.startedAt + 9000)).toBeUndefined();
  });

  test("fits every width", () => {
    for (const width of [40, 56, 76, 96, 246]) {
      const fitted = fitColumns(requestColumns({ ...options, glyphs: asciiGlyphs }), width);
      expect(rowWidth(requestRow(fitted, requestView(), width, asciiGlyphs))).toBe(width);
    }
  });
});

describe("the detail", () => {
  test("tells the phases in their order", () => {
    expect(phasesText(requestView(), unicodeGlyphs)).toBe(
      "queued 20 ms → prompt 800 ms (2014 tokens, 1210 cached) → answer 1.28 s (71 tokens); first token after 840 ms, 2.10 s in all",
    );
    const nothing = { queueMs: undefined, promptMs: undefined, completionMs: undefined };
    const open = requestView({ ...running, ...nothing, firstTokenMs: undefined });
    expect(phasesText(open, unicodeGlyphs)).toBe("nothing measured yet");
  });

  test("shows who asked and what was in force", () => {
    const text = summaryRows(requestView({ keyId: "ci" }), 100, unicodeGlyphs)
      .map(plainText)
      .join("\n");
    expect(text).toContain("key ci  from 127.0.0.1  curl/8  streamed  slot 1  ended by stop");
    expect(text).toContain("temperature 0.7");
  });

  test("has prompt and answer where they are kept, harmless and wrapped", () => {
    const texts = { prompt: "one\n\u001b[2Jtwo", answer: "word ".repeat(30).trim(), body: "{}" };
    const read = { kind: "read", texts } as const;
    const rows = detailRows(requestView(), read, 40, unicodeGlyphs, true).map(plainText);
    expect(rows).toContain("␛[2Jtwo");
    expect(rows.every((row) => row.length <= 40)).toBe(true);
    const cut = detailRows(requestView(), read, 40, unicodeGlyphs, false).map(plainText);
    expect(cut.length).toBeLessThan(rows.length);
    expect(detailText(requestView(), read, unicodeGlyphs)).toContain("word ".repeat(30).trim());
  });

  test("says why there is nothing to read", () => {
    const nothing = { prompt: undefined, answer: undefined, body: undefined };
    const rows = (texts: Parameters<typeof detailRows>[1]) =>
      detailRows(requestView(), texts, 200, unicodeGlyphs, true).map(plainText).join("\n");
    expect(rows({ kind: "read", texts: nothing })).toContain("MODELCTL_LOG_PROMPTS=1");
    expect(rows({ kind: "failed", sentence: "request r-1 not found" })).toContain("not found");
    expect(rows({ kind: "reading" })).toContain("Reading what was said");
  });
});

describe("the curl command", () => {
  const body = JSON.stringify({
    model: "tiny",
    messages: [{ role: "user", content: "it's $HOME" }],
  });

  test("gives a shell exactly the body, and no key", async () => {
    const command = curlCommand(requestView(), { url: "http://127.0.0.1:1", body, needsKey: true });
    expect(command).toContain("Bearer $MODELCTL_KEY");
    // A function in place of curl prints its words, each on a line.
    const script = `curl() { printf '%s\\n' "$@"; }\nMODELCTL_KEY=secret\n${command}`;
    const { stdout } = await promisify(execFile)("/bin/sh", ["-c", script]);
    expect(stdout.trimEnd().split("\n")).toEqual([
      "http://127.0.0.1:1/v1/chat/completions",
      "-H",
      "Authorization: Bearer secret",
      "-H",
      "content-type: application/json",
      "-d",
      body,
    ]);
  });

  test("of a request whose body was not kept has what is known of it", () => {
    const native = requestView({ path: "/api/chat" });
    const command = curlCommand(native, { url: "http://h", body: undefined, needsKey: false });
    expect(command).toContain('"model":"tiny"');
    expect(command).toContain('"options":{"temperature":0.7}');
    const read = requestView({ method: "GET", path: "/v1/models" });
    expect(curlCommand(read, { url: "http://h", body: undefined, needsKey: false })).toBe(
      "curl 'http://h/v1/models'",
    );
  });
});
