// Turns a script and a user's flags into a deployment request.
import { readFileSync } from "node:fs";
import path from "node:path";
import { toAbsolutePath } from "../../base/file-path.ts";
import { ProductError } from "../../base/product-error.ts";
import type { AppReference } from "../../cloud/admin/admin-client.ts";
import type { DeploymentRequest } from "../../cloud/admin/documents.ts";
import { checkName, inEnvironment, mainEnvironment, suggestName } from "../../cloud/app-name.ts";
import { collectBundle } from "../../cloud/bundle/script-bundle.ts";
import { cloudErrors } from "../../cloud/errors.ts";
import { isInherited, variablesNotInherited } from "../../cloud/inherited-variables.ts";
import { type ConfigFlags, configFrom } from "../../cloud/inspection/config-from.ts";
import { environmentSnapshot, looksSecret } from "../../cloud/inspection/environment-snapshot.ts";
import { missingExecutables } from "../../cloud/inspection/executables.ts";
import { inspectScript, readScriptReference } from "../../cloud/inspection/inspect-script.ts";
import type { Inspection } from "../../cloud/inspection/inspection.ts";
import { readBundle } from "../../cloud/state/bundle-store.ts";
import { modelOf } from "./deploy-script.ts";
import { type DeployedApp, keptVariables, unreadSecrets, unsetWarnings } from "./kept-variables.ts";

export interface DeploymentOptions
  extends Omit<
    DeploymentRequest,
    "name" | "inspection" | "config" | "bundle" | "secrets" | "kept"
  > {
  /** `deploy.py`, or `deploy.py::serve`. */
  reference: string;
  /** Defaults to the script's name for it, else its file's; for a run, the server chooses. */
  appName: string | undefined;
  /** Environment of a name that the script chooses. */
  environmentName?: string | undefined;
  isEphemeral?: boolean;
  /** Never runs the script's top level. */
  isStatic: boolean;
  /** Asks before running a script that the system cannot confine. Defaults to no. */
  mayRun?: ((sentence: string) => Promise<boolean>) | undefined;
  /** Files and folders to upload besides those that the script uses visibly. */
  includes: readonly string[];
  config: ConfigFlags;
  /** Looks for the app on its server; what it has is kept. Defaults to a new app. */
  findDeployed?: (app: AppReference) => Promise<DeployedApp | undefined>;
}

/** Called before each step. */
export interface PreparationProgress {
  step(name: "inspect" | "bundle", sentence: string): void;
  note(sentence: string): void;
  warn(sentence: string): void;
  /** Called before anything else is written to the terminal, such as a question. */
  finish?(): void;
}

export interface PreparedDeployment {
  request: DeploymentRequest;
  /** Kept secrets that the new script does not read: sending the request needs a yes. */
  unreadSecrets: string[];
  /** Sentences, already reported to `progress`. */
  warnings: string[];
  /** Absolute paths of the script and of the bundle's files. */
  script: string;
  files: string[];
  sizeBytes: number;
}

/** @throws ProductError of `inspectScript`, `configFrom`, `collectBundle`; `CLOUD_NAME_INVALID` */
export async function prepareDeployment(
  wishes: DeploymentOptions,
  progress: PreparationProgress,
): Promise<PreparedDeployment> {
  const { reference, appName, environmentName, isEphemeral, ...whole } = wishes;
  const { isStatic, mayRun, includes, ...others } = whole;
  const { findDeployed, ...rest } = others;
  const { unset = [] } = rest;
  const { file, target } = readScriptReference(reference);
  const script = toAbsolutePath(file);
  progress.step("inspect", path.basename(file));
  const onRun = (sentence: string) => progress.note(sentence);
  const ask = async (sentence: string) => {
    progress.finish?.();
    return (await mayRun?.(sentence)) ?? false;
  };
  const shell = withoutNames(process.env, unset);
  const environment = environmentWith(wishes.config.environment, shell);
  const first = await inspectScript(script, target, {
    ...{ isStatic, environment, mayRun: ask, onRun },
  });
  const isMain = environmentName === undefined || environmentName === mainEnvironment;
  const name =
    isEphemeral && appName === undefined && isMain
      ? undefined
      : chooseName(appName, first, file, environmentName);
  if (rest.organisation !== undefined) checkName("organisation", rest.organisation);
  const deployed = isEphemeral ? undefined : await findDeployed?.(appPath(rest.organisation, name));
  const replaced = replacedNames(first, wishes.config, unset);
  const kept = keptVariables(deployed?.revision, replaced);
  // The script's settings may depend on them; who allowed its first run allows this one.
  const inspection = first.env_read.some((read) => kept.environment[read.name] !== undefined)
    ? await inspectScript(script, target, {
        ...{ isStatic, environment: { ...kept.environment, ...environment } },
        mayRun: async () => true,
      })
    : first;
  const { open, secret } = divideVariables(wishes.config.environment ?? {});
  const { secretNames = [] } = wishes.config;
  const config = configFrom(inspection, {
    ...wishes.config,
    environment: { ...kept.environment, ...open },
    secretNames: [...secretNames, ...kept.secretNames].sort(),
  });
  const model = modelOf(readFileSync(script, "utf8"), config.environment);
  const fromShell = environmentSnapshot(inspection, withoutNames(shell, secretNames));
  const secrets = { ...fromShell.secrets, ...secret };
  const keptNames = [...Object.keys(kept.environment), ...kept.secretNames, ...kept.frozen];
  const given = [...Object.keys({ ...config.environment, ...secrets }), ...config.secretNames];
  const warnings = [
    ...warningsLeft(inspection, [...given, ...keptNames, ...(deployed?.variables ?? [])]),
    ...unsetWarnings(unset, deployed),
  ];
  for (const sentence of warnings) progress.warn(sentence);
  progress.step("bundle", `${inspection.target} of ${path.basename(file)}`);
  const bundle = await collectBundle(script, inspection.files, includes);
  const folder = path.dirname(script);
  // The same files as before may have their secrets.
  const isSame = deployed?.revision?.bundle === readBundle(bundle).hash;
  return {
    request: {
      ...rest,
      ...{ name, inspection, bundle, secrets },
      config: { ...config, model },
      ...(keptNames.length > 0 && { kept: keptNames }),
    },
    unreadSecrets: isSame ? [] : unreadSecrets(kept, inspection),
    warnings,
    script,
    files: bundle.files.map((entry) => path.join(folder, entry.path)),
    sizeBytes: bundle.files.reduce(
      (sum, { contentBase64 }) => sum + Buffer.byteLength(contentBase64, "base64"),
      0,
    ),
  };
}

export async function inspectReference(
  reference: string,
  options: {
    isStatic: boolean;
    /** Variables of the app, for the script. */
    environment?: Record<string, string> | undefined;
    mayRun?: ((sentence: string) => Promise<boolean>) | undefined;
    onRun: (sentence: string) => void;
    signal?: AbortSignal | undefined;
  },
): Promise<Inspection> {
  const { file, target } = readScriptReference(reference);
  const environment = environmentWith(options.environment);
  const inspection = await inspectScript(toAbsolutePath(file), target, { ...options, environment });
  const left = new Set(warningsLeft(inspection, ownVariables(inspection)));
  const warnings = inspection.warnings.filter(({ sentence }) => left.has(sentence));
  return { ...inspection, warnings };
}

/** Returns the variables for reading a script: those of a shell, and of flags. */
function environmentWith(
  variables: Record<string, string> = {},
  shell: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  // The app's PATH may lack the Python that reads the script.
  return { ...shell, ...variables, PATH: process.env.PATH };
}

function withoutNames(environment: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !names.includes(name)));
}

function appPath(organisation: string | undefined, name = ""): AppReference {
  return organisation === undefined ? name : `${organisation}/${name}`;
}

/** Returns names that flags or the shell set, so that their earlier values are not kept. */
function replacedNames(
  { env_read }: Inspection,
  { environment = {}, secretNames = [] }: ConfigFlags,
  unset: readonly string[],
): Set<string> {
  const set = env_read.filter((read) => read.set).map(({ name }) => name);
  return new Set([...set, ...Object.keys(environment), ...secretNames, ...unset]);
}

/**
 * Names well-known variables that are set here, but not passed to the app.
 *
 * @returns undefined when there are none
 */
export function variablesNote(
  { config, secrets, kept = [] }: Pick<DeploymentRequest, "config" | "secrets" | "kept">,
  environment: NodeJS.ProcessEnv = process.env,
): string | undefined {
  const given = [config.environment, secrets ?? {}].flatMap((one) => Object.keys(one));
  const names = variablesNotInherited(
    environment,
    new Set([...given, ...config.secretNames, ...kept]),
  );
  if (names.length === 0) return undefined;
  const secret = names.filter(looksSecret);
  const flags = names.map((name) =>
    looksSecret(name) ? `--secret ${name}` : `--env ${name}="$${name}"`,
  );
  const first = secret[0] === undefined ? "" : ` (after deployctl secrets set ${secret[0]})`;
  return `Set here, but not passed to the app: ${names.join(", ")}. To pass: ${flags.join(" ")}${first}.`;
}

/** Returns the names of variables and secrets that the script itself gives its replicas. */
function ownVariables({ image, config }: Inspection): string[] {
  const secrets: unknown[] = Array.isArray(config.secrets) ? config.secrets : [];
  const variables = Object.keys({ ...image?.env, ...Object(config.env) });
  return [...variables, ...secrets.filter((name) => typeof name === "string")];
}

/** Leaves out warnings about variables that replicas get. @param given their names */
function warningsLeft({ warnings }: Inspection, given: readonly string[]): string[] {
  return warnings
    .filter(
      ({ variable }) =>
        variable === undefined || !(given.includes(variable) || isInherited(variable)),
    )
    .map(({ sentence }) => sentence);
}

/** Separates variables that look secret, as for those of the script. */
function divideVariables(variables: Record<string, string>) {
  const entries = Object.entries(variables);
  return {
    open: Object.fromEntries(entries.filter(([name]) => !looksSecret(name))),
    secret: Object.fromEntries(entries.filter(([name]) => looksSecret(name))),
  };
}

function chooseName(
  appName: string | undefined,
  { config }: Inspection,
  file: string,
  environment: string | undefined,
): string {
  if (appName !== undefined) return checkName("app", appName);
  const own = config.app_name ?? config.name;
  const name = typeof own === "string" ? own : suggestName(path.basename(file));
  return checkName("app", environment === undefined ? name : inEnvironment(name, environment));
}

/**
 * Adds a hint to an error about a program that this shell finds, as the control plane has its own PATH.
 * Returns other errors unchanged. Only for this machine's server.
 *
 * @param executables that the script calls
 * @param searchPath PATH of the deploying user
 */
export function explainMissingProgram(
  error: unknown,
  executables: readonly string[],
  searchPath: string = process.env.PATH ?? "",
): unknown {
  if (!(error instanceof ProductError)) return error;
  if (error.code !== cloudErrors.executableMissing.code) return error;
  const plain = executables.filter((name) => !name.includes("/") && error.message.includes(name));
  const missing = missingExecutables(plain, { searchPath, folder: "/" });
  const here = plain.find((name) => !missing.includes(name));
  if (here === undefined) return error;
  return error.reworded({
    hint: `${here} is on this shell's PATH, but not on the server's: add --env PATH="$PATH".`,
  });
}
