// Where the program keeps its files.
import "./personal-folders.ts";
import path from "node:path";
import envPaths from "env-paths";

export interface ProductPaths {
  /** config.toml */
  configurationFile: string;
  /** The model store. */
  data: string;
  /** server.json, logs, prompt history. */
  state: string;
  /** Data that can be made again. */
  cache: string;
}

/** Follows the XDG variables on Linux and the system's customs elsewhere. */
export function productPaths(environment: NodeJS.ProcessEnv = process.env): ProductPaths {
  const own = envPaths("modelctl", { suffix: "" });
  const state = environment.XDG_STATE_HOME
    ? path.join(environment.XDG_STATE_HOME, "modelctl")
    : own.log;
  return {
    configurationFile: path.join(own.config, "config.toml"),
    data: own.data,
    state,
    cache: own.cache,
  };
}
