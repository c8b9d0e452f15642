// Turns a script and a user's flags into a deployment request.
import { readFileSync } from "node:fs";
import path from "node:path";
import { toAbsolutePath } from "../base/file-path.ts";
import { ProductError } from "../base/product-error.ts";
import type { DeploymentRequest } from "../cloud/admin/documents.ts";
import { checkName, suggestName } from "../cloud/app-name.ts";
import { collectBundle } from "../cloud/bundle/script-bundle.ts";
import { cloudErrors } from "../cloud/errors.ts";
import { isInherited, variablesNotInherited } from "../cloud/inherited-variables.ts";
import { type ConfigFlags, configFrom } from "../cloud/inspection/config-from.ts";
import { environmentSnapshot, looksSecret } from "../cloud/inspection/environment-snapshot.ts";
import { missingExecutables } from "../cloud/inspection/executables.ts";
import { inspectScript, readScriptReference } from "../cloud/inspection/inspect-script.ts";
import type { Inspection } from "../cloud/inspection/inspection.ts";
import { modelOf } from "./deploy-script.ts";

export interface DeploymentOptions
  extends Omit<DeploymentRequest, "name" | "inspection" | "config" | "bundle" | "secrets"> {
  /** `deploy.py`, or `deploy.py::serve`. */
  reference: string;
  /** Defaults to the script's name for it, else its file's; for a run, to a generated one. */
  appName: string | undefined;
  isEphemeral?: boolean;
  /** Never runs the script's top level. */
  isStatic: boolean;
  /** Asks before running a script that the system cannot confine. Defaults to no. */
  mayRun?: ((sentence: string) => Promise<boolean>) | undefined;
  /** Files and folders to upload besides those that the script uses visibly. */
  includes: readonly string[];
  config: ConfigFlags;
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
  const { reference, appName, isEphemeral, isStatic, mayRun, includes, ...rest } = wishes;
  const { file, target } = readScriptReference(reference);
  const script = toAbsolutePath(file);
  progress.step("inspect", path.basename(file));
  const onRun = (sentence: string) => progress.note(sentence);
  const ask = async (sentence: string) => {
    progress.finish?.();
    return (await mayRun?.(sentence)) ?? false;
  };
  const environment = environmentWith(wishes.config.environment);
  const options = { isStatic, environment, mayRun: ask, onRun };
  const inspection = await inspectScript(script, target, options);
  const { open, secret } = divideVariables(wishes.config.environment ?? {});
  const config = configFrom(inspection, { ...wishes.config, environment: open });
  const model = modelOf(readFileSync(script, "utf8"), config.environment);
  const { secrets } = environmentSnapshot(inspection, process.env);
  const warnings = warningsLeft(inspection, [
    ...Object.keys({ ...config.environment, ...secrets, ...secret }),
    ...config.secretNames,
  ]);
  for (const { sentence } of warnings) progress.warn(sentence);
  const name =
    isEphemeral && appName === undefined ? undefined : chooseName(appName, inspection, file);
  if (rest.organisation !== undefined) checkName("organisation", rest.organisation);
  progress.step("bundle", `${inspection.target} of ${path.basename(file)}`);
  const bundle = await collectBundle(script, inspection.files, includes);
  const folder = path.dirname(script);
  return {
    request: {
      ...rest,
      ...{ name, inspection, bundle },
      config: { ...config, model },
      secrets: { ...secrets, ...secret },
    },
    warnings: warnings.map(({ sentence }) => sentence),
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
  return { ...inspection, warnings: warningsLeft(inspection, ownVariables(inspection)) };
}

/** Returns the variables for reading a script: this program's, and those of flags. */
function environmentWith(variables: Record<string, string> = {}): NodeJS.ProcessEnv {
  // The app's PATH may lack the Python that reads the script.
  return { ...process.env, ...variables, PATH: process.env.PATH };
}

/**
 * Names well-known variables that are set here, but not passed to the app.
 *
 * @returns undefined when there are none
 */
export function variablesNote(
  { config, secrets }: Pick<DeploymentRequest, "config" | "secrets">,
  environment: NodeJS.ProcessEnv = process.env,
): string | undefined {
  const given = [config.environment, secrets ?? {}].flatMap((one) => Object.keys(one));
  const names = variablesNotInherited(environment, new Set([...given, ...config.secretNames]));
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
function warningsLeft({ warnings }: Inspection, given: readonly string[]) {
  return warnings.filter(
    ({ variable }) =>
      variable === undefined || !(given.includes(variable) || isInherited(variable)),
  );
}

/** Separates variables that look secret, as for those of the script. */
function divideVariables(variables: Record<string, string>) {
  const entries = Object.entries(variables);
  return {
    open: Object.fromEntries(entries.filter(([name]) => !looksSecret(name))),
    secret: Object.fromEntries(entries.filter(([name]) => looksSecret(name))),
  };
}

function chooseName(appName: string | undefined, { config }: Inspection, file: string): string {
  if (appName !== undefined) return checkName("app", appName);
  const own = config.app_name ?? config.name;
  return typeof own === "string" ? checkName("app", own) : suggestName(path.basename(file));
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
