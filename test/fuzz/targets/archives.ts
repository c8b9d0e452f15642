// Damaged archives of models: a store imports each completely or not at all.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { createModel } from "../../../source/store/library/create-model.ts";
import { exportModel } from "../../../source/store/library/export-model.ts";
import { importModel, modelsInArchive } from "../../../source/store/library/import-model.ts";
import { ModelStore } from "../../../source/store/library/model-store.ts";
import { ModelCatalog } from "../../../source/store/model-catalog.ts";
import { defineModel } from "../../../source/store/model-definition.ts";
import { parseModelReference } from "../../../source/store/model-reference.ts";
import { buildGguf, leastMetadata } from "../../support/gguf-builder.ts";
import { mutateBytes } from "../mutate-bytes.ts";
import { orRefusal } from "../refusal.ts";
import type { Target } from "../target.ts";

export const archives: Target = {
  name: "archives",
  rounds: 1000,
  async begin() {
    const folder = mkdtempSync(path.join(tmpdir(), "modelctl-fuzz-"));
    const archive = await writeArchive(folder);
    const place = path.join(folder, "import");
    return {
      async round({ dice, trying }) {
        const bytes = mutateBytes(dice, archive);
        trying(`an archive of ${bytes.length} bytes, base64 ${bytes.toString("base64")}`);
        const store = new ModelStore(path.join(place, "models"));
        const file = path.join(folder, "mutated.tar");
        writeFileSync(file, bytes);
        await orRefusal(() => modelsInArchive(store, file));
        await orRefusal(() => importModel(store, Readable.from([bytes])));
        const beside = readdirSync(place).filter((name) => name !== "models");
        if (beside.length > 0) throw new Error(`it wrote beside the store: ${beside.join(", ")}`);
        rmSync(place, { recursive: true, force: true });
      },
      async close() {
        rmSync(folder, { recursive: true });
      },
    };
  },
};

async function writeArchive(folder: string): Promise<Buffer> {
  const model = path.join(folder, "model.gguf");
  writeFileSync(model, buildGguf({ metadata: leastMetadata }));
  const store = new ModelStore(path.join(folder, "models"));
  const catalog = new ModelCatalog({ store });
  const reference = parseModelReference("mine");
  if (reference.kind !== "name") throw new Error("a name is no path");
  const definition = defineModel({
    ...{ from: [model], system: "S", template: "{{ .Prompt }}", licenses: ["L"] },
    parameters: { stop: ["x"] },
  });
  await createModel(store, reference.name, definition, {
    resolveName: (name) => catalog.parentOf(name),
  });
  const file = path.join(folder, "model.tar");
  await exportModel(catalog, store, "mine", file);
  return readFileSync(file);
}
