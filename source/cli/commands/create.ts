// modelctl create: creates a model from a Modelfile.
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { systemCode } from "../../base/write-refusal.ts";
import { readFault, usageError } from "../errors.ts";
import { openLibrary, parseName } from "../model-library.ts";
import { warn } from "../output.ts";
import type { Run } from "../program/definition.ts";
import { withProjector } from "../projector-flag.ts";
import { withProgress } from "../with-progress.ts";
import type { modelCommands } from "./models.definition.ts";

export const create: Run<typeof modelCommands.create> = async ([nameText], flags) => {
  const { library } = openLibrary(flags);
  const name = parseName(library, nameText);
  const { source, baseFolder } = await readModelfile(flags.file);
  const modelfile = withProjector(await library.parseModelfile(source), flags);
  for (const warning of modelfile.warnings) process.stderr.write(`${warning}\n`);
  const options = {
    baseFolder,
    copy: flags.copy,
    ...(flags.quantize !== undefined && { quantize: flags.quantize }),
  };
  const warnings: string[] = [];
  const onWarning = (sentence: string) => warnings.push(sentence);
  await withProgress(flags, (work) =>
    library.create(name, modelfile, options, { ...work, onWarning }),
  );
  for (const warning of warnings) warn(warning);
  if (flags.json) {
    const { digest, sizeBytes } = await library.catalog.resolve(name.display);
    process.stdout.write(`${JSON.stringify({ name: name.display, digest, sizeBytes })}\n`);
  }
};

/** Reads the named file, else `Modelfile`, else refers to the .gguf file in this folder. */
async function readModelfile(
  file: string | undefined,
): Promise<{ source: Uint8Array; baseFolder: string }> {
  if (file === "-") return { source: await buffer(process.stdin), baseFolder: process.cwd() };
  const wanted = path.resolve(file ?? "Modelfile");
  try {
    return { source: await readFile(wanted), baseFolder: path.dirname(wanted) };
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" && file === undefined) {
      const names = await readdir(process.cwd());
      if (!names.some((name) => /\.gguf$/i.test(name))) {
        throw usageError(
          "This folder has no Modelfile and no .gguf file.",
          "Name a Modelfile with -f, or send it on standard input with -f -.",
        );
      }
      return { source: Buffer.from("FROM .\n"), baseFolder: process.cwd() };
    }
    // Ollama's text for a missing file.
    const problem = code === "ENOENT" ? "wasn't found" : "cannot be read";
    throw usageError(
      `specified Modelfile ${problem}: ${wanted}: ${readFault(error)}.`,
      "Name it with -f, or send it on standard input with -f -.",
    );
  }
}
