// Opens this user's models, for commands without a server.
import { ModelLibrary, type ModelName } from "../application/models/model-library.ts";
import { usageError } from "./errors.ts";
import type { Flags } from "./flags.ts";
import { type CommandSettings, readSettings } from "./session-settings.ts";

export function openLibrary(flags: Flags = {}): {
  library: ModelLibrary;
  settings: CommandSettings;
} {
  const settings = readSettings(flags);
  return { library: new ModelLibrary(settings.values, settings.paths), settings };
}

/** Parses a model's name. @throws ProductError `COMMAND_USAGE` for a path */
export function parseName(library: ModelLibrary, text: string): ModelName {
  const parsed = library.catalog.parse(text);
  if (parsed.kind === "name") return parsed.name;
  throw usageError(`${text} is a path, not a model name.`, "Use a name such as my-model.");
}
