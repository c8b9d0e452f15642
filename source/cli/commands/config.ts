// modelctl config show: the settings in force.
import { addressText } from "../../configuration/address.ts";
import type { SettingName } from "../../configuration/load-settings.ts";
import { settingText } from "../../configuration/setting-text.ts";
import { printDocument } from "../output.ts";
import type { CommandFlags, Run } from "../program/definition.ts";
import { type CommandSettings, readSettings } from "../session-settings.ts";
import type { toolCommands } from "./tools.definition.ts";

type Flags = CommandFlags<typeof toolCommands.configShow>;

export const configShow: Run<typeof toolCommands.configShow> = async (_words, flags) => {
  const settings = readSettings(flags);
  const names = Object.keys(settings.values) as SettingName[];
  if (flags.json) {
    const entries = names.map((name) => ({
      name,
      value: numberInJson(inForce(settings, name)) ?? null,
      origin: originOf(settings, name, flags),
    }));
    return printDocument(entries);
  }
  const rows = names.map((name) => {
    const value = settingText(name, inForce(settings, name));
    return [name, value, originOf(settings, name, flags)] as const;
  });
  const nameWidth = Math.max(...rows.map(([name]) => name.length)) + 2;
  const valueWidth = Math.max(...rows.map(([, value]) => value.length)) + 2;
  for (const [name, value, origin] of rows) {
    const text = flags.origin ? value.padEnd(valueWidth) + origin : value;
    process.stdout.write(`${name.padEnd(nameWidth)}${text}\n`);
  }
  process.stdout.write(`file: ${settings.paths.configurationFile}\n`);
};

function inForce(settings: CommandSettings, name: SettingName): unknown {
  // The address that serve listens on, as users must see who can reach it.
  if (name === "host") return settings.address && addressText(settings.address);
  if (name === "hub_endpoint") return withoutLogin(hubEndpoint(settings));
  return settings.values[name];
}

function originOf(settings: CommandSettings, name: SettingName, flags: Flags): string {
  const origin = settings.origins[name];
  if (isHubVariableInForce(settings, name)) return "HF_ENDPOINT";
  if (name !== "host" || flags.port === undefined) return origin;
  return origin === "default" ? "--port" : `${origin}, --port`;
}

function hubEndpoint(settings: CommandSettings): string | undefined {
  const isVariable = isHubVariableInForce(settings, "hub_endpoint");
  return isVariable ? process.env.HF_ENDPOINT : settings.values.hub_endpoint;
}

/** Hides the login in a URL: users copy this output into reports. */
function withoutLogin(url: string | undefined): string | undefined {
  return url?.replace(/\/\/[^/]*@/, "//***@");
}

/** True if the hub's own variable applies, as the setting is not set. */
function isHubVariableInForce(settings: CommandSettings, name: SettingName): boolean {
  if (name !== "hub_endpoint" || settings.values.hub_endpoint !== undefined) return false;
  return Boolean(process.env.HF_ENDPOINT?.trim());
}

/** Replaces infinity, which JSON lacks, by -1 as in the settings. */
function numberInJson(value: unknown): unknown {
  return value === Number.POSITIVE_INFINITY ? -1 : value;
}
