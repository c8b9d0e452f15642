// `inspect` reports reads of variables that neither the script, nor a flag, nor the server sets.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { inspectReference } from "../../../source/application/deploying/prepare-deployment.ts";

const script = `import os
import deployctl

@deployctl.app(port=8000, env={"SPEED": "slow"}, secrets=["HUB_TOKEN"])
def serve():
    names = ["SPEED", "HUB_TOKEN", "HF_HOME", "UNSET_TONE", "UNSET_PLACE"]
    return [os.environ.get(name) for name in names]
`;

test("a handler's reads of variables that nothing sets are reported", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "unset-variables-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, "app.py");
  writeFileSync(file, script);
  const options = { isStatic: true, environment: { UNSET_PLACE: "here" }, onRun: () => {} };
  const { warnings } = await inspectReference(file, options);
  expect(warnings.map(({ sentence }) => sentence)).toEqual([
    "app.py:7 reads UNSET_TONE, which is not set. Use --env UNSET_TONE=VALUE.",
  ]);
});
