// Settings of a command: its address, flags for a background server, --connect.
import { afterEach, describe, expect, test, vi } from "vitest";
import { modelctlProgram } from "../../source/cli/modelctl-program.ts";
import { readCommandLine } from "../../source/cli/program/read-command-line.ts";
import { connectUrl, readSettings } from "../../source/cli/session-settings.ts";

afterEach(() => vi.unstubAllEnvs());

describe("the address of a command", () => {
  test.each([
    [{}, {}, undefined],
    [{ host: "1.2.3.4" }, {}, "1.2.3.4:11434"],
    [{ port: 1234 }, {}, "127.0.0.1:1234"],
    [{ host: "1.2.3.4", port: 1234 }, {}, "1.2.3.4:1234"],
    [{}, { MODELCTL_HOST: "1.2.3.4:5" }, "1.2.3.4:5"],
    [{ port: 6 }, { MODELCTL_HOST: "1.2.3.4:5" }, "1.2.3.4:6"],
    [{ host: "localhost" }, { MODELCTL_HOST: "1.2.3.4:5" }, "localhost:11434"],
    [{}, { OLLAMA_HOST: "1.2.3.4:5" }, undefined],
  ])("of %j and %j is %j", (flags, environment, expected) => {
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    const { address } = readSettings(flags);
    expect(address && `${address.host}:${address.port}`).toBe(expected);
  });

  test.each([" x", "x", "-1", "65536", "1.5"])("--port %j is refused", (port) => {
    expect(() => readCommandLine(modelctlProgram, ["ps", `--port=${port}`])).toThrow(
      expect.objectContaining({ code: "COMMAND_USAGE", exitCode: 2 }),
    );
  });

  test("is passed on to a background server", () => {
    const { serverFlags } = readSettings({
      gpu: "cpu",
      numParallel: 2,
      contextLength: 512,
      host: "127.0.0.1",
      port: 1,
      debug: true,
    });
    expect(serverFlags).toEqual([
      "--gpu",
      "cpu",
      "--num-parallel",
      "2",
      "--context-length",
      "512",
      "--host",
      "127.0.0.1",
      "--port",
      "1",
      "--debug",
    ]);
  });
});

describe("--connect", () => {
  test.each([
    ["http://1.2.3.4:5", "http://1.2.3.4:5"],
    ["1.2.3.4", "http://1.2.3.4:11434"],
    ["https://example.com/llm/", "https://example.com:443/llm"],
  ])("%s means %s", (connect, url) => {
    expect(connectUrl({ connect })).toBe(url);
  });

  test("with an invalid address is refused", () => {
    expect(() => connectUrl({ connect: "ftp://x" })).toThrow(
      expect.objectContaining({ code: "COMMAND_USAGE" }),
    );
  });
});
