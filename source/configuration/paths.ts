// Folders and files of modelctl and deployctl.
import "./personal-folders.ts";
import path from "node:path";
import envPaths from "env-paths";
import { ProductError } from "../base/product-error.ts";
import { systemCode, writeRefusal } from "../base/write-refusal.ts";
import { configurationErrors } from "./errors.ts";

export interface CloudPaths {
  profileFile: string;
  /** Default folder for the state of this machine's server. */
  stateFolder: string;
}

export interface ProductPaths {
  /** config.toml */
  configurationFile: string;
  /** mcp.json: servers with tools. */
  toolServerFile: string;
  /** The model store. */
  data: string;
  /** server.json, logs, prompt history. */
  state: string;
  /** Data that can be recreated. */
  cache: string;
}

/** Returns modelctl's folders: by the XDG variables on Linux, by the system's conventions elsewhere. */
export function productPaths(environment: NodeJS.ProcessEnv = process.env): ProductPaths {
  const own = envPaths("modelctl", { suffix: "" });
  const state = environment.XDG_STATE_HOME
    ? path.join(environment.XDG_STATE_HOME, "modelctl")
    : own.log;
  return {
    configurationFile: path.join(own.config, "config.toml"),
    toolServerFile: path.join(own.config, "mcp.json"),
    data: own.data,
    state,
    cache: own.cache,
  };
}

export function cloudPaths(): CloudPaths {
  const own = envPaths("deployctl", { suffix: "" });
  return { profileFile: path.join(own.config, "profiles.toml"), stateFolder: own.data };
}

/**
 * Runs work that writes to the folder with the servers' addresses and logs.
 *
 * @throws ProductError `CONFIGURATION_STATE_UNWRITABLE` if the system refuses it
 */
export function writingState<T>(stateFolder: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const reason = writeRefusal(stateFolder, systemCode(error));
    if (reason === undefined) throw error;
    throw new ProductError(configurationErrors.stateUnwritable, {
      message: `The folder ${stateFolder}, for logs and the server's address, cannot be written: ${reason}.`,
      hint: "Check its permissions, or choose another folder with XDG_STATE_HOME.",
      cause: error,
    });
  }
}
