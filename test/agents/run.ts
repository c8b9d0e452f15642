// `npm run agents [-- AGENT…]`: real coding agents on a real model. Installs each in its pinned version from
// its registry into the cache, starts it twice with `modelctl launch` in a new project, and asks for a call
// with its recorded request. Takes about two minutes for each agent on two processor cores.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { agents } from "../../source/agents/agents.ts";
import { systemCode } from "../../source/base/write-refusal.ts";
import type { RequestRecord } from "../../source/request-log/request-record.ts";
import { entryFile, findFreePort } from "../support/command-line.ts";
import { realModel } from "../support/real-models.ts";
import { until } from "../support/until.ts";

const run = promisify(execFile);

/** How an agent gets here, in an exact version; or why it cannot. */
type Source = { npm: string } | { pip: string } | { missing: string };

const sources: Readonly<Record<string, Source>> = {
  codex: { npm: "@openai/codex@0.169.0" },
  claude: { npm: "@anthropic-ai/claude-code@2.1.330" },
  opencode: { npm: "opencode-ai@1.18.33" },
  qwen: { npm: "@qwen-code/qwen-code@0.24.4" },
  pi: { npm: "@mariozechner/pi-coding-agent@0.73.1" },
  copilot: { npm: "@github/copilot@1.0.102" },
  aider: { pip: "aider-chat==0.86.2" },
  crush: { missing: "its package downloads the program from elsewhere" },
  goose: { missing: "no registry has it" },
};

interface Row {
  agent: string;
  version: string;
  words: string;
  call: string;
  seconds: string;
  again: string;
}

const headings: Row = {
  ...{ agent: "agent", version: "version", words: "two words", call: "one call" },
  ...{ seconds: "seconds", again: "read again" },
};

const task = "Answer with two words: hello world";
/** For the first answer; the longest prompts take some minutes on two cores. */
const limitMs = 600_000;
/** For the rest of the task, in which a small model may go on for thousands of tokens. */
const restMs = 45_000;
const caches = process.env.XDG_CACHE_HOME || path.join(homedir(), ".cache");
const cache = path.join(caches, "modelctl-tests", "agents");

const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !Object.hasOwn(sources, name));
if (unknown !== undefined) {
  console.error(`There is no agent ${unknown}: ${Object.keys(sources).join(", ")}.`);
  process.exit(1);
}

const model = await realModel("qwen2.5-coder-0.5b");
if (model === undefined) process.exit(1);
const home = mkdtempSync(path.join(tmpdir(), "modelctl-agents-"));
const port = await findFreePort();
const url = `http://127.0.0.1:${port}`;
const environment = {
  PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH}`,
  HOME: home,
  MODELCTL_HOST: `127.0.0.1:${port}`,
  CI: "true",
};
writeFileSync(path.join(home, "Modelfile"), `FROM ${model}\nPARAMETER num_ctx 32768\n`);
const server = spawn(process.execPath, [entryFile, "serve"], { env: environment, stdio: "ignore" });
const rows: Row[] = [];
try {
  await until(
    () => fetch(url).catch(() => undefined),
    (reply) => reply?.ok === true,
  );
  await run(process.execPath, [entryFile, "create", "coder", "-f", path.join(home, "Modelfile")], {
    env: environment,
  });
  for (const [name, source] of Object.entries(sources)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    rows.push(await rowOf(name, source));
    console.log(lineOf(rows.at(-1)));
  }
} finally {
  server.kill();
  // It writes its last files, such as stored prompts, while it stops.
  if (server.exitCode === null) await once(server, "exit");
  rmSync(home, { recursive: true, force: true });
}
console.log(`\n${lineOf(headings)}\n${rows.map(lineOf).join("\n")}`);
process.exitCode = rows.some(({ words }) => words.startsWith("failed")) ? 1 : 0;

function lineOf(row: Row = headings): string {
  const { agent, version, words, call, seconds, again } = row;
  return `| ${[agent, version, words, call, seconds, again].join(" | ")} |`;
}

async function rowOf(name: string, source: Source): Promise<Row> {
  const none = { agent: name, version: "", words: "", call: "", seconds: "", again: "" };
  if ("missing" in source) return { ...none, words: `not tried: ${source.missing}` };
  const version = "npm" in source ? source.npm.split("@").at(-1) : source.pip.split("==").at(-1);
  const known = { ...none, version: version ?? "" };
  try {
    const programs = await install(source);
    // Some agents ask in the background, too: the prompt that takes longest to read is the task's.
    const first = nearest(await launch(name, programs), ({ firstTokenMs = 0 }) => -firstTokenMs);
    const { promptTokens: asked = 0 } = first;
    const second = nearest(await launch(name, programs), (record) =>
      Math.abs((record.promptTokens ?? 0) - asked),
    );
    const { promptTokens = 0, cachedTokens = 0 } = second;
    return {
      ...known,
      words: "answered",
      call: await callOf(name),
      seconds: `${inSeconds(first.firstTokenMs)}, then ${inSeconds(second.firstTokenMs)}`,
      again: `${promptTokens - cachedTokens} of ${promptTokens} tokens`,
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ...known, words: `failed: ${reason.replace(/\s+/g, " ").trim().slice(0, 500)}` };
  }
}

function inSeconds(milliseconds = 0): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/** @returns the folder with the agent's program */
async function install(source: { npm: string } | { pip: string }): Promise<string> {
  const named = "npm" in source ? source.npm : source.pip;
  const folder = path.join(cache, named.replaceAll(/[^\w.-]/g, "_"));
  const programs = path.join(folder, "npm" in source ? "node_modules/.bin" : "bin");
  const done = path.join(folder, "installed");
  if (existsSync(done)) return programs;
  console.log(`installing ${named}`);
  mkdirSync(folder, { recursive: true });
  if ("npm" in source) {
    await run("npm", ["install", "--prefix", folder, "--no-audit", "--no-fund", named]);
  } else {
    await run("python3", ["-m", "venv", folder]);
    await run(path.join(programs, "pip"), ["install", "--quiet", named]);
  }
  writeFileSync(done, "");
  return programs;
}

function nearest(
  requests: readonly RequestRecord[],
  distance: (record: RequestRecord) => number,
): RequestRecord {
  const [found] = requests.toSorted((one, two) => distance(one) - distance(two));
  if (found === undefined) throw new Error("it asked for nothing");
  return found;
}

/** Starts the agent in a project of its own. @returns its requests that were answered: one at least */
async function launch(name: string, programs: string): Promise<readonly RequestRecord[]> {
  const agent = agents.find((each) => each.name === name);
  if (agent === undefined) throw new Error(`modelctl does not know ${name}`);
  const project = path.join(home, `project-${name}`);
  mkdirSync(project, { recursive: true });
  await run("git", ["init", "--quiet", project]);
  const before = new Set((await records()).map(({ id }) => id));
  const own = async () =>
    (await records()).filter(
      ({ id, path: route, status }) => !before.has(id) && route === agent.route && status === 200,
    );
  const words = [entryFile, "launch", name, "coder", "--", ...agent.oneTask(task)];
  const env = { ...environment, PATH: `${programs}${path.delimiter}${environment.PATH}` };
  // A group of its own, since some agents are started by a program that ends without them.
  const child = spawn(process.execPath, words, {
    ...{ env, cwd: project, detached: true },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(child, "exit");
  const errors = text(child.stderr);
  // Agents also ask short questions in the background, such as for a title.
  const isTask = ({ promptTokens = 0 }: RequestRecord) => promptTokens > agent.promptTokens / 5;
  try {
    await until(async () => hasEnded(child) || (await own()).some(isTask), Boolean, limitMs);
    await Promise.race([ended, wait(restMs, undefined, { ref: false })]);
    const answered = await own();
    if (answered.length > 0) return answered;
  } finally {
    killGroup(child);
  }
  throw new Error(`it ended without an answer of the server: ${await errors}`);
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (systemCode(error) !== "ESRCH") throw error; // all of it has ended
  }
}

async function records(): Promise<RequestRecord[]> {
  const reply = await fetch(`${url}/api/requests`);
  return ((await reply.json()) as { requests: RequestRecord[] }).requests;
}

/** Asks for a call with the agent's recorded request, which a small model would not make by itself. */
async function callOf(name: string): Promise<string> {
  const file = path.join(import.meta.dirname, "../server/agents", `${name}.json`);
  if (!existsSync(file)) return "no tools";
  const { path: route, headers, body } = JSON.parse(readFileSync(file, "utf8"));
  const isMessages = route.startsWith("/v1/messages");
  const reply = await fetch(url + route, {
    method: "POST",
    headers,
    body: JSON.stringify({
      ...body,
      model: "coder",
      tool_choice: isMessages ? { type: "any" } : "required",
      ...(route.startsWith("/v1/responses") ? { max_output_tokens: 200 } : { max_tokens: 200 }),
    }),
  });
  const answer = await reply.text();
  const called = /"type":"(?:function_call|tool_use|function)","?[^}]*"name":"([^"]+)"/.exec(
    answer,
  );
  const plain = /"function":\{"name":"([^"]+)"/.exec(answer);
  return called?.[1] ?? plain?.[1] ?? "answered, no call";
}
