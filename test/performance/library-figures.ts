// Times of commands on the store: listing many models and creating one from a large file.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createModel } from "../../source/store/library/create-model.ts";
import { ModelStore } from "../../source/store/library/model-store.ts";
import { ModelCatalog } from "../../source/store/model-catalog.ts";
import { defineModel } from "../../source/store/model-definition.ts";
import { parseModelReference } from "../../source/store/model-reference.ts";
import { buildGguf, leastMetadata, text } from "../support/gguf-builder.ts";
import { measurePull } from "./pull-figures.ts";
import type { Figure } from "./report.ts";
import { createHome } from "./server-process.ts";
import { writeSparseModel } from "./sparse-model.ts";
import { timeModelctl } from "./timed-program.ts";

const modelCount = 1000;
const runs = 5;
const largeBytes = 8e9;

/** @param progress called for long work and skipped parts */
export async function measureLibrary(
  temporaryFolder: string,
  progress: (line: string) => void,
): Promise<Figure[]> {
  return [
    ...(await measureList(temporaryFolder)),
    await measureCreate(temporaryFolder),
    ...(await measurePull(temporaryFolder, progress)),
  ];
}

async function measureList(temporaryFolder: string): Promise<Figure[]> {
  const models = join(temporaryFolder, "many-models");
  await fillStore(models, join(temporaryFolder, "many-files"));
  const first: number[] = [];
  const warm: number[] = [];
  for (let run = 0; run < runs; run++) {
    // First in a new home, then again in the same one.
    const environment = { ...(await createHome(temporaryFolder, true)), MODELCTL_MODELS: models };
    first.push(await timeModelctl(["list"], environment));
    warm.push(await timeModelctl(["list"], environment));
  }
  const figure = (label: string, samples: number[]): Figure => ({
    label: `modelctl list, ${modelCount} models, ${label}`,
    unit: "ms",
    samples,
    target: { bound: "below", value: 300 },
  });
  return [figure("first in a home", first), figure("again", warm)];
}

/** Creates models that each have their own file, system prompt and configuration. */
async function fillStore(models: string, files: string): Promise<void> {
  const store = new ModelStore(models);
  const catalog = new ModelCatalog({ store });
  const resolveName = (name: string) => catalog.parentOf(name);
  await mkdir(files);
  for (let index = 0; index < modelCount; index++) {
    const title = `model-${index}`;
    const file = join(files, `${title}.gguf`);
    await writeFile(
      file,
      buildGguf({ metadata: { ...leastMetadata, "general.name": text(title) } }),
    );
    const reference = parseModelReference(title);
    if (reference.kind !== "name") throw new Error(`${title} is a path`);
    const definition = defineModel({ from: [file], system: `You are ${title}.` });
    await createModel(store, reference.name, definition, { resolveName });
  }
}

async function measureCreate(temporaryFolder: string): Promise<Figure> {
  const file = join(temporaryFolder, "large-F16.gguf");
  const modelfile = join(temporaryFolder, "Modelfile");
  await writeSparseModel(file, largeBytes);
  await writeFile(modelfile, `FROM ${file}\n`);
  const samples: number[] = [];
  for (let run = 0; run < runs; run++) {
    const home = await createHome(temporaryFolder, true);
    samples.push(await timeModelctl(["create", "large", "-f", modelfile], home));
  }
  const target = { bound: "below", value: 1000 } as const;
  return { label: "modelctl create from a file of 8 GB", unit: "ms", samples, target };
}
