// Controls the system's service manager, systemd or launchd.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { describeError, ProductError } from "../../base/product-error.ts";
import { systemCode } from "../../base/write-refusal.ts";
import { cloudErrors } from "../../cloud/errors.ts";
import { launchAgent, type ServiceProgram, serviceName, systemdUnit } from "./service-file.ts";

/** Longer than the manager's own timeout for stopping the server. */
const commandTimeoutMs = 150_000;

export interface ServiceManager {
  name: "systemd" | "launchd";
  /** The unit or agent. */
  file: string;
  render: (program: ServiceProgram) => string;
  /** Command lines that enable and start the service. */
  start: readonly (readonly string[])[];
  /** Command line that stops and disables it. */
  stop: readonly string[];
  /** Command line that unloads a deleted file; empty if not needed. */
  forget: readonly string[];
  /** Prints the service's state. */
  show: readonly string[];
  /** @param output of `show` */
  readState: (output: string) => ServiceState;
}

export interface ServiceState {
  isEnabled: boolean;
  isRunning: boolean;
}

/** @throws ProductError `CLOUD_SERVICE_UNSUPPORTED` on other systems */
export function serviceManager(
  platform: NodeJS.Platform = process.platform,
  environment: NodeJS.ProcessEnv = process.env,
): ServiceManager {
  if (platform === "linux") return systemd(environment);
  if (platform === "darwin") return launchd();
  throw unsupported(`deployctl cannot install a service on ${platform}.`);
}

function systemd({ XDG_CONFIG_HOME }: NodeJS.ProcessEnv): ServiceManager {
  const unit = `${serviceName}.service`;
  const folder = XDG_CONFIG_HOME || path.join(homedir(), ".config");
  const file = path.join(folder, "systemd", "user", unit);
  const systemctl = (...words: string[]) => ["systemctl", "--user", ...words];
  return {
    ...{ name: "systemd", file, render: systemdUnit },
    start: [systemctl("daemon-reload"), systemctl("enable", "--now", file)],
    stop: systemctl("disable", "--now", unit),
    forget: systemctl("daemon-reload"),
    show: systemctl("show", unit, "--property=UnitFileState,ActiveState"),
    readState: (output) => ({
      isEnabled: /^UnitFileState=enabled$/m.test(output),
      isRunning: /^ActiveState=active$/m.test(output),
    }),
  };
}

function launchd(): ServiceManager {
  const file = path.join(homedir(), "Library", "LaunchAgents", `${serviceName}.plist`);
  const domain = `gui/${process.getuid?.() ?? 0}`;
  return {
    ...{ name: "launchd", file, render: launchAgent },
    start: [["launchctl", "bootstrap", domain, file]],
    stop: ["launchctl", "bootout", `${domain}/${serviceName}`],
    forget: [],
    // Lists loaded agents with their process, or 0.
    show: ["launchctl", "print", domain],
    readState: (output) => {
      const [, processId] = /^\s*(\d+)\s+\S+\s+deployctl$/m.exec(output) ?? [];
      return { isEnabled: processId !== undefined, isRunning: Number(processId ?? 0) > 0 };
    },
  };
}

/**
 * @returns undefined if the manager does not answer, as in a container or after `su`
 * @throws ProductError `CLOUD_SERVICE_UNSUPPORTED` if it is not installed
 */
export async function serviceState(manager: ServiceManager): Promise<ServiceState | undefined> {
  try {
    return manager.readState(await execute(manager.show));
  } catch (error) {
    if (systemCode(error) !== "ENOENT") return undefined;
    throw unsupported(`This system has no ${manager.name}: ${manager.show[0]} was not found.`);
  }
}

export function isInstalled({ file }: ServiceManager): boolean {
  return existsSync(file);
}

/** Writes the unit or agent; nothing runs yet. */
export function writeService(manager: ServiceManager, program: ServiceProgram): void {
  try {
    mkdirSync(path.dirname(manager.file), { recursive: true });
    writeFileSync(manager.file, manager.render(program), { mode: 0o600 });
  } catch (cause) {
    throw failed(`Cannot write ${manager.file}: ${describeError(cause)}.`, cause);
  }
}

/** @throws ProductError `CLOUD_SERVICE_FAILED` */
export async function startService({ start }: ServiceManager): Promise<void> {
  for (const words of start) await run(words);
}

/**
 * Deletes the service after stopping it, which waits for running requests.
 *
 * @throws ProductError `CLOUD_SERVICE_FAILED`
 */
export async function removeService(
  manager: ServiceManager,
  state: ServiceState | undefined,
): Promise<void> {
  if (state?.isEnabled || state?.isRunning) await run(manager.stop);
  rmSync(manager.file, { force: true });
  if (state !== undefined && manager.forget.length > 0) await run(manager.forget);
}

/** True if systemd keeps the user's services running after logout. */
export function isLingering(): boolean {
  return existsSync(path.join("/var/lib/systemd/linger", userInfo().username));
}

/** @throws ProductError `CLOUD_SERVICE_FAILED` */
async function run(words: readonly string[]): Promise<void> {
  try {
    await execute(words);
  } catch (cause) {
    const said = cause instanceof Error && "stderr" in cause ? String(cause.stderr).trim() : "";
    throw failed(`'${words.join(" ")}' failed: ${said || describeError(cause)}`, cause);
  }
}

async function execute([program = "", ...words]: readonly string[]): Promise<string> {
  return (await promisify(execFile)(program, words, { timeout: commandTimeoutMs })).stdout;
}

function unsupported(message: string): ProductError {
  return new ProductError(cloudErrors.serviceUnsupported, {
    message,
    hint: "Let its own service manager run deployctl up --foreground.",
  });
}

function failed(message: string, cause: unknown): ProductError {
  return new ProductError(cloudErrors.serviceFailed, { message, cause });
}
