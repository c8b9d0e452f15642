// deployctl service install, remove, status: a server that systemd or launchd starts and restarts.
import { drainMs } from "../../../application/cloud-host/cloud-server.ts";
import { installServer } from "../../../application/cloud-host/install-server.ts";
import {
  isInstalled,
  isLingering,
  removeService,
  serviceManager,
  serviceState,
} from "../../../application/cloud-host/service-manager.ts";
import { ProductError } from "../../../base/product-error.ts";
import { quoteForShell } from "../../../base/quoting.ts";
import { cloudErrors } from "../../../cloud/errors.ts";
import type { Run } from "../../program/definition.ts";
import { formatLabels } from "../../table.ts";
import { printAnswer, tell } from "../print.ts";
import { readServer } from "../read-server.ts";
import { openSession } from "../session.ts";
import { clientOf, entryFile, saveFirstKey, upArguments } from "../target.ts";
import type { serviceCommands } from "./service.definition.ts";

export const installService: Run<typeof serviceCommands.installService> = async (_words, flags) => {
  const opened = openSession(flags);
  // The service is on this machine, whatever server the profile names.
  const { server: _named, ...settings } = opened.settings;
  const session = { ...opened, settings };
  const { stateFolder } = readServer(session);
  const manager = serviceManager();
  const { name, file } = manager;
  const status = await installServer(manager, {
    stateFolder,
    command: [process.execPath, entryFile, "up", "--foreground", ...upArguments(session)],
    onStart: () => tell(flags, "Starting the service…"),
  });
  if (status === undefined) {
    const commands = manager.start.map((words) => words.map(quoteForShell).join(" "));
    printAnswer(flags, {
      document: { manager: name, file, running: false, commands },
      text: `Installed ${file}.\n${name} does not answer here. Start the service with:\n\n${commands.map((line) => `  ${line}\n`).join("")}`,
      names: [file],
    });
    return;
  }
  await saveFirstKey(session, clientOf(session));
  printAnswer(flags, {
    document: { manager: name, file, running: true, baseUrl: status.baseUrl },
    text: `Installed ${file}.\nReady at ${status.baseUrl}.\n`,
    names: [file],
  });
  if (name === "systemd" && !isLingering()) {
    tell(
      flags,
      "It stops when you log out; to keep it and start it at boot: loginctl enable-linger",
    );
  }
};

export const uninstallService: Run<typeof serviceCommands.uninstallService> = async (
  _words,
  flags,
) => {
  const manager = serviceManager();
  const state = await serviceState(manager);
  if (!isInstalled(manager)) {
    throw new ProductError(cloudErrors.serviceMissing, {
      message: "The service is not installed.",
      hint: "Stop a server without one with deployctl down.",
    });
  }
  if (state?.isRunning) tell(flags, `Waiting up to ${drainMs / 1000} s for running requests…`);
  await removeService(manager, state);
  printAnswer(flags, {
    document: { removed: manager.file },
    text: `Removed ${manager.file}.\n`,
    names: [manager.file],
  });
};

export const showService: Run<typeof serviceCommands.showService> = async (_words, flags) => {
  const manager = serviceManager();
  const state = await serviceState(manager);
  const { name, file } = manager;
  const installed = isInstalled(manager);
  const rows: [string, string][] = [
    ["Installed", installed ? file : "no; run deployctl service install"],
    ["Enabled", answer(state?.isEnabled, name)],
    ["Running", answer(state?.isRunning, name)],
  ];
  printAnswer(flags, {
    document: {
      ...{ manager: name, file, installed },
      ...{ enabled: state?.isEnabled ?? null, running: state?.isRunning ?? null },
    },
    text: formatLabels(rows, 11),
    names: installed ? [file] : [],
  });
};

function answer(value: boolean | undefined, manager: string): string {
  if (value === undefined) return `unknown: ${manager} does not answer here`;
  return value ? "yes" : "no";
}
