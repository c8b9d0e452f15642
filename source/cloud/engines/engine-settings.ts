// Engine chosen for a server, in `engine.json` of its state folder.
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Static, Type } from "typebox";
import { Check } from "typebox/schema";
import { parseJson } from "../../base/json.ts";
import { describeError, ProductError } from "../../base/product-error.ts";
import { systemCode } from "../../base/write-refusal.ts";
import { cloudErrors } from "../errors.ts";
import { makeStateFolder } from "../state/state-folder.ts";

const raySchema = Type.Object({
  kind: Type.Literal("ray"),
  /** Address of the cluster's dashboard: `http://10.0.0.5:8265`. */
  address: Type.String(),
  /** File with the cluster's token; absent for an open cluster. */
  tokenFile: Type.Optional(Type.String()),
  /** Accepts a cluster that answers without a token. */
  allowsOpenCluster: Type.Boolean(),
  /** Port of Serve's proxy on the head node. */
  proxyPort: Type.Integer(),
  /** Distinguishes this server's applications on the cluster; eight hexadecimal digits. */
  owner: Type.String(),
});

export type RaySettings = Static<typeof raySchema>;
export type EngineSettings = { kind: "process" } | RaySettings;

const ownerOnly = 0o600;

/** @throws ProductError `CLOUD_ENGINE_INVALID` for a damaged file */
export function readEngineSettings(stateFolder: string): EngineSettings {
  const file = fileOf(stateFolder);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return { kind: "process" };
    throw invalid(`Cannot read ${file}: ${describeError(error)}`);
  }
  const settings = parseJson(text);
  if (Check(raySchema, settings)) return settings;
  throw invalid(`${file} is damaged`);
}

export function writeEngineSettings(stateFolder: string, settings: EngineSettings): void {
  const file = fileOf(stateFolder);
  if (settings.kind === "process") {
    rmSync(file, { force: true });
    return;
  }
  makeStateFolder(stateFolder);
  const draft = `${file}.new`;
  writeFileSync(draft, `${JSON.stringify(settings, null, 2)}\n`, { mode: ownerOnly });
  renameSync(draft, file);
}

/** @throws ProductError `CLOUD_ENGINE_INVALID` if the token file is missing or empty */
export function readToken({ tokenFile }: Pick<RaySettings, "tokenFile">): string {
  if (tokenFile === undefined) return "";
  let token: string;
  try {
    token = readFileSync(tokenFile, "utf8").trim();
  } catch (error) {
    throw invalid(`Cannot read the token file ${tokenFile}: ${describeError(error)}`);
  }
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw invalid(`The token file ${tokenFile} must contain one line with the cluster's token`);
}

function fileOf(stateFolder: string): string {
  return path.join(stateFolder, "engine.json");
}

function invalid(message: string): ProductError {
  return new ProductError(cloudErrors.engineInvalid, {
    message,
    hint: "Choose the engine again with deployctl engine use.",
  });
}
