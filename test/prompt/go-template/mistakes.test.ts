// Faulty and hostile templates end quickly, with an error and its place.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ProductError } from "../../../source/base/product-error.ts";
import { quickLimits } from "../../../source/prompt/render-budget.ts";
import { prompt } from "./render.ts";

function errorOf(source: string): ProductError {
  try {
    prompt(source, "hello", quickLimits);
  } catch (error) {
    if (error instanceof ProductError) return error;
    throw error;
  }
  throw new Error(`no error for ${source}`);
}

describe("a mistake", () => {
  it.each([
    ["{{ .Prompt", "line 1, column 1, at `{{ .Prompt`", "unclosed action"],
    ["a\nb {{ if .Prompt }}c", "line 2, column 3, at `{{ if .Prompt }}c`", "{{end}} is missing"],
    [
      "é😀 {{ foo .Prompt }}",
      "line 1, column 7, at `foo .Prompt }}`",
      'function "foo" not defined',
    ],
    ['\n\n{{ .Prompt "x" }}', "line 3, column 4", "can't give argument to non-function Prompt"],
    ["{{ eq .Prompt 1 }}", "line 1, column 4", "incompatible types for comparison: string and int"],
    ["{{ index .Prompt 99 }}", "line 1, column 4", "index out of range: 99"],
    ["{{ range .Prompt }}{{ end }}", "line 1, column 1", "range can't iterate over a string"],
    ['{{ template "x" }}', "line 1, column 1", 'template "x" not defined'],
    ['{{ printf "%U" 1 }}', "line 1, column 4", "%U is not supported here"],
    ["{{ end }}", "line 1, column 4", "unexpected {{end}}"],
  ])("in %s is named with its place", (source, place, reason) => {
    const error = errorOf(source);
    expect(error.code).toBe("PROMPT_TEMPLATE_INVALID");
    expect(error.message).toContain(place);
    expect(error.message).toContain(reason);
    expect(error.message.split("\n")).toHaveLength(1);
  });

  it("of writing Jinja is recognised", () => {
    const source = "{% for m in messages %}{{ m.content }}{% endfor %}";
    expect(errorOf(source).hint).toContain("looks like a Jinja template");
  });
});

describe("a hostile template ends with an error", () => {
  it.each([
    ["endless recursion", '{{ define "a" }}{{ template "a" . }}{{ end }}{{ template "a" . }}'],
    ["endless recursion of itself", '{{ template "" . }}'],
    [
      "a doubling recursion",
      '{{ define "a" }}{{ template "a" . }}{{ template "a" . }}{{ end }}{{ template "a" }}',
    ],
    ["a long loop", "{{ range 1000000000000 }}{{ end }}"],
    ["loops in loops", "{{ range 10000 }}{{ range 10000 }}{{ end }}{{ end }}"],
    ["a long loop that prints", "{{ range 1000000000 }}xxxxxxxxxxxxxxxx{{ end }}"],
    [
      "a text that doubles",
      '{{ $x := "ab" }}{{ range 100 }}{{ $x = printf "%s%s" $x $x }}{{ end }}',
    ],
    ["wide columns", '{{ range 1000 }}{{ printf "%1000000d" 1 }}{{ end }}'],
    ["many digits", '{{ range 1000 }}{{ printf "%.1000000f" 1.5 }}{{ end }}'],
    ["its own width", '{{ range 1000 }}{{ printf "%*d" 1000000 1 }}{{ end }}'],
    ["deep blocks", "{{ if 1 }}".repeat(100_000)],
    ["deep else-ifs", `{{ if 0 }}${"{{ else if 0 }}".repeat(100_000)}{{ end }}`],
    ["deep parentheses", `{{ ${"(".repeat(100_000)}1${")".repeat(100_000)} }}`],
  ])("%s", (_, source) => {
    const { code, status } = errorOf(source);
    expect(["PROMPT_TEMPLATE_INVALID", "PROMPT_TEMPLATE_TOO_COSTLY"]).toContain(code);
    expect(status).toBe(400);
  });

  it("and one that only looks hostile is rendered", () => {
    expect(prompt('{{ printf "%1000000000d" 1 }}{{ .Prompt }}', "a")).toBe(
      "%!(NOVERB)%!(EXTRA int=1)a",
    );
    expect(prompt(`${"{{ if 1 }}".repeat(190)}x${"{{ end }}".repeat(190)}`, "a")).toBe("x");
  });
});

describe("any text", () => {
  const word = fc.constantFrom(
    ...'{{ }} {{- -}} {{/* */}} ( ) | . $ $x := = , " ` \' \\ if else end range with define block template break continue nil true eq and len index slice printf json html .Prompt .Messages .Content .Tools $.Prompt 1 -1 1.5 0x 1e9 "a" "%d" `b` \'c\' é 😀'.split(
      " ",
    ),
    " ",
    "\n",
    "\0",
    "\ud800",
  );
  const template = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(word, { maxLength: 40 }).map((words) => words.join("")),
    fc.array(word, { maxLength: 40 }).map((words) => `{{ ${words.join(" ")} }}`),
  );

  it("is a template or a known error", () => {
    fc.assert(
      fc.property(template, (source) => {
        try {
          expect(typeof prompt(source, "hello")).toBe("string");
        } catch (error) {
          expect(error).toBeInstanceOf(ProductError);
        }
      }),
      { numRuns: 5000 },
    );
  });
});
