// Repairs HOME and XDG variables; imported before env-paths reads them. With relative folders, files
// would land in the current folder.
import os from "node:os";
import path from "node:path";

const folderVariables = [
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_STATE_HOME",
  "XDG_CACHE_HOME",
  "XDG_RUNTIME_DIR",
];

/**
 * Removes relative folders (https://specifications.freedesktop.org/basedir-spec/latest/: "If an
 * implementation encounters a relative path in any of these variables it should consider the path invalid
 * and ignore it"), and replaces a relative HOME with the one that the system knows.
 */
export function repairFolders(environment: NodeJS.ProcessEnv, systemHome: () => string): void {
  for (const name of folderVariables) {
    const folder = environment[name];
    if (folder !== undefined && !path.isAbsolute(folder)) delete environment[name];
  }
  const { HOME } = environment;
  if (HOME === undefined || path.isAbsolute(HOME)) return;
  try {
    environment.HOME = systemHome();
  } catch {
    // Unknown to the system: Node guesses.
    delete environment.HOME;
  }
}

repairFolders(process.env, () => os.userInfo().homedir);
