// Damaged settings files and variables of modelctl and of deployctl's profiles.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { readProfiles } from "../../../source/configuration/cloud-profiles.ts";
import { loadSettings } from "../../../source/configuration/load-settings.ts";
import { settingDefinitions } from "../../../source/configuration/settings.ts";
import type { Dice } from "../dice.ts";
import { hostileText, hostileValue } from "../hostile-values.ts";
import { mutateBytes } from "../mutate-bytes.ts";
import { orRefusal } from "../refusal.ts";
import type { Target } from "../target.ts";

const names = Object.keys(settingDefinitions);
const profiles = `current = "local"
[profiles.local]
server = "http://127.0.0.1:7000"
key = "secret"
[profiles."other one"]
port-range = "20000-20100"
`;

export const settings: Target = {
  name: "settings",
  rounds: 3000,
  async begin() {
    const folder = mkdtempSync(path.join(tmpdir(), "modelctl-fuzz-"));
    const file = path.join(folder, "config.toml");
    return {
      async round({ dice, trying }) {
        const text = dice.chance(0.3) ? mutateBytes(dice, Buffer.from(profiles)) : table(dice);
        const name = dice.pick(names).toUpperCase();
        const value = hostileText(dice).replaceAll("\0", "");
        trying(`${name}=${value}, with the file ${JSON.stringify(text.toString("latin1"))}`);
        writeFileSync(file, text);
        await orRefusal(() => readProfiles(file));
        await orRefusal(() => loadSettings({ file }));
        await orRefusal(() => loadSettings({ environment: { [`MODELCTL_${name}`]: value } }));
        // Other programs' variables must not cause errors.
        loadSettings({ environment: { [`OLLAMA_${name}`]: value } });
      },
      async close() {
        rmSync(folder, { recursive: true });
      },
    };
  },
};

function table(dice: Dice): Buffer {
  const lines = dice.some(names, 0.2).map((name) => `${name} = ${tomlValue(dice)}`);
  const text = Buffer.from(lines.join("\n"));
  return dice.chance(0.3) && text.length > 0 ? mutateBytes(dice, text) : text;
}

/** Returns a value as TOML, which equals JSON except for null and objects. */
function tomlValue(dice: Dice): string {
  const value = hostileValue(dice);
  const isToml = typeof value !== "object" || Array.isArray(value);
  return isToml
    ? JSON.stringify(value)
    : dice.pick(["1979-05-27", "{ a = 1 }", "nan", "0xff", "'''"]);
}
