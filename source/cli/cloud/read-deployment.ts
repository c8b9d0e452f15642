// Turns the flags of run and deploy into a deployment request.
import type { DeploymentOptions } from "../../application/deploying/prepare-deployment.ts";
import { isYes } from "../confirm.ts";
import { usageError } from "../errors.ts";
import type { Flags } from "./flags.ts";
import {
  checkVariableName,
  namedIn,
  readPairs,
  readScale,
  readShare,
  readVariables,
} from "./read-values.ts";
import { type Session, settingOf } from "./session.ts";

/** @throws ProductError `COMMAND_USAGE` */
export function readDeployment(session: Session, reference: string): DeploymentOptions {
  const { flags } = session;
  const [organisation, appName] = splitName(flags.appName);
  const environment = readVariables("--env", flags.env);
  const secretNames = (flags.secret ?? []).map(checkVariableName);
  return {
    reference,
    appName: namedIn(settingOf(session, "environment"), appName),
    environmentName: settingOf(session, "environment"),
    organisation: organisation ?? settingOf(session, "org"),
    isStatic: flags.static === true,
    mayRun: (sentence) => mayRunScript(sentence, flags.yesRun === true),
    includes: flags.include ?? [],
    strategy: flags.strategy,
    isForced: flags.force,
    isDetached: flags.detach,
    resetsScale: flags.resetScale,
    unset: readUnset(flags, [...Object.keys(environment), ...secretNames]),
    smoke: flags.smoke,
    traffic: readTraffic(flags),
    message: flags.message,
    annotations: readPairs("--annotation", flags.annotation),
    config: {
      auth: flags.auth,
      ...{ environment, secretNames },
      requirements: flags.requirement ?? [],
      imageMode: flags.imageMode,
      exposedPort: flags.port,
      healthPath: readPath("--health-path", flags.healthPath),
      healthStatus: flags.healthStatus,
      machineType: settingOf(session, "machine-type"),
      gpuCount: flags.gpus,
      scale: readScale(flags),
      limits: readLimits(flags),
      coldStart: flags.coldStart,
      sseKeepAliveMs: flags.sseKeepalive,
      modelsCache: isOn(flags.modelsCache),
      earlyStream: isOn(flags.earlyStream),
    },
  };
}

/** Reads the shares of a new revision. @throws ProductError `COMMAND_USAGE` */
function readTraffic({
  traffic,
  stepTime: stepMs,
  stepRequests: minRequests,
}: Flags): DeploymentOptions["traffic"] {
  const percents = traffic?.split(",").map((text) => {
    const percent = readShare(text, `--traffic ${traffic}`);
    if (percent > 0) return percent;
    throw usageError("--traffic 0 would give the new revision no traffic.", "Use 1 to 99.");
  });
  const isSteps = stepMs !== undefined || minRequests !== undefined;
  if (isSteps && (percents?.length ?? 0) < 2) {
    const flag = stepMs === undefined ? "--step-requests" : "--step-time";
    throw usageError(`${flag} needs steps.`, "Name the shares: --traffic 10,50,100.");
  }
  return percents && { percents, stepMs, minRequests };
}

/** Splits `chat` or `acme/chat` into organisation and name. */
function splitName(name: string | undefined): [string | undefined, string | undefined] {
  const slash = name?.indexOf("/") ?? -1;
  if (name === undefined || slash === -1) return [undefined, name];
  return [name.slice(0, slash), name.slice(slash + 1)];
}

/** @param set names that other flags set */
function readUnset({ unset }: Flags, set: readonly string[]): string[] | undefined {
  const names = unset?.map(checkVariableName);
  const both = names?.find((name) => set.includes(name));
  if (both === undefined) return names;
  throw usageError(`${both} is both set and unset.`, "Use --unset without --env or --secret.");
}

function isOn(text: "on" | "off" | undefined): boolean | undefined {
  return text === undefined ? undefined : text === "on";
}

function readPath(flag: string, text: string | undefined): string | undefined {
  if (text === undefined || /^\/[!-~]*$/.test(text)) return text;
  throw usageError(`${flag} ${text} is not a path.`, "Begin it with a slash: /health");
}

function readLimits(flags: Flags): DeploymentOptions["config"]["limits"] {
  const limits = {
    startupTimeoutMs: flags.startupTimeout,
    requestTimeoutMs: flags.requestTimeout,
    drainTimeoutMs: flags.drainTimeout,
  };
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}

/** Asks before running a script that the system cannot confine. @param isGiven `--yes-run` */
export async function mayRunScript(sentence: string, isGiven: boolean): Promise<boolean> {
  return isGiven || (await isYes(`${sentence} Run it? [y/N] `));
}
