// Resolves the settings: flags win over environment variables, variables over the file.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { parse, TomlError } from "smol-toml";
import { nearestName } from "../base/nearest-name.ts";
import { ProductError } from "../base/product-error.ts";
import { configurationErrors } from "./errors.ts";
import { type SettingDefinition, type Settings, settingDefinitions } from "./settings.ts";

export type SettingName = keyof Settings;

export interface LoadedSettings {
  values: Settings;
  /** Source of each value: `default`, `--gpu`, `MODELCTL_GPU`, or the file's path. */
  origins: Record<SettingName, string>;
  /** Invalid variables of another program, which were ignored. */
  warnings: string[];
}

export interface SettingSources {
  /** As typed on the command line. */
  flags?: Partial<Record<SettingName, string>>;
  environment?: NodeJS.ProcessEnv;
  /** A missing file is no error. */
  file?: string;
}

/** @throws ProductError `CONFIGURATION_SETTING_INVALID`, `CONFIGURATION_FILE_INVALID` */
export function loadSettings(sources: SettingSources): LoadedSettings {
  const file = sources.file === undefined ? {} : readFile(sources.file);
  const values: Partial<Record<SettingName, unknown>> = {};
  const origins: Partial<Record<SettingName, string>> = {};
  const warnings: string[] = [];
  for (const name of Object.keys(settingDefinitions) as SettingName[]) {
    const definition: SettingDefinition<unknown> = settingDefinitions[name];
    values[name] = definition.default;
    origins[name] = "default";
    const found = findText(name, sources, file);
    if (found === undefined) continue;
    const { text, origin } = found;
    // Relative paths in the file do not depend on the current folder.
    const folder = origin === sources.file ? path.dirname(origin) : process.cwd();
    const result = definition.read(text, folder);
    if ("value" in result) {
      values[name] = result.value;
      origins[name] = origin;
    } else if (origin.startsWith("OLLAMA_")) {
      // Set for another program, which may accept it: no error.
      warnings.push(
        `${origin} is ${JSON.stringify(text)}, which is not ${result.expected}; the default is used.`,
      );
    } else {
      const place = origin === sources.file ? `${name} in ${origin}` : origin;
      throw new ProductError(configurationErrors.settingInvalid, {
        message: `${place} is ${JSON.stringify(text)}, but it must be ${result.expected}.`,
      });
    }
  }
  // Every name of the table is set above.
  return {
    values: values as Settings,
    origins: origins as Record<SettingName, string>,
    warnings,
  };
}

function findText(
  name: SettingName,
  sources: SettingSources,
  file: Record<string, string>,
): { text: string; origin: string } | undefined {
  const flag = sources.flags?.[name];
  if (flag !== undefined) return { text: flag, origin: `--${name.replaceAll("_", "-")}` };
  const suffix = name.toUpperCase();
  const variables = [`MODELCTL_${suffix}`];
  if (settingDefinitions[name].honoursOllama) variables.push(`OLLAMA_${suffix}`);
  for (const variable of variables) {
    const text = sources.environment?.[variable]?.trim().replace(/^(["'])(.*)\1$/, "$2");
    if (text !== undefined && text !== "") return { text, origin: variable };
  }
  const text = file[name];
  return text === undefined ? undefined : { text, origin: sources.file ?? "" };
}

function readFile(file: string): Record<string, string> {
  if (!existsSync(file)) return {};
  let table: Record<string, unknown>;
  try {
    table = parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new ProductError(configurationErrors.fileInvalid, {
      message: `The configuration file ${file} cannot be read: ${faultOf(error)}.`,
      hint: "Fix or move the file.",
      cause: error,
    });
  }
  const known = new Set(Object.keys(settingDefinitions));
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(table)) {
    if (!known.has(name)) {
      const nearest = nearestName(name, known);
      throw new ProductError(configurationErrors.fileInvalid, {
        message: `The configuration file ${file} has an unknown setting '${name}'.`,
        hint:
          nearest === undefined
            ? `Known settings: ${[...known].join(", ")}.`
            : `Did you mean ${nearest}?`,
      });
    }
    const { divider = "," } = settingDefinitions[name as SettingName];
    const items: unknown[] = Array.isArray(value) ? value : [value];
    if (items.some(isTable)) {
      throw new ProductError(configurationErrors.fileInvalid, {
        message: `The configuration file ${file} has a table or a list of lists for '${name}'.`,
        hint: "Give it one value, or a list of values.",
      });
    }
    texts[name] = items.join(divider);
  }
  return texts;
}

/** False for dates, which are values. */
function isTable(value: unknown): boolean {
  return typeof value === "object" && !(value instanceof Date);
}

/** Returns the position and reason of invalid TOML, without the library's excerpt. */
function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const [fault = ""] = error.message.split("\n");
  return error instanceof TomlError
    ? `line ${error.line}, column ${error.column}: ${fault.replace(/^Invalid TOML document: /, "")}`
    : fault;
}
