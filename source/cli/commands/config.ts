// modelctl config show: the settings in force.
import { exitCodes } from "../../base/product-error.ts";
import { urlOf } from "../../configuration/address.ts";
import type { SettingName } from "../../configuration/load-settings.ts";
import { usageError } from "../errors.ts";
import type { Flags } from "../flags.ts";
import { readSettings } from "../session-settings.ts";

export async function config(words: string[], flags: Flags): Promise<number> {
  if (words[0] !== "show" || words.length > 1) {
    throw usageError("config knows one word: show.", "modelctl config show --origin");
  }
  const settings = readSettings(flags);
  const rows = (Object.keys(settings.values) as SettingName[]).map((name) => {
    const value =
      name === "host"
        ? settings.address && urlOf(settings.address)
        : valueText(settings.values[name]);
    return [name, value ?? "automatic", settings.origins[name]] as const;
  });
  const nameWidth = Math.max(...rows.map(([name]) => name.length)) + 2;
  const valueWidth = Math.max(...rows.map(([, value]) => value.length)) + 2;
  for (const [name, value, origin] of rows) {
    const text = flags.origin ? value.padEnd(valueWidth) + origin : value;
    process.stdout.write(`${name.padEnd(nameWidth)}${text}\n`);
  }
  process.stdout.write(`file: ${settings.paths.configurationFile}\n`);
  return exitCodes.ok;
}

function valueText(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.join(", ");
  return String(value);
}
