// modelctl mcp: servers with tools are added, listed, tested and removed.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Home } from "../support/command-line.ts";

const program = path.join(import.meta.dirname, "..", "support", "weather-server.ts");

let home: Home;
beforeEach(async () => {
  home = await Home.create();
});
afterEach(async () => await home.remove());

const add = (name: string, ...words: string[]) =>
  home.call(["mcp", "add", name, "--", process.execPath, program, ...words]);

describe("A tool server", () => {
  test("is added, listed, tested and removed", async () => {
    expect(await add("weather")).toEqual({
      code: 0,
      output: "added weather\n",
      errors: "Check it: modelctl mcp test weather\n",
    });
    const listed = JSON.parse((await home.call(["mcp", "list", "--json"])).output);
    expect(listed).toEqual([
      {
        name: "weather",
        file: path.join(home.folder, "config", "modelctl", "mcp.json"),
        kind: "stdio",
        command: `${process.execPath} ${program}`,
        isAllowed: true,
      },
    ]);
    expect((await home.call(["__complete", "--", "mcp", "test", ""])).output).toContain("weather");
    const tested = await home.call(["mcp", "test", "weather"]);
    expect(tested.code).toBe(0);
    expect(tested.output).toMatch(/^TOOL +EFFECT +DESCRIPTION$/m);
    expect(tested.output).toMatch(/^get_weather +reads +Get the current weather for a city$/m);
    expect((await home.call(["mcp", "remove", "weather"])).output).toBe("removed weather\n");
    expect((await home.call(["mcp", "list", "--json"])).output).toBe("[]\n");
  });

  test("is proposed where there is none, and the built-in ones are named and tested", async () => {
    expect(await home.call(["mcp", "list"])).toEqual({
      code: 0,
      output: "",
      errors:
        "No tool servers in mcp.json. Add one: modelctl mcp add NAME -- COMMAND\n" +
        "Built in: files, web, shell (modelctl run --tools files).\n",
    });
    const tested = await home.call(["mcp", "test", "files"]);
    expect(tested.output).toMatch(/^read_file +reads +Read a text file of the working folder$/m);
    expect((await home.call(["mcp", "test", "shell"])).output).toMatch(/^run_command +changes +/m);
  });

  test("that fails is explained with its last lines", async () => {
    await add("weather", "exit");
    expect(await home.call(["mcp", "test", "weather"])).toEqual({
      code: 8,
      output: "",
      errors:
        "Error: The tool server weather ended with code 3. Its last lines: weather: no licence\n",
    });
  });

  test("of a project is not started without a yes", async () => {
    const folder = path.join(home.folder, "project");
    mkdirSync(folder);
    const server = { command: process.execPath, args: [program] };
    const file = path.join(folder, ".mcp.json");
    writeFileSync(file, JSON.stringify({ mcpServers: { weather: server } }));
    const listed = await home.call(["mcp", "list"], { folder });
    expect(listed.output).toMatch(/^weather +asked first /m);
    const tested = await home.call(["mcp", "test", "weather"], { folder });
    expect(tested.code).toBe(3);
    expect(tested.errors).toContain(`${file} names these tool servers, which run as you:`);
    expect(tested.errors).toContain(`The servers of ${file} are not used.`);
  });

  test("at an address is listed without its token", async () => {
    const words = ["--url", "https://docs.example/mcp", "--header", "Authorization: Bearer s3cret"];
    expect((await home.call(["mcp", "add", "docs", ...words])).code).toBe(0);
    const listed = await home.call(["mcp", "list"]);
    expect(listed.output).toContain("https://docs.example/mcp");
    expect(listed.output + listed.errors).not.toContain("s3cret");
  });
});

describe("A wrong command", () => {
  test.each([
    [["mcp", "add", "a"], 2, "mcp add needs a command after --, or --url, and not both."],
    [["mcp", "add", "a b", "--", "node"], 2, '"a b" cannot name a tool server.'],
    [["mcp", "add", "a", "--url", "nowhere"], 2, "url must be an http or https address"],
    [["mcp", "add", "a", "--env", "A", "--", "node"], 2, '--env "A" is invalid. Use NAME=VALUE.'],
    [["mcp", "test", "a"], 3, 'There is no tool server named "a".'],
    [["mcp", "remove", "a"], 3, 'There is no tool server named "a".'],
  ])("%j is explained", async (words, code, sentence) => {
    const outcome = await home.call(words);
    expect(outcome.code).toBe(code);
    expect(outcome.errors).toContain(sentence);
  });

  test("leaves a broken mcp.json as it is, and names the place", async () => {
    const folder = path.join(home.folder, "config", "modelctl");
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "mcp.json"), '{\n  "mcpServers": {,}\n}');
    expect((await home.call(["mcp", "list"])).errors).toContain("line 2, column 18: expected a");
    expect((await add("weather")).code).toBe(2);
  });
});
