// The user's answers so far, and the deployment that they describe.

import type { AppConfig } from "../../../cloud/app-config.ts";
import type {
  CloudTarget,
  ConfigAnswers,
  DeployAnswers,
  ScriptAccess,
} from "../../app/cloud-access.ts";
import { type Setting, settings } from "./settings.ts";

/** Typed and chosen answers by field name. Absent ones keep the script's values. */
export type GivenValues = Readonly<Record<string, string>>;

/** Rules of deployctl that need no script. */
export type Rules = Pick<
  ScriptAccess,
  | "nameFault"
  | "nameIn"
  | "environmentOf"
  | "suggestName"
  | "looksSecret"
  | "config"
  | "previewScale"
>;

/** Prefix of the field names of variables. */
export const variablePrefix = "variable:";
/** The field for a variable that the script does not read. */
export const newVariable = "newVariable";

export function isEphemeral(given: GivenValues): boolean {
  return given.mode === "run";
}

/** `deploy.py`, or `deploy.py::serve`. */
export function referenceOf(given: GivenValues): string {
  const file = scriptOf(given);
  return given.target === undefined ? file : `${file}::${given.target}`;
}

/** Returns the script's path: the user's own, or the one created for a model. */
export function scriptOf(given: GivenValues): string {
  return (given.source === "model" ? (given.file ?? defaultScript) : (given.script ?? "")).trim();
}

export const defaultScript = "deploy.py";

/** Returns variables with a value, by name. */
export function variablesOf(given: GivenValues): Record<string, string> {
  const entries = Object.entries(given).flatMap(([id, text]) =>
    id.startsWith(variablePrefix) && text !== ""
      ? [[id.slice(variablePrefix.length), text] as const]
      : [],
  );
  return Object.fromEntries(entries);
}

/** Returns the answers that a draft may keep: no variable that looks secret or is being typed. */
export function withoutSecrets(
  given: GivenValues,
  { looksSecret }: Pick<Rules, "looksSecret">,
): GivenValues {
  const isSecret = (id: string) =>
    id.startsWith(variablePrefix) && looksSecret(id.slice(variablePrefix.length));
  const kept = Object.entries(given).filter(([id]) => id !== newVariable && !isSecret(id));
  return Object.fromEntries(kept);
}

/** Splits names at blanks and commas. */
export function namesIn(text: string | undefined): readonly string[] {
  return (text ?? "").split(/[\s,]+/).filter((name) => name !== "");
}

/** Returns only answers that differ from the script's own settings. */
export function configAnswersOf(given: GivenValues, base: AppConfig): ConfigAnswers {
  let answers: ConfigAnswers = {};
  for (const [setting, text] of changedSettings(given, base)) {
    if (setting.fault(text) !== undefined) continue;
    const { scale, limits, ...answer } = setting.answer(text);
    answers = {
      ...answers,
      ...answer,
      ...(scale && { scale: { ...answers.scale, ...scale } }),
      ...(limits && { limits: { ...answers.limits, ...limits } }),
    };
  }
  const auth = authOf(given, base);
  const environment = variablesOf(given);
  const secretNames = namesIn(given.secretNames);
  return {
    ...answers,
    ...(auth !== base.auth && { auth }),
    ...(Object.keys(environment).length > 0 && { environment }),
    ...(secretNames.length > 0 && { secretNames }),
    ...(isImageMode(given.imageMode) && { imageMode: given.imageMode }),
  };
}

function isImageMode(text: string | undefined): text is "pip" | "ignore" {
  return text === "pip" || text === "ignore";
}

export function authOf({ auth }: GivenValues, base: AppConfig | undefined): AppConfig["auth"] {
  return auth === "private" || auth === "shared" || auth === "public"
    ? auth
    : (base?.auth ?? "private");
}

/** Returns settings that differ from the script's own, with their texts. */
export function changedSettings(
  given: GivenValues,
  base: AppConfig,
): (readonly [Setting, string])[] {
  return settings
    .map((setting) => [setting, given[setting.id]?.trim() ?? ""] as const)
    .filter(([{ id, write }, text]) => {
      // With another machine type the script's number of GPUs does not apply.
      const isDropped = id === "gpuCount" && given.machineType !== undefined;
      return text !== "" && (isDropped || text !== write(base));
    });
}

/** Place of an app on its server. */
export interface AppPlace {
  /** With its environment: `chat--staging`; empty for a one-time run that gets a free name. */
  readonly app: string;
  readonly environment: string;
  /** True in `main`, where names have no suffix. */
  readonly isMain: boolean;
}

/** Returns the place for a name, in the chosen environment, else that of the profile or of the name. */
export function appPlaceOf(
  { name = "", environment: chosen }: GivenValues,
  target: { readonly environment?: string | undefined } | undefined,
  rules: Pick<Rules, "nameIn" | "environmentOf">,
): AppPlace {
  const environment = chosen ?? target?.environment ?? rules.environmentOf(name);
  const isMain = environment === rules.environmentOf("");
  return { app: rules.nameIn(name, environment), environment, isMain };
}

export function deployAnswersOf(
  given: GivenValues,
  base: AppConfig,
  target: Pick<CloudTarget, "organisation" | "machineType"> | undefined,
  { app, environment }: Pick<AppPlace, "app" | "environment">,
): DeployAnswers {
  const config = configAnswersOf(given, base);
  const machineType = config.machineType ?? target?.machineType;
  return {
    reference: referenceOf(given),
    appName: app || undefined,
    environmentName: environment,
    organisation: target?.organisation,
    isEphemeral: isEphemeral(given),
    isStatic: given.isStatic === "yes",
    config: { ...config, ...(machineType !== undefined && { machineType }) },
  };
}
