// Process of a replica on Ray, without Ray: its start, its failures, and its end with its parent.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { inheritedVariables } from "../../../source/cloud/inherited-variables.ts";
import { pythonFolder } from "../../../source/cloud/inspection/python-program.ts";
import { repositoryFolder } from "../../support/command-line.ts";
import { isAlive } from "../../support/processes.ts";
import { python } from "../../support/replica-runner.ts";

const host = path.join(repositoryFolder, "test/fixtures/cloud/serve-process.py");
let folder: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "deployctl-served-"));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

interface Served {
  child: ChildProcess;
  output: () => string;
  ended: Promise<unknown>;
}

function start(script: string, args: object = {}): Served {
  writeFileSync(path.join(folder, "deploy.py"), script);
  const settings = {
    ...{ replica: "small-1", script: "deploy.py", target: "serve", exposed_port: 8000 },
    ...{ ready_timeout_s: 30, max_ongoing_requests: 1, bundle: folder, termination_grace_s: 1 },
    ...args,
  };
  const child = spawn(python, [host, pythonFolder(), JSON.stringify(settings)], {
    env: { ...process.env, RAY_AUTH_TOKEN: "secret", PYTHONDONTWRITEBYTECODE: "1" },
    stdio: ["pipe", "pipe", "pipe"],
  });
  children.push(child);
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
  }
  const ended = new Promise((resolve) => child.once("close", resolve));
  return { child, output: () => text, ended };
}

/** Resolves once the output matches; throws when the host ends without it. */
async function told({ child, output, ended }: Served, pattern: RegExp): Promise<RegExpExecArray> {
  let hasEnded = false;
  const end = ended.then(() => {
    hasEnded = true;
  });
  while (true) {
    const found = pattern.exec(output());
    if (found !== null) return found;
    if (hasEnded) throw new Error(output());
    await Promise.race([once(child.stdout ?? child, "data"), end]);
  }
}

async function portOf(served: Served): Promise<number> {
  return Number((await told(served, /^ready (\d+) /m))[1]);
}

/** The last event "exited" in a text. */
function exitIn(text: string): Record<string, unknown> {
  const line = text.split("\n").findLast((it) => it.includes('@deployctl {"phase": "exited"'));
  return JSON.parse(line?.slice(line.indexOf("{")) ?? "null") as Record<string, unknown>;
}

const server = `
import http.server, os, subprocess, sys

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        answer = os.environ.get(self.path[1:], "none").encode()
        self.send_response(200)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

def serve():
    http.server.ThreadingHTTPServer(("0.0.0.0", 8000), Handler).serve_forever()
`;

test("starts the script on a port of its own, and ends it on request", async () => {
  const served = start(server, { environment: { GREETING: "hello" } });
  const url = `http://127.0.0.1:${await portOf(served)}`;
  const ask = async (name: string) => await (await fetch(`${url}/${name}`)).text();
  expect(await ask("GREETING")).toBe("hello");
  expect(await ask("DEPLOYCTL_REPLICA")).toBe("small-1");
  expect(await ask("RAY_AUTH_TOKEN")).toBe("none");
  served.child.stdin?.end();
  await served.ended;
  expect(exitIn(served.output())).toMatchObject({ code: 143, ending: { phase: "terminating" } });
  await expect(fetch(url)).rejects.toThrow();
});

test("tells why a script failed, with its last lines", async () => {
  const served = start(`
import sys
def serve():
    sys.stdout.write("loading 1%\\rloading 99%\\n")
    raise ValueError("no such model")
`);
  await served.ended;
  expect(served.output()).toMatch(/^failed deploy.py:5: ValueError: no such model$/m);
  expect(exitIn(served.output())).toMatchObject({
    code: 70,
    signal: null,
    reason: null,
    ending: { phase: "failed", reason: "exception" },
    tail: expect.arrayContaining(["loading 1%", "loading 99%", "ValueError: no such model"]),
  });
});

test("gives up after the time limit", async () => {
  const wait = "import time\ndef serve(): time.sleep(600)\n";
  const served = start(wait, { ready_timeout_s: 1, environment: {} });
  await served.ended;
  expect(exitIn(served.output())).toMatchObject({
    reason: "startup_timeout",
    sentence: "It was not ready within 1 s: it is not listening on port 8000.",
  });
});

test("waits while the server says that it is loading", async () => {
  const loading = server.replace("200", "503 if self.path == '/health' and not ready() else 200");
  const served = start(`${loading}
def ready():
    return os.path.exists("loaded")
`);
  await once(served.child.stderr ?? served.child, "data");
  expect(served.output()).not.toContain("ready ");
  writeFileSync(path.join(folder, "loaded"), "");
  expect(await portOf(served)).toBeGreaterThan(0);
});

test("its parent's death ends all processes, also one that left the group", async () => {
  const served = start(`${server}
helper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
os.environ["HELPER"] = str(helper.pid)
os.environ["SERVER"] = str(os.getpid())
`);
  const url = `http://127.0.0.1:${await portOf(served)}`;
  const names = ["HELPER", "SERVER"];
  const ids = await Promise.all(
    names.map(async (name) => Number(await (await fetch(`${url}/${name}`)).text())),
  );
  expect(ids.every(isAlive)).toBe(true);
  served.child.kill("SIGKILL");
  await expect.poll(() => ids.filter(isAlive)).toHaveLength(0);
});

test("its parent's death ends them even if it first kills its children, as a worker of Ray does", async () => {
  const served = start(`import subprocess, sys
def serve():
    subprocess.run([sys.executable, "-c", """${server}
os.environ["SERVER"] = str(os.getpid())
serve()"""])
`);
  const answer = await fetch(`http://127.0.0.1:${await portOf(served)}/SERVER`);
  const id = Number(await answer.text());
  const parent = String(served.child.pid);
  const found = execFileSync("ps", ["-o", "pid=", "--ppid", parent], { encoding: "utf8" });
  const kills = found.trim().split(/\s+/).map(Number);
  expect(kills).not.toContain(id);
  for (const child of [...kills, Number(parent)]) process.kill(child, "SIGKILL");
  await expect.poll(() => isAlive(id)).toBe(false);
});

test("notices that its process was killed", async () => {
  const served = start(`${server}
os.environ["SERVER"] = str(os.getpid())
`);
  const answer = await fetch(`http://127.0.0.1:${await portOf(served)}/SERVER`);
  process.kill(Number(await answer.text()), "SIGKILL");
  await told(served, /^ended /m);
  expect(exitIn(served.output())).toMatchObject({ code: null, signal: "SIGKILL" });
});

test("passes on the variables that replicas inherit on one machine too", () => {
  const names = [
    ...["PATH", "HOME", "LANG", "LC_ALL", "XDG_CACHE_HOME", "CUDA_VISIBLE_DEVICES", "https_proxy"],
    ...["NO_PROXY", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "DEPLOYCTL_BIND_ANY", "MODELCTL_MODELS"],
    ...["OLLAMA_MODELS", "HF_HOME", "HF_TOKEN", "PYTHONPATH", "RAY_AUTH_TOKEN", "AWS_REGION"],
    ...["DEPLOYCTL_KEY", "OMP_NUM_THREADS", "PATHS", "MY_HOME"],
  ];
  const variables = Object.fromEntries(names.map((name) => [name, "1"]));
  const code =
    "import json, sys; sys.path.insert(0, sys.argv[1]); from deployctl_ray_wrapper import environment;" +
    "print(json.dumps(environment.of_node(json.load(sys.stdin))))";
  const printed = execFileSync(python, ["-B", "-c", code, pythonFolder()], {
    input: JSON.stringify(variables),
    encoding: "utf8",
  });
  expect(JSON.parse(printed)).toEqual(inheritedVariables(variables));
});

test("two that start at the same time get different ports", async () => {
  const both = [start(server), start(server)];
  const [one, other] = await Promise.all(both.map(portOf));
  expect(one).not.toBe(other);
});
