// What a deployment would change against the revision that is active.

import type { AppConfig } from "../../../cloud/app-config.ts";
import type { Rules } from "./answers.ts";
import { settings } from "./settings.ts";

export interface Difference {
  readonly label: string;
  /** Undefined: it was not there. */
  readonly before: string | undefined;
  /** Undefined: it will not be there. */
  readonly after: string | undefined;
}

/** In the order of the screen's steps. Values of variables that look secret are not shown. */
export function differencesOf(
  before: AppConfig,
  after: AppConfig,
  looksSecret: Rules["looksSecret"],
): readonly Difference[] {
  const own = settings.map(({ label, write }) => difference(label, write(before), write(after)));
  const others = [
    difference("Port", String(before.exposedPort), String(after.exposedPort)),
    difference("Health path", before.healthPath, after.healthPath),
    difference("Access", before.auth, after.auth),
    difference("Cold start", before.coldStart, after.coldStart),
    difference("Models cache", onOff(before.modelsCache), onOff(after.modelsCache)),
    difference("Early stream", onOff(before.earlyStream), onOff(after.earlyStream)),
    difference("Packages", before.requirements.join(" "), after.requirements.join(" ")),
    difference("Stored secrets", before.secretNames.join(" "), after.secretNames.join(" ")),
  ];
  const names = new Set([...Object.keys(before.environment), ...Object.keys(after.environment)]);
  const variables = [...names].map((name) => {
    const [old, now] = [before.environment[name], after.environment[name]];
    if (old === now || !looksSecret(name)) return difference(name, old, now);
    return { label: name, before: masked(old), after: masked(now) };
  });
  return [...others, ...variables, ...own].filter((entry) => entry !== undefined);
}

function difference(
  label: string,
  before: string | undefined,
  after: string | undefined,
): Difference | undefined {
  if (before === after) return undefined;
  return { label, before: before || undefined, after: after || undefined };
}

function onOff(isOn: boolean | undefined): string {
  return isOn === true ? "on" : "off";
}

function masked(value: string | undefined): string | undefined {
  return value === undefined ? undefined : "(secret)";
}
