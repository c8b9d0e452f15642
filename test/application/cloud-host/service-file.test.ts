// Files for systemd and launchd, as text, and checked by systemd and a plist parser if installed.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import {
  launchAgent,
  serviceEnvironment,
  systemdUnit,
} from "../../../source/application/cloud-host/service-file.ts";

const folder = mkdtempSync(path.join(tmpdir(), "service-file-"));
afterAll(() => rmSync(folder, { recursive: true }));

const state = `/home/me/100% $HOME "a" \\b <c> & 'd'`;
const program = {
  command: [process.execPath, "/opt/my tools/deployctl.js", "up", "--state-dir", state],
  environment: { PATH: "/usr/bin:/50% off", LANG: "C.UTF-8" },
  logFile: "/home/me/100% sure/server.log",
};

function has(command: string): boolean {
  return spawnSync(command, ["--version"]).error === undefined;
}

describe("a systemd unit", () => {
  const unit = systemdUnit(program);

  test("escapes blanks, quotes, dollars and percent signs", () => {
    expect(unit).toContain(
      `"/opt/my tools/deployctl.js" "up" "--state-dir" "/home/me/100%% $$HOME \\"a\\" \\\\b <c> & 'd'"\n`,
    );
    expect(unit).toContain(`Environment="PATH=/usr/bin:/50%% off"\nEnvironment="LANG=C.UTF-8"\n`);
    expect(unit).toContain("StandardOutput=append:/home/me/100%% sure/server.log\n");
  });

  test("restarts a server that crashed, and lets the supervisor stop the others", () => {
    expect(unit).toContain("\nRestart=on-failure\n");
    expect(unit).toContain("\nKillMode=process\n");
    expect(unit).toContain("\nWantedBy=default.target\n");
  });

  test.skipIf(!has("systemd-analyze"))("is accepted by systemd", () => {
    const file = path.join(folder, "deployctl.service");
    writeFileSync(file, unit);
    const { status, stderr } = spawnSync("systemd-analyze", ["verify", "--user", file], {
      env: { ...process.env, XDG_RUNTIME_DIR: folder },
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    expect(status).toBe(0);
  });
});

test("a launchd agent has the same command and variables", () => {
  const agent = launchAgent(program);
  expect(agent).toContain(
    `<string>/home/me/100% $HOME "a" \\b &lt;c&gt; &amp; 'd'</string>\n  </array>`,
  );
  const script =
    "import json, plistlib, sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))";
  const read = execFileSync("python3", ["-c", script], { input: agent, encoding: "utf8" });
  expect(JSON.parse(read)).toMatchObject({
    Label: "deployctl",
    ProgramArguments: program.command,
    EnvironmentVariables: program.environment,
    StandardErrorPath: program.logFile,
    RunAtLoad: true,
    KeepAlive: { SuccessfulExit: false },
  });
});

test("login variables, passwords and control characters are left out", () => {
  expect(
    serviceEnvironment({
      PATH: "/usr/bin",
      XDG_DATA_HOME: "/data",
      MODELCTL_GPU: "cpu",
      http_proxy: "http://proxy:3128",
      HOME: "/home/me",
      XDG_RUNTIME_DIR: "/run/user/1000",
      XDG_SESSION_ID: "3",
      https_proxy: "http://me:secret@proxy:3128",
      LC_ALL: "C\nUser=root",
    }),
  ).toEqual({
    PATH: "/usr/bin",
    XDG_DATA_HOME: "/data",
    MODELCTL_GPU: "cpu",
    http_proxy: "http://proxy:3128",
  });
});
