// Programs that a script runs: found before anything starts, or reported with an install command.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  checkExecutables,
  installLine,
  missingExecutables,
  packageOf,
} from "../../../source/cloud/inspection/executables.ts";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "deployctl-programs-"));
  mkdirSync(path.join(folder, "bin"));
  for (const name of ["bin/vllm", "beside", "bin/plain"]) {
    writeFileSync(path.join(folder, name), "#!/bin/sh\n");
    chmodSync(path.join(folder, name), name === "bin/plain" ? 0o644 : 0o755);
  }
  mkdirSync(path.join(folder, "bin/folder"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("programs are found as a replica will find them", () => {
  const search = { searchPath: `/nowhere:${path.join(folder, "bin")}`, folder };
  const absolute = path.join(folder, "bin/vllm");
  const names = ["vllm", "plain", "folder", "nothing", "./beside", "beside", absolute, "/no/such"];
  expect(missingExecutables(names, search)).toEqual([
    "plain",
    "folder",
    "nothing",
    "beside",
    "/no/such",
  ]);
});

test("existing programs pass; missing ones are named with how to install them", () => {
  const search = { searchPath: path.join(folder, "bin"), folder };
  expect(() => checkExecutables(["vllm"], search)).not.toThrow();
  for (const [names, message, hint] of [
    [
      ["sglang", "nothing"],
      /runs sglang, nothing, which are not on the PATH/,
      "pip install 'sglang[all]'",
    ],
    [["nothing"], /runs nothing, which is not on the PATH/, "Install nothing, or add its folder"],
    [["./server"], /runs .\/server, which is missing or not executable/, "--include ./server"],
  ] as const) {
    expect(() => checkExecutables(names, search)).toThrow(
      expect.objectContaining({
        code: "CLOUD_EXECUTABLE_MISSING",
        exitCode: 6,
        message: expect.stringMatching(message),
        hint: expect.stringContaining(hint),
      }),
    );
  }
});

describe("the install command", () => {
  const image = (base: string, pip: string[] = []) => ({ base, env: {}, pip, ignored: [] });

  test.each([
    ["vllm", undefined, "linux", "python3 -m pip install vllm"],
    ["vllm", image("vllm/vllm-openai:v0.15.1"), "linux", "python3 -m pip install vllm==0.15.1"],
    [
      "vllm",
      image("docker.io/vllm/vllm-openai:0.9.0-cu12"),
      "linux",
      "python3 -m pip install vllm==0.9.0",
    ],
    ["vllm", image("vllm/vllm-openai:latest"), "linux", "python3 -m pip install vllm"],
    [
      "vllm",
      image("python:3.12", ["vllm>=0.8,<1"]),
      "linux",
      "python3 -m pip install 'vllm>=0.8,<1'",
    ],
    ["ffmpeg", undefined, "linux", "sudo apt-get install ffmpeg"],
    ["ffmpeg", undefined, "darwin", "brew install ffmpeg"],
    ["modelctl", undefined, "linux", "npm install --global modelctl"],
    ["my-own-server", undefined, "linux", undefined],
  ] as const)("%s", (name, used, platform, line) => {
    const given = used === undefined ? undefined : { ...used, pip: [...used.pip] };
    expect(installLine(name, given, platform)).toBe(line);
  });

  test("suggests a requirement for Python packages", () => {
    expect(packageOf("vllm", image("vllm/vllm-openai:v0.15.1"))).toBe("vllm==0.15.1");
    expect(packageOf("ollama", undefined)).toBeUndefined();
  });
});
