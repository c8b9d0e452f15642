// Words in shells, and texts in patterns.
import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { escapeForPattern, quoteForShell, wildcardPattern } from "../../source/base/quoting.ts";

describe("a word for a shell", () => {
  const plain = ["chat.py::serve", "--app-name", "http://127.0.0.1:1/v1", "A=b", "a@b,c%+"];
  const quoted = ["", "two words", "it's", "$HOME", "a?b&c", "~", "*", '{"a":"b"}', "line\nbreak"];

  test.each(plain)("stays %s", (word) => {
    expect(quoteForShell(word)).toBe(word);
  });

  test("reaches a program unchanged", () => {
    const words = [...plain, ...quoted];
    const command = `printf '%s\\0' ${words.map(quoteForShell).join(" ")}`;
    const printed = execFileSync("/bin/sh", ["-c", command], { encoding: "utf8" });
    expect(printed.split("\0").slice(0, -1)).toEqual(words);
  });
});

describe("a text in a pattern", () => {
  const special = "a.b*c+d?e^f$g{h}i(j)k|l[m]n\\o/p-q";

  test.each(["", "u"])("matches only itself with the flags %j", (flags) => {
    const pattern = new RegExp(`^${escapeForPattern(special)}$`, flags);
    expect(pattern.test(special)).toBe(true);
    expect(pattern.test(special.replace(".", "x"))).toBe(false);
  });

  test("matches any characters at its wildcards", () => {
    const pattern = new RegExp(`^${wildcardPattern("app://*.local:*")}$`);
    expect(pattern.test("app://a/b.local:80")).toBe(true);
    expect(pattern.test("app://a/bxlocal:80")).toBe(false);
  });
});
