// --mmproj: adds a projector for images to a model.
import { createHash } from "node:crypto";
import path from "node:path";
import type { ModelLibrary } from "../application/models/model-library.ts";
import { toAbsolutePath } from "../base/file-path.ts";
import { usageError } from "./errors.ts";
import type { Flags } from "./flags.ts";
import { openLibrary, parseName } from "./model-library.ts";
import { withProgress } from "./with-progress.ts";

type Modelfile = Awaited<ReturnType<ModelLibrary["parseModelfile"]>>;

export function withProjector(modelfile: Modelfile, { mmproj }: Flags): Modelfile {
  if (mmproj === undefined) return modelfile;
  const { definition } = modelfile;
  const from = [...definition.from, toAbsolutePath(mmproj)];
  return { ...modelfile, definition: { ...definition, from } };
}

/**
 * Creates a model that refers to both files, unless it exists.
 *
 * @param model a name, or an absolute path
 * @returns the name of the model with the projector
 * @throws ProductError of the store; `COMMAND_USAGE` with --connect
 */
export async function modelWithProjector(
  model: string,
  mmproj: string,
  flags: Flags,
): Promise<string> {
  if (flags.connect !== undefined) {
    throw usageError(
      "--mmproj needs a local file and cannot be used with --connect.",
      "Create the model on that machine: modelctl create NAME --mmproj FILE.",
    );
  }
  const { library } = openLibrary(flags);
  const file = toAbsolutePath(mmproj);
  const digest = createHash("sha256").update(`${model}\n${file}`).digest("hex").slice(0, 8);
  const name = parseName(library, `${baseName(model)}:mmproj-${digest}`);
  if ((await library.catalog.find(name)) !== undefined) return name.display;
  const empty = await library.parseModelfile(Buffer.from("FROM .\n"));
  const modelfile = { ...empty, definition: { ...empty.definition, from: [model, file] } };
  const options = { baseFolder: process.cwd(), copy: undefined };
  await withProgress(flags, (work) => library.create(name, modelfile, options, work));
  process.stderr.write(`Created ${name.display} with its projector.\n`);
  return name.display;
}

/** Derives a valid name from a name or a path. */
function baseName(model: string): string {
  const last = path.basename(model.replace(/:[^/:\\]*$/, "")).replace(/\.gguf$/i, "");
  const name = last.replaceAll(/[^A-Za-z0-9_.-]/g, "-").replace(/^[^A-Za-z0-9_]+/, "");
  return name === "" ? "model" : name.slice(0, 60);
}
