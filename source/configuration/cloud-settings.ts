// Settings of deployctl: flags win over DEPLOYCTL_* variables, variables over the profile.

/** Purpose of each setting; named as in flags and profiles. */
export const cloudSettingTexts = {
  server: "admin address of a server; without it, the server of this machine",
  key: "admin key for that server",
  ca: "certificate authority of that server, as a PEM file",
  "state-dir": "where this machine's server keeps its state",
  org: "organisation",
  environment: "environment of apps, secrets and keys; default main",
  "machine-type": "hardware to request, instead of the script's",
  listen: "address for the gateway to listen on",
  "admin-listen": "address for commands from other machines",
  "base-url": "how callers reach the gateway",
  tls: "self-signed: HTTPS with a certificate from the server's own authority",
  "tls-cert": "certificate file for HTTPS",
  "tls-key": "private key file for HTTPS",
  "behind-proxy": "addresses whose X-Forwarded headers are trusted",
  "port-range": "ports for replicas",
  "remote-shell": "on: shells and port forwarding also for other machines",
  "queue-expiry": "time to start a queued request, and to keep its result",
  "queue-request-size": "largest body of a queued request",
  "queue-result-size": "largest result of a queued request",
  "queue-storage": "room for queued requests and results",
  "webhook-networks": "networks beyond the public internet that webhooks may reach",
} as const;

/** Settings of earlier versions, which profiles and variables may still hold. */
export const removedSettings: readonly string[] = ["gateway-workers"];

export type CloudSettingName = keyof typeof cloudSettingTexts;

export const cloudSettingNames = Object.keys(cloudSettingTexts) as CloudSettingName[];

export function isCloudSettingName(name: string): name is CloudSettingName {
  return Object.hasOwn(cloudSettingTexts, name);
}

export interface CloudSetting {
  value: string;
  /** `--org`, `DEPLOYCTL_ORG`, or `profile local`. */
  origin: string;
}

export type CloudSettings = Partial<Record<CloudSettingName, CloudSetting>>;

export interface CloudSettingSources {
  flag: (name: CloudSettingName) => string | undefined;
  environment: NodeJS.ProcessEnv;
  profileName: string;
  profile: Partial<Record<CloudSettingName, string>>;
}

/** Resolves all settings; those without a value are absent. */
export function cloudSettings(sources: CloudSettingSources): CloudSettings {
  const { flag, environment, profileName, profile } = sources;
  const found: CloudSettings = {};
  for (const name of cloudSettingNames) {
    const variable = variableOf(name);
    const candidates = [
      { value: flag(name), origin: `--${name}` },
      { value: environment[variable], origin: variable },
      { value: profile[name], origin: `profile ${profileName}` },
    ];
    const first = candidates.find(({ value }) => value !== undefined && value !== "");
    if (first?.value !== undefined) found[name] = { value: first.value, origin: first.origin };
  }
  return found;
}

/** Environment variable of a setting. DEPLOYCTL_KEY is taken: callers of apps export their keys in it. */
export function variableOf(name: string): string {
  if (name === "key") return "DEPLOYCTL_ADMIN_KEY";
  return `DEPLOYCTL_${name.toUpperCase().replaceAll("-", "_")}`;
}
