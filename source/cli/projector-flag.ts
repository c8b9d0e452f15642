// --mmproj: a projector that gives a model vision, named next to the model.
import { createHash } from "node:crypto";
import path from "node:path";
import type { ModelLibrary } from "../application/model-library.ts";
import { toAbsolutePath } from "../base/file-path.ts";
import { usageError } from "./errors.ts";
import type { Flags } from "./flags.ts";
import { openLibrary, parseName } from "./model-library.ts";
import { withProgress } from "./with-progress.ts";

type Modelfile = Awaited<ReturnType<ModelLibrary["parseModelfile"]>>;

/** The Modelfile with one more FROM. */
export function withProjector(modelfile: Modelfile, { mmproj }: Flags): Modelfile {
  if (mmproj === undefined) return modelfile;
  const { definition } = modelfile;
  const from = [...definition.from, toAbsolutePath(mmproj)];
  return { ...modelfile, definition: { ...definition, from } };
}

/**
 * Returns the model with the projector; creates it if needed, referring to both files.
 *
 * @param model a name, or an absolute path
 * @returns its name
 * @throws ProductError of the store; `COMMAND_USAGE` where the server is on another machine
 */
export async function modelWithProjector(model: string, flags: Flags): Promise<string> {
  const { mmproj, connect } = flags;
  if (mmproj === undefined) return model;
  if (connect !== undefined) {
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

/** The part of a name or a path that can be a name. */
function baseName(model: string): string {
  const last = path.basename(model.replace(/:[^/:\\]*$/, "")).replace(/\.gguf$/i, "");
  const name = last.replaceAll(/[^A-Za-z0-9_.-]/g, "-").replace(/^[^A-Za-z0-9_]+/, "");
  return name === "" ? "model" : name.slice(0, 60);
}
