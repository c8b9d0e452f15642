// Output of the command line besides the answer: figures, progress, settings of a command.
import { afterEach, describe, expect, test, vi } from "vitest";
import { modelctlProgram } from "../../source/cli/modelctl-program.ts";
import { readCommandLine } from "../../source/cli/program/read-command-line.ts";
import { progressText } from "../../source/cli/progress.ts";
import { connectUrl, readSettings } from "../../source/cli/session-settings.ts";
import { formatStatistics } from "../../source/cli/statistics-text.ts";

const toggles = { verbose: false, plain: false, debug: false, background: false, origin: false };

afterEach(() => vi.unstubAllEnvs());

describe("the figures of --verbose", () => {
  const statistics = {
    finishReason: "stop",
    promptTokens: 20,
    cachedTokens: 10,
    completionTokens: 11,
    loadMs: 1.5,
    promptMs: 100,
    completionMs: 2000,
    totalMs: 65_000,
  } as const;

  test("are Ollama's, with rates of computed tokens", () => {
    expect(formatStatistics(statistics)).toBe(
      [
        "total duration:       1m5s",
        "load duration:        1.5ms",
        "prompt eval count:    20 token(s)",
        "prompt cached count:  10 token(s)",
        "prompt eval duration: 100ms",
        "prompt eval rate:     100.00 tokens/s",
        "eval count:           11 token(s)",
        "eval duration:        2s",
        "eval rate:            5.00 tokens/s",
        "",
      ].join("\n"),
    );
  });

  test("leave out zero values", () => {
    const nothing = { ...statistics, cachedTokens: 0, loadMs: 0, completionMs: 0 };
    const text = formatStatistics(nothing);
    for (const label of ["load duration", "cached", "eval rate:            ", "\neval duration"]) {
      expect(text).not.toContain(label);
    }
    expect(text).not.toMatch(/NaN|Infinity/);
  });
});

describe("progress", () => {
  test.each([
    [{ type: "checking", file: "a.gguf", fraction: 0.426 } as const, "checking a.gguf 42 %"],
    [{ type: "loading", fraction: 0.426 } as const, "loading tiny 42 %"],
    [{ type: "loading", fraction: 1 } as const, "loading tiny 100 %"],
    [{ type: "queued", ahead: 0 } as const, "waiting, next in line"],
    [{ type: "queued", ahead: 3 } as const, "waiting, 3 ahead"],
    [
      { type: "prompt", completedTokens: 500, totalTokens: 1000 } as const,
      "reading 1000 tokens 50 %",
    ],
    [{ type: "prompt", completedTokens: 5, totalTokens: 10 } as const, undefined],
    [{ type: "text", text: "a" } as const, undefined],
  ])("of %j prints %j", (event, text) => {
    expect(progressText(event, "tiny")).toBe(text);
  });
});

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
    const { address } = readSettings({ ...toggles, ...flags });
    expect(address && `${address.host}:${address.port}`).toBe(expected);
  });

  test.each([" x", "x", "-1", "65536", "1.5"])("--port %j is refused", (port) => {
    expect(() => readCommandLine(modelctlProgram, ["ps", `--port=${port}`])).toThrow(
      expect.objectContaining({ code: "COMMAND_USAGE", exitCode: 2 }),
    );
  });

  test("is passed on to a background server", () => {
    const { serverFlags } = readSettings({
      ...toggles,
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
    expect(connectUrl({ ...toggles, connect })).toBe(url);
  });

  test("with an invalid address is refused", () => {
    expect(() => connectUrl({ ...toggles, connect: "ftp://x" })).toThrow(
      expect.objectContaining({ code: "COMMAND_USAGE" }),
    );
  });
});
