// Service managers: paths of their files, and parsing of their output.
import { expect, test } from "vitest";
import { serviceManager } from "../../../source/application/cloud-host/service-manager.ts";

test("systemd reads units from the configuration folder", () => {
  const { file, start, readState } = serviceManager("linux", { XDG_CONFIG_HOME: "/my config" });
  expect(file).toBe("/my config/systemd/user/deployctl.service");
  expect(start.at(-1)).toEqual(["systemctl", "--user", "enable", "--now", file]);
  expect(readState("ActiveState=active\nUnitFileState=enabled\n")).toEqual({
    isEnabled: true,
    isRunning: true,
  });
  expect(readState("ActiveState=inactive\nUnitFileState=\n")).toEqual({
    isEnabled: false,
    isRunning: false,
  });
});

test("launchd lists loaded agents with their process", () => {
  const { file, readState } = serviceManager("darwin");
  expect(file).toMatch(/\/Library\/LaunchAgents\/deployctl\.plist$/);
  const list = (line: string) =>
    `\tservices = {\n\t\t     417      - \tcom.apple.Finder\n${line}\t}\n`;
  expect(readState(list("\t\t    1234      - \tdeployctl\n"))).toEqual({
    isEnabled: true,
    isRunning: true,
  });
  expect(readState(list("\t\t       0      - \tdeployctl\n"))).toEqual({
    isEnabled: true,
    isRunning: false,
  });
  expect(readState(list(""))).toEqual({ isEnabled: false, isRunning: false });
});

test("other systems get the command to run", () => {
  expect(() => serviceManager("freebsd")).toThrow(
    expect.objectContaining({
      code: "CLOUD_SERVICE_UNSUPPORTED",
      hint: expect.stringContaining("deployctl up --foreground"),
    }),
  );
});
