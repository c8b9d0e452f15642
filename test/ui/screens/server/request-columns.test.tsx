// Tests that a row shows the state of a request as a glyph and a word, and why it failed.

import { Box, Text } from "ink";
import { describe, expect, test } from "vitest";
import { textWidth } from "../../../../source/base/graphemes.ts";
import { keyOf } from "../../../../source/client/live/request-feed.ts";
import type { RequestRecord } from "../../../../source/request-log/request-record.ts";
import { markerWidth, Table } from "../../../../source/ui/components/table.tsx";
import {
  requestColumns,
  requestNote,
  requestSentence,
  speedOf,
  statusRun,
} from "../../../../source/ui/screens/server/request-columns.ts";
import { renderAt } from "../../support/render.tsx";
import { requestView } from "../../support/request-views.ts";

const byClient = {
  state: "cancelled",
  status: 499,
  cancelled: { by: "client", address: "127.0.0.1" },
} as const;
const running = { state: "running", status: undefined, totalMs: undefined } as const;

describe("the state", () => {
  test.each([
    ["✓ 200", {}],
    ["✓ 200 !", { warnings: ["Unloaded another model."] }],
    ["✓ dry run", { method: "DELETE", parameters: { dry_run: true } }],
    ["✗ 404", { status: 404, error: { code: "X", message: "gone" } }],
    ["⊘ cancelled", { ...byClient }],
    ["✗ broken", { error: { code: "X", message: "crashed in the middle" } }],
    [
      "✗ lost",
      { status: undefined, error: { code: "X", message: "connection to the server lost" } },
    ],
    ["◐ stream", { ...running }],
    ["◐ prompt", { ...running, firstTokenMs: undefined }],
    ["◌ queue", { ...running, firstTokenMs: undefined, promptTokens: undefined }],
    ["◌ open", { ...running, firstTokenMs: undefined, promptTokens: undefined, model: undefined }],
  ])("%s", (expected, change) => {
    expect(statusRun(requestView(change)).text).toBe(expected);
  });
});

describe("a row", () => {
  function rowOf(view: RequestRecord, width = 110, isAscii = false): string {
    const columns = requestColumns({ isRelative: true, now: 1_007_000 });
    const table = (
      <Box>
        <Table
          columns={columns}
          items={[view]}
          keyOf={keyOf}
          selected={-1}
          width={width + markerWidth}
          height={2}
          noteOf={(one) => requestNote(one)}
        />
        <Text>{"|\n|"}</Text>
      </Box>
    );
    const [, row = ""] = renderAt(table, { columns: width + markerWidth + 1, isAscii }).lines();
    expect(row.at(-1)).toBe("|");
    return row.slice(markerWidth, -1);
  }

  test("has its figures in columns", () => {
    const row = rowOf(requestView());
    expect(row).toMatch(
      /^7 s +r-1 +POST +\/v1\/chat\/completions +tiny +✓ 200 +2014 +71 +840 ms +55\.0 +2\.10 s$/,
    );
    expect(textWidth(row)).toBe(110);
  });

  test("of a failure has the reason in place of figures", () => {
    const error = { code: "X", message: `num_ctx 1 is \u001b[31mtoo small${", really".repeat(9)}` };
    const row = rowOf(requestView({ status: 400, error }));
    expect(row).toContain("✗ 400       num_ctx 1 is ^[[31mtoo small");
    expect(textWidth(row)).toBe(110);
    expect(row).toMatch(/…$/);
  });

  test("of a prompt that is read has tokens and time left in place of figures", () => {
    const reading = { ...running, firstTokenMs: undefined, cachedTokens: 1000, promptTokens: 9000 };
    const read = (change: Partial<RequestRecord>) =>
      rowOf(requestView({ ...reading, ...change }), 80)
        .replace(/.*prompt +/, "")
        .trimEnd();
    expect(read({ readTokens: 2000, promptMs: 60_000 })).toBe("2000/9000 read, 7 min left");
    expect(read({ readTokens: 1000, promptMs: 0 })).toBe("1000/9000 read");
    expect(read({ readTokens: 9000, promptMs: 480_000 })).toMatch(/^9000 /);
  });

  test("of a running request has the speed since its first token", () => {
    const change = { ...running, tokensPerSecond: undefined, completionTokens: 101 };
    const view = requestView(change);
    expect(speedOf(view, view.startedAt + 840 + 2000)).toBe(50);
    const early = requestView({ ...change, firstTokenMs: undefined });
    expect(speedOf(early, early.startedAt + 9000)).toBeUndefined();
  });

  test.each([40, 56, 76, 96, 246])("fits into %i cells", (width) => {
    expect(textWidth(rowOf(requestView(), width, true))).toBe(width);
  });
});

test("screen readers get a request in one line of words", () => {
  expect(requestSentence(requestView())).toMatch(
    /^\d\d:\d\d:\d\d r-1 POST \/v1\/chat\/completions tiny 200, 2014 tokens in, 71 out, first token after 840 ms, 55\.0 tok\/s, 2\.10 s total$/,
  );
  expect(requestSentence(requestView({ warnings: ["Unloaded tiny: no room."] }))).toMatch(
    /tiny 200 !, 2014 tokens in, .* 2\.10 s total, Unloaded tiny: no room\.$/,
  );
  const error = { code: "X", message: "connection to the server lost" };
  const lost = requestView({ status: undefined, totalMs: undefined, error });
  expect(requestSentence(lost)).toMatch(/tiny lost, connection to the server lost$/);
  expect(requestSentence(requestView(byClient))).toContain("tiny cancelled by the client, 2014");
});
