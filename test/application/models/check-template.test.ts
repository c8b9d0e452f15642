// Mistakes in the TEMPLATE of a Modelfile are named where an editor finds them.
import { describe, expect, test } from "vitest";
import { checkTemplate } from "../../../source/application/models/check-template.ts";
import { parseModelfile } from "../../../source/store/modelfile/parse-modelfile.ts";

function check(modelfile: string): string[] {
  return checkTemplate(parseModelfile(modelfile));
}

describe("an invalid template", () => {
  test.each([
    ["on a line below", 'FROM a\nTEMPLATE """{{ .Prompt }}\n  {{ nope 1 }}"""', "line 3, column 6"],
    ["on its first line", 'FROM a\nTEMPLATE """{{ nope 1 }}"""', "line 2, column 16"],
    ["without quotes", "FROM a\nTEMPLATE   {{ nope 1 }}", "line 2, column 15"],
    ["between lines that end in CR LF", 'FROM a\r\nTEMPLATE "x\r\n{{ nope }}"', "line 3, column 4"],
  ])("%s", (_, modelfile, place) => {
    expect(() => check(modelfile)).toThrow(`Modelfile ${place}: The TEMPLATE cannot be read`);
  });
});

test("a template that prints nothing is reported with a suggestion", () => {
  const [warning, ...more] = check('FROM a\nTEMPLATE """\n{{ .Promt }}\n"""');
  expect(warning).toBe(
    "Modelfile line 3, column 4: the TEMPLATE uses .Promt, which does not exist and prints nothing. Did you mean .Prompt?",
  );
  expect(more).toEqual([]);
});

test("a valid template has no warning", () => {
  expect(check("FROM a\nTEMPLATE {{ .System }} {{ .Prompt }}")).toEqual([]);
});
