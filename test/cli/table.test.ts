// Tables and their alignment.
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { formatSection, formatTable } from "../../source/cli/table.ts";

describe("a table", () => {
  test("has upper-case headers, columns four blanks apart, and nothing at the ends", () => {
    const rows = [
      ["tiny:latest", "a3de86cd1c13", "512 B", "3 weeks ago"],
      ["m:8b", "4", "4.7 GB", ""],
    ];
    expect(formatTable(["name", "id", "Size", "MODIFIED"], rows)).toBe(
      [
        "NAME           ID              SIZE      MODIFIED",
        "tiny:latest    a3de86cd1c13    512 B     3 weeks ago",
        "m:8b           4               4.7 GB",
        "",
      ].join("\n"),
    );
  });

  test("without rows has only its headers", () => {
    expect(formatTable(["NAME", "ID"], [])).toBe("NAME    ID\n");
  });

  test("is aligned by the width of its characters", () => {
    const names = ["日本語モデル", "größe", "e\u0301te\u0301", "👩‍👩‍👧", "plain"];
    const lines = formatTable(
      ["NAME", "ID"],
      names.map((name) => [name, "x"]),
    ).split("\n");
    const columns = lines.slice(1, -1).map((line) => stringWidth(line.slice(0, -1)));
    expect(new Set(columns)).toEqual(new Set([stringWidth("日本語モデル") + 4]));
  });

  test("keeps each row on its line, and escapes control characters", () => {
    const text = formatTable(["NAME"], [["a\nb\u001b[31m\u009b2J"]]);
    expect(text).toBe("NAME\na b [31m 2J\n");
  });
});

describe("a section", () => {
  test("is indented, and ends with an empty line", () => {
    const rows = [
      ["architecture", "llama"],
      ["context length", "131072"],
    ];
    expect(formatSection("Model", rows)).toBe(
      "  Model\n    architecture      llama\n    context length    131072\n\n",
    );
    expect(formatSection("Capabilities", [["completion"], ["tools"]])).toBe(
      "  Capabilities\n    completion\n    tools\n\n",
    );
  });
});
