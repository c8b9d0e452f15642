// deployctl service: installs, shows and removes a unit. A script replaces the service manager, so that no
// test changes the machine's services.
import { chmodSync, existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CloudHome } from "../support/cloud-home.ts";

let cloud: CloudHome;
let unit: string;

beforeAll(async () => {
  cloud = await CloudHome.create();
  unit = path.join(cloud.folder, "config/systemd/user/deployctl.service");
});
afterAll(async () => await cloud.remove());

function installSystemctl(script: string): void {
  chmodSync(cloud.write("bin/systemctl", `#!/bin/sh\n${script}`), 0o755);
}

/** Starts and stops the unit's command as systemd does. */
const workingSystemctl = `
pid="$HOME/service.pid"
case "$2" in
  show)
    if [ -f "$pid" ]; then printf 'UnitFileState=enabled\\nActiveState=active\\n'; fi ;;
  enable)
    eval "exec $(sed -n 's/^ExecStart=//p' "$4")" < /dev/null > "$HOME/service.log" 2>&1 &
    echo $! > "$pid" ;;
  disable)
    kill "$(cat "$pid")"
    while [ -f "$XDG_DATA_HOME/deployctl/processes.json" ]; do sleep 0.05; done
    rm "$pid" ;;
esac
`;

describe.skipIf(process.platform !== "linux")("deployctl service", () => {
  test("installs a server that becomes ready, and removes it", async () => {
    installSystemctl(workingSystemctl);
    const installed = await cloud.call(["service", "install", "--org", "acme"]);
    expect(installed, installed.errors).toMatchObject({
      code: 0,
      output: `Installed ${unit}.\nReady at http://127.0.0.1:${cloud.gatewayPort}.\n`,
    });
    expect(readFileSync(unit, "utf8")).toContain('"up" "--foreground" "--profile" "local"');
    expect(await cloud.json(["status"])).toMatchObject({ organisation: "acme", isReady: true });
    expect(await cloud.json(["service", "status"])).toMatchObject({
      ...{ file: unit, installed: true, enabled: true, running: true },
    });
    const removed = await cloud.call(["service", "remove"]);
    expect(removed, removed.errors).toMatchObject({ code: 0, output: `Removed ${unit}.\n` });
    expect(existsSync(unit)).toBe(false);
    expect((await cloud.call(["status"])).code).toBe(8);
  });

  test("prints the commands when systemd does not answer", async () => {
    installSystemctl("echo 'Failed to connect to bus' >&2\nexit 1\n");
    const installed = await cloud.call(["service", "install"]);
    expect(installed, installed.errors).toMatchObject({
      code: 0,
      output: expect.stringContaining(`systemctl --user enable --now ${unit}\n`),
    });
    const again = await cloud.call(["service", "install"]);
    expect(again).toMatchObject({
      code: 5,
      errors: `Error: The service is already installed: ${unit}. Remove it first with deployctl service remove.\n`,
    });
    expect((await cloud.call(["service", "status"])).output).toBe(
      `Installed  ${unit}\nEnabled    unknown: systemd does not answer here\nRunning    unknown: systemd does not answer here\n`,
    );
    expect((await cloud.call(["service", "remove"])).code).toBe(0);
    expect(await cloud.call(["service", "remove"])).toMatchObject({
      code: 3,
      errors:
        "Error: The service is not installed. Stop a server without one with deployctl down.\n",
    });
  });

  test("reports that the system has no systemd", async () => {
    const environment = { PATH: path.join(cloud.folder, "empty") };
    const outcome = await cloud.call(["service", "install"], { environment });
    expect(outcome).toMatchObject({
      code: 5,
      errors:
        "Error: This system has no systemd: systemctl was not found. Let its own service manager run deployctl up --foreground.\n",
    });
    expect(existsSync(unit)).toBe(false);
  });
});
