// YAML of documents.
import { expect, test } from "vitest";
import { toYaml } from "../../source/base/yaml.ts";

test("nests objects and lists, and quotes what YAML would read as something else", () => {
  const document = {
    name: 'yes: "no"\n',
    on: true,
    "a b": null,
    "nvidia.com/gpu": 1,
    list: ["x", { a: 1, b: [[], {}] }, [1, [2]]],
    absent: undefined,
  };
  expect(toYaml(document)).toBe(`name: "yes: \\"no\\"\\n"
"on": true
"a b": null
nvidia.com/gpu: 1
list:
  - "x"
  - a: 1
    b:
      - []
      - {}
  - - 1
    - - 2
`);
});
