// MCP's own servers from npm with a real model. Only in `npm run proof`.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { LockFolder } from "../../source/store/library/lock-folder.ts";
import { Home } from "../support/command-line.ts";
import { isProof } from "../support/proof.ts";
import { openTerminal } from "../support/pty.ts";
import { downloadLimitMs, realModel } from "../support/real-models.ts";
import { until } from "../support/until.ts";

const run = promisify(execFile);
const version = "2026.8.31";
/** A small model reads the descriptions of fourteen tools for minutes on a busy machine. */
const answerLimitMs = 600_000;

describe.runIf(isProof)("A real server", () => {
  let home: Home;
  let model: string | undefined;
  let programs: string | undefined;
  let notes: string;
  let memory: string;
  beforeAll(async () => {
    home = await Home.create();
    programs = await install(["everything", "filesystem", "memory"]);
    model = await realModel("qwen2.5-coder-0.5b");
    notes = path.join(home.folder, "notes");
    memory = path.join(home.folder, "memory.jsonl");
    mkdirSync(notes);
    writeFileSync(path.join(notes, "garden.txt"), "The roses need water on Tuesday.\n");
    if (programs === undefined) return;
    const program = (name: string) => ["--", process.execPath, path.join(programs ?? "", name)];
    await add("everything", ...program("mcp-server-everything"));
    await add("notes", ...program("mcp-server-filesystem"), notes);
    await add("memory", "--env", `MEMORY_FILE_PATH=${memory}`, ...program("mcp-server-memory"));
  }, downloadLimitMs);
  afterAll(async () => await home.remove());

  async function add(...words: string[]): Promise<void> {
    expect(await home.call(["mcp", "add", ...words])).toMatchObject({ code: 0 });
  }

  /**
   * Asks in the line chat and says yes to each call: this model writes them as plain text, which need that.
   *
   * @returns the prompts that the model got, and the saved chat
   */
  async function askAndAllow(server: string, request: string) {
    const words = ["--plain", "--tools", server, "--session", server, "--temperature", "0"];
    const limits = ["--num-predict", "120"];
    const chat = await openTerminal(["run", model ?? "", ...words, ...limits], {
      home: home.folder,
      rows: 200,
      environment: {
        ...home.environment,
        MODELCTL_LOG_PROMPTS: "true",
        MODELCTL_MAX_TOOL_CALLS: "2",
      },
    });
    onTestFinished(() => chat.close());
    await until(chat.text, (text) => text.trimEnd().endsWith(">>>"), answerLimitMs);
    chat.type(`${request}\r`);
    let allowed = 0;
    const isAnswered = (text: string) => {
      if ((text.match(/Run it\?/g)?.length ?? 0) > allowed) {
        allowed += 1;
        chat.type("y\r");
      }
      return allowed > 0 && text.trimEnd().endsWith(">>>");
    };
    await until(chat.text, isAnswered, answerLimitMs);
    const { requests } = await ofServer("requests?filter=path:/api/chat");
    const prompts = await Promise.all(
      requests.map(async ({ id }: { id: string }) => (await ofServer(`requests/${id}`)).prompt),
    );
    chat.type("/bye\r");
    expect(await chat.exited).toBe(0);
    const folder = path.join(home.stateFolder, "sessions");
    const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
    const saved = files.map((name) => readFileSync(path.join(folder, name), "utf8")).join("");
    return { prompts: prompts.join("\n"), saved };
  }

  async function ofServer(route: string) {
    return await (await fetch(`${home.url}/api/${route}`)).json();
  }

  test.for([
    ["everything", "get-sum"],
    ["notes", "read_text_file"],
    ["memory", "create_entities"],
  ])("%s lists its tools", async ([name = "", tool], { skip }) => {
    if (programs === undefined) skip();
    const { errors, output } = await home.call(["mcp", "test", name]);
    expect(errors).toBe("");
    expect(output).toMatch(new RegExp(`^${tool} `, "m"));
  });

  test("adds two numbers for a model", { timeout: 2 * answerLimitMs }, async ({ skip }) => {
    if (model === undefined || programs === undefined) skip();
    const request = "Call the tool get-sum with a = 2 and b = 40.";
    const { prompts, saved } = await askAndAllow("everything", request);
    expect(prompts).toContain("The sum of 2 and 40 is 42.");
    expect(saved).toContain('"result":"The sum of 2 and 40 is 42."');
  });

  test("reads a file for a model", { timeout: 2 * answerLimitMs }, async ({ skip }) => {
    if (model === undefined || programs === undefined) skip();
    // Its other tools that read have options, which a small model fills in at random.
    const request = `Call the tool read_multiple_files with paths ["${path.join(notes, "garden.txt")}"].`;
    const { prompts, saved } = await askAndAllow("notes", request);
    expect(prompts).toContain("The roses need water on Tuesday.");
    expect(saved).toContain('"name":"read_multiple_files","server":"notes"');
  });

  test("keeps what a model stores", { timeout: 4 * answerLimitMs }, async ({ skip }) => {
    if (model === undefined || programs === undefined) skip();
    await askAndAllow(
      "memory",
      'Call the tool create_entities with one entity: name "Ada", entityType "person", ' +
        'observations ["likes roses"].',
    );
    expect(readFileSync(memory, "utf8")).toContain('"name":"Ada"');
    const { prompts } = await askAndAllow("memory", "Call the tool read_graph.");
    expect(prompts).toContain("likes roses");
  });
});

/**
 * Installs servers, once for all runs, with the npm settings of the person who runs the tests.
 *
 * @returns the folder of their programs; undefined where no registry answers, which is logged
 * @throws Error instead, in continuous integration
 */
async function install(names: readonly string[]): Promise<string | undefined> {
  const cache = process.env.TEST_CACHE_FOLDER;
  if (cache === undefined) throw new Error("the tests' set-up names no cache folder");
  const folder = path.join(cache, `tool-servers-${version}`);
  const done = path.join(folder, "installed");
  return await new LockFolder(path.join(cache, "locks")).withLock("tool-servers", async () => {
    const programs = path.join(folder, "node_modules", ".bin");
    if (existsSync(done)) return programs;
    mkdirSync(folder, { recursive: true });
    const packages = names.map((name) => `@modelcontextprotocol/server-${name}@${version}`);
    const words = ["install", "--prefix", folder, "--no-audit", "--no-fund", "--ignore-scripts"];
    const env = { ...process.env, NPM_CONFIG_USERCONFIG: path.join(userInfo().homedir, ".npmrc") };
    try {
      await run("npm", [...words, ...packages], { env });
    } catch (error) {
      if (process.env.CI === "true") throw error;
      console.warn(`NOT TESTED: MCP's own servers, which cannot be installed here.\n${error}`);
      return undefined;
    }
    writeFileSync(done, "");
    return programs;
  });
}
