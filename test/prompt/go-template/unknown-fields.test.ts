// Unknown fields in a template.
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { GoChatTemplate } from "../../../source/prompt/go-template/go-chat-template.ts";

function unknown(source: string) {
  return new GoChatTemplate(source).unknownFields;
}

describe("fields that print nothing", () => {
  test("are named with their place and a similar name", () => {
    expect(unknown("{{ .System }}\n{{ if .Promt }}{{ .Promt }}{{ end }}{{ .response }}")).toEqual([
      { name: "Promt", at: 20, nearest: "Prompt" },
      { name: "response", at: expect.any(Number), nearest: "Response" },
    ]);
    expect(unknown("{{ .Frobnicate.x }}")).toMatchObject([{ nearest: undefined }]);
  });

  test.each([
    ["a message's field outside a message", "{{ .Content }}", "Content"],
    ["the conversation's root", "{{ range .Messages }}{{ $.Sytem }}{{ end }}", "Sytem"],
    ["a message", "{{ range .Messages }}{{ .Contents }}{{ end }}", "Contents"],
    ["a pipe's end", '{{ .Prompt }}{{ "x" | printf "%s%s" .Promptt }}', "Promptt"],
    ["parentheses", "{{ if (and .Prompt (not .Systm)) }}x{{ end }}", "Systm"],
    ["a definition", '{{ define "x" }}{{ .Promt }}{{ end }}{{ template "x" . }}', "Promt"],
    ["what stands for nothing", "{{ with .System }}x{{ else }}{{ .Promt }}{{ end }}", "Promt"],
  ])("are found in %s", (_, source, name) => {
    expect(unknown(source).map((field) => field.name)).toEqual([name]);
  });

  test("are none if the client chooses the names", () => {
    const source = `{{ range .Messages }}{{ range .ToolCalls }}{{ .Function.Arguments.city }}
      {{ with .Function.Arguments }}{{ .city }}{{ end }}{{ end }}{{ end }}
      {{ range .Tools }}{{ range $name, $it := .Function.Parameters.Properties }}{{ .anything }}{{ $it.Type }}{{ end }}{{ end }}`;
    expect(unknown(source)).toEqual([]);
  });

  test("are none in templates that work", () => {
    const file = path.join(import.meta.dirname, "golden", "conversation-cases.json");
    const { templates } = JSON.parse(readFileSync(file, "utf8")) as {
      templates: Record<string, string>;
    };
    expect(Object.keys(templates)).toHaveLength(11);
    for (const source of Object.values(templates)) expect(unknown(source)).toEqual([]);
  });
});
