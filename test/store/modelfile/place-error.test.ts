// Line and column in errors about a file or a name that a Modelfile contains.
import { expect, test } from "vitest";
import { ProductError } from "../../../source/base/product-error.ts";
import { storeErrors } from "../../../source/store/errors.ts";
import { parseModelfile } from "../../../source/store/modelfile/parse-modelfile.ts";
import { withPlace } from "../../../source/store/modelfile/place-error.ts";

const missing = (file: string) =>
  new ProductError(storeErrors.fileMissing, {
    message: `${file} was not found.`,
    hint: "Check the path.",
  });

test("a missing file is reported with its position", () => {
  const parsed = parseModelfile("# base\nFROM ./a.gguf\n");
  expect(withPlace(missing("/models/a.gguf"), parsed, "/models")).toMatchObject({
    message: "Modelfile line 2, column 6: /models/a.gguf was not found.",
    hint: "Check the path.",
  });
});

test("a comment after its path is reported to be part of it", () => {
  const parsed = parseModelfile("FROM ./a.gguf # the best\n");
  expect(withPlace(missing("/models/a.gguf # the best"), parsed, "/models")).toMatchObject({
    message: "Modelfile line 1, column 6: /models/a.gguf # the best was not found.",
    hint: expect.stringContaining("on its own line"),
  });
});
