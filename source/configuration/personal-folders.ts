// Imported before anything asks where a person's files are: without a home, or with folders that are
// named from the working directory, files would land wherever a command was typed.
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
 * Takes out what is to be ignored (https://specifications.freedesktop.org/basedir-spec/latest/: "If an
 * implementation encounters a relative path in any of these variables it should consider the path invalid
 * and ignore it"), and gives a person without HOME the home that the system knows.
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
    // A user whom the system does not know has none: then Node's own guess counts.
    delete environment.HOME;
  }
}

repairFolders(process.env, () => os.userInfo().homedir);
