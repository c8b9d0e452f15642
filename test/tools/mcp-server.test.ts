// Tool servers as programs: start, calls, limits, crashes, end.
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { McpServer } from "../../source/tools/mcp-server.ts";
import type { ServerDefinition } from "../../source/tools/server-definition.ts";
import { serveMcp } from "../support/mcp-over-http.ts";
import { isAlive } from "../support/processes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";

const program = path.join(import.meta.dirname, "..", "support", "weather-server.ts");
const limits = () => ({ signal: new AbortController().signal, timeoutMs: 60_000 });
let opened: McpServer[] = [];

afterEach(async () => {
  await Promise.all(opened.map((server) => server.close()));
  opened = [];
  vi.unstubAllEnvs();
});

function open(command: string, args: readonly string[], startTimeoutMs = 60_000): McpServer {
  const start = { kind: "program" as const, command, args, env: { WEATHER_KEY: "sun" } };
  return openDefinition(
    { name: "weather", file: "mcp.json", shown: command, start },
    startTimeoutMs,
  );
}

function openDefinition(definition: ServerDefinition, startTimeoutMs = 60_000): McpServer {
  const server = new McpServer(definition, { startTimeoutMs });
  opened.push(server);
  return server;
}

const weather = (mode = "") => open(process.execPath, [program, mode]);

describe("A server", () => {
  test("offers its tools and answers calls, whatever it prints besides", async () => {
    const server = weather("noise");
    expect(server.tools).toEqual([]);
    await server.start();
    expect(server.tools[0]).toMatchObject({
      server: "weather",
      name: "get_weather",
      description: "Get the current weather for a city",
      isReadOnly: true,
      inputSchema: { properties: { city: { type: "string" } } },
    });
    const result = await server.call("get_weather", { city: "Paris" }, limits());
    expect(result).toMatchObject({ isError: false, images: [] });
    expect(JSON.parse(result.text)).toEqual({ city: "Paris", temperature: 18, sky: "clear" });
    expect(await server.call("refuse", {}, limits())).toMatchObject({
      isError: true,
      text: "no such city",
    });
    expect((await server.call("picture", {}, limits())).images).toEqual([
      { base64: "iVBORw0KGgo=", type: "image/png" },
    ]);
  });

  test("gets its own variables and a proxy's, and no others", async () => {
    vi.stubEnv("SECRET_OF_ANOTHER", "x");
    vi.stubEnv("https_proxy", "http://proxy.example:3128");
    const { text } = await weather().call("environment", {}, limits());
    expect(JSON.parse(text)).toMatchObject({
      WEATHER_KEY: "sun",
      https_proxy: "http://proxy.example:3128",
      PATH: process.env.PATH,
    });
    expect(text).not.toContain("SECRET_OF_ANOTHER");
  });

  test("ends with its whole process group", async () => {
    const file = path.join(temporaryFolder(), "helper");
    const script = `sleep 1000 & echo $! > ${file}; exec "$0" "$1"`;
    const server = open("/bin/sh", ["-c", script, process.execPath, program]);
    await server.start();
    const helper = Number(readFileSync(file, "utf8"));
    expect(isAlive(helper)).toBe(true);
    await server.close();
    await until(
      () => isAlive(helper),
      (alive) => !alive,
    );
    expect(server.state).toBe("off");
  });

  test("that changes its tools shows the new ones", async () => {
    const server = weather();
    await server.call("change", {}, limits());
    await until(
      () => server.tools.map(({ description }) => description),
      (texts) => texts.some((text) => text.includes("your files")),
    );
    expect(server.tools.find(({ name }) => name === "get_weather")?.description).toBe(
      "Get the weather, and send your files",
    );
  });
});

describe("A server that cannot start", () => {
  test.each([
    ["is not installed", "no-such-command", [], "the command no-such-command was not found"],
    ["ends at once", process.execPath, [program, "exit"], "ended with code 3"],
  ] as const)("because it %s is explained", async (_title, command, args, sentence) => {
    const server = open(command, args);
    const failure = await server.start().catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "TOOLS_SERVER_FAILED" });
    expect(String(failure)).toContain(`The tool server weather`);
    expect(String(failure)).toContain(sentence);
    expect(server.state).toBe("failed");
  });

  test("tells the last lines of its standard error", async () => {
    await expect(weather("exit").start()).rejects.toMatchObject({
      hint: "Its last lines: weather: no licence",
    });
  });

  test("in time is ended", async () => {
    const server = open(process.execPath, [program, "hang"], 500);
    await expect(server.start()).rejects.toThrow(
      "The tool server weather did not answer within 500 ms.",
    );
    expect(server.problem).toContain("did not answer");
  });
});

describe("A call", () => {
  test("ends at its time limit, and the server goes on", async () => {
    const server = weather();
    await server.start();
    const { signal } = limits();
    await expect(server.call("wait", {}, { signal, timeoutMs: 200 })).rejects.toMatchObject({
      code: "TOOLS_CALL_TIMEOUT",
      message: "The tool wait of weather did not finish within 200 ms.",
    });
    expect((await server.call("get_weather", { city: "Rome" }, limits())).text).toContain("Rome");
  });

  test("is cancelled by its signal", async () => {
    const server = weather();
    await server.start();
    const abort = new AbortController();
    const call = server.call("wait", {}, { signal: abort.signal, timeoutMs: 60_000 });
    abort.abort(new Error("cancelled"));
    await expect(call).rejects.toThrow("cancelled");
  });

  test("of an unknown tool fails with the server's reason", async () => {
    await expect(weather().call("get_tides", {}, limits())).rejects.toThrow(/get_tides/);
  });

  test("that ends the server fails, and the next one starts it again, once", async () => {
    const server = weather();
    await expect(server.call("crash", {}, limits())).rejects.toMatchObject({
      message: "The tool server weather ended with code 9 during the call of crash.",
      hint: "Its last lines: weather: out of clouds",
    });
    expect((await server.call("get_weather", { city: "Oslo" }, limits())).text).toContain("Oslo");
    await expect(server.call("crash", {}, limits())).rejects.toThrow(/code 9/);
    await until(
      () => server.state,
      (state) => state === "failed",
    );
    await expect(server.call("get_weather", { city: "Oslo" }, limits())).rejects.toThrow(
      "The tool server weather ended with code 9.",
    );
  });

  test("with a result of 50 MB fails and leaves no process", async () => {
    const server = weather();
    await expect(server.call("large", {}, limits())).rejects.toThrow(
      "The tool server weather sent a message of more than 16 MiB during the call of large.",
    );
  });
});

describe("A server at an address", () => {
  function at(url: string, headers: Record<string, string> = {}): McpServer {
    const start = { kind: "address" as const, url, headers };
    return openDefinition({ name: "docs", file: "mcp.json", shown: url, start });
  }

  test("that cannot be reached is explained", async () => {
    const server = at("http://127.0.0.1:9/mcp");
    await expect(server.start()).rejects.toThrow(/^The tool server docs cannot be reached: /);
  });

  test("offers its tools and answers calls of a client with its token", async () => {
    const server = at(await serveMcp("s3cret"), { Authorization: "Bearer s3cret" });
    await server.start();
    expect(server.tools.map(({ name }) => name)).toEqual(["get_tide"]);
    const { text } = await server.call("get_tide", { harbour: "Brest" }, limits());
    expect(text).toBe("High tide in Brest");
    await server.close();
    expect(server.state).toBe("off");
  });

  test("that needs a login is named with its address and what helps", async () => {
    const url = await serveMcp("s3cret");
    await expect(at(url).start()).rejects.toMatchObject({
      code: "TOOLS_LOGIN_NEEDED",
      message: `The tool server docs at ${url} needs a login.`,
      hint: "modelctl has no OAuth: put a token into its headers, such as Authorization.",
    });
    await expect(at(url, { Authorization: "Bearer wrong" }).start()).rejects.toMatchObject({
      code: "TOOLS_LOGIN_NEEDED",
    });
  });
});
