// `show` of a model with MTP heads: how they are used, or why they cannot be.
import { mkdtempSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { formatDescription } from "../../source/cli/show-sections.ts";
import { describeModel } from "../../source/server/description/describe-model.ts";
import { openStore } from "../support/model-store.ts";
import { writeMtpModel } from "../support/mtp-models.ts";

test.each([
  [false, "1; --spec-type draft-mtp uses it"],
  [true, "not usable: the model announces MTP heads, but its file has none"],
])("MTP heads are shown; without weights: %s", async (isHeadless, text) => {
  const file = path.join(mkdtempSync(path.join(homedir(), "show-")), "heads.gguf");
  await writeMtpModel(file, "hybrid", { isHeadless });
  const model = await openStore().catalog.resolve(file);
  expect(formatDescription(await describeModel(model), false)).toMatch(
    new RegExp(`^ *MTP heads +${text}$`, "m"),
  );
});

test("models without heads have no line about them", async () => {
  const model = await openStore().catalog.resolve("tiny");
  const description = await describeModel(model);
  expect(description.mtp).toBeUndefined();
  expect(formatDescription(description, false)).not.toContain("MTP");
});
