// The built deployctl in a pseudo-terminal, with the home, the gateway's port and the programs of a test.
import path from "node:path";
import type { CloudHome } from "./cloud-home.ts";
import { repositoryFolder } from "./command-line.ts";
import { openTerminal, type TerminalOptions, type TestTerminal } from "./pty.ts";

const entry = path.join(repositoryFolder, "dist", "deployctl.js");

/** Its screens, at 80x24 where nothing else is wanted, once they take keys. Close it in any case. */
export async function openDeployctl(
  cloud: CloudHome,
  { columns = 80, rows = 24, environment }: TerminalOptions = {},
): Promise<TestTerminal> {
  const terminal = await openTerminal([], {
    shell: `exec '${process.execPath}' '${entry}'`,
    home: cloud.folder,
    columns,
    rows,
    environment: { ...cloud.home.environment, ...cloud.environment, ...environment },
  });
  try {
    await terminal.takesKeys();
  } catch (error) {
    await terminal.close();
    throw error;
  }
  return terminal;
}
