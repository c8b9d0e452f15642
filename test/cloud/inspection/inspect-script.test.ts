// Reading of scripts without running them, and the errors of unreadable ones.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  inspectScript,
  readScriptReference,
} from "../../../source/cloud/inspection/inspect-script.ts";
import type { Inspection } from "../../../source/cloud/inspection/inspection.ts";
import { readScripts } from "../support/read-scripts.ts";

const recipe = path.join(import.meta.dirname, "../../fixtures/cloud/recipe.py");
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "deployctl-inspect-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** Reads a script without ever running it. */
async function read(
  text: string,
  { target, environment = {} }: { target?: string; environment?: Record<string, string> } = {},
): Promise<Inspection> {
  const file = write("deploy.py", text);
  const { PATH = "" } = process.env;
  return await inspectScript(file, target, {
    isStatic: true,
    environment: { PATH, ...environment },
  });
}

describe("a fal recipe", () => {
  test("is read completely", async () => {
    const found = await inspectScript(recipe, "serve", { environment: { PATH: process.env.PATH } });
    expect(found).toMatchObject({
      schema: 1,
      target: "serve",
      kind: "function",
      dialect: "fal",
      config: { kind: "container", exposed_port: 8000, machine_type: "GPU-H100", num_gpus: 1 },
      dynamic: [],
      stubbed: [],
      executables: ["vllm"],
      files: ["recipe.py"],
      image: {
        base: "vllm/vllm-openai:v0.15.1",
        env: { HF_HUB_ENABLE_HF_TRANSFER: "1", VLLM_USE_V1: "1" },
        pip: ["transformers==5.1.0"],
      },
    });
    expect(found.env_read).toEqual([
      { name: "MODEL_NAME", line: 9, default: "some-maker/some-model-8B" },
    ]);
    expect(found.command.slice(0, 3)).toEqual(["vllm", "serve", "some-maker/some-model-8B"]);
    expect(found.warnings.map(({ code }) => code)).toEqual(["image_ignored", "batching_server"]);
    expect(found.warnings[1]?.sentence).toContain("--max-multiplexing 64");
  });

  test("is read with the environment of its deployment", async () => {
    const environment = { PATH: process.env.PATH, MODEL_NAME: "acme/other" };
    const found = await inspectScript(recipe, undefined, { environment });
    expect(found.command[2]).toBe("acme/other");
    expect(found.env_read).toMatchObject([{ name: "MODEL_NAME", value: "acme/other", set: true }]);
  });
});

const values: [string, string, unknown][] = [
  [
    "constants",
    "port=8000, gpu='H100', keep_alive=1.5, env={'A': 'b'}, secrets=['S']",
    {
      port: 8000,
      gpu: "H100",
      keep_alive: 1.5,
      env: { A: "b" },
      secrets: ["S"],
    },
  ],
  ["sums", "port=8000 + 80, keep_alive=2 * 60 - 10", { port: 8080, keep_alive: 110 }],
  ["names", "port=PORT_SAID, gpu=GPU", { port: 9000, gpu: "L4" }],
  ["reassigned names", "port=COUNTED", { port: 3 }],
  ["formatted texts", "name=f'{NAME}-{2:03d}{GPU!r}'", { name: "chat-002'L4'" }],
  [
    "joined texts",
    "name='-'.join(['a', NAME]), gpu='%s:%d' % (GPU, 2)",
    { name: "a-chat", gpu: "L4:2" },
  ],
  [
    "choices",
    "port=1 if GPU == 'L4' else 2, auth='public' if not PORT_SAID else 'private'",
    { port: 1, auth: "private" },
  ],
  ["branches taken", "port=BRANCH", { port: 7 }],
  [
    "parts of lists and dictionaries",
    "port=TABLE['a'][1], gpu=[GPU, 'T4'][-1]",
    { port: 11, gpu: "T4" },
  ],
  [
    "calls of Python's own",
    "port=int('80' + '00'), max_concurrency=max(1, len(NAME))",
    { port: 8000, max_concurrency: 4 },
  ],
  ["calls of the script's own functions", "port=port_of('a', extra=2)", { port: 13 }],
  [
    "Python's version",
    "name=f'{sys.version_info.major}', port=1 if sys.version_info >= (3, 8) else 2",
    { name: "3", port: 1 },
  ],
  [
    "the environment",
    "name=os.environ.get('APP', 'none'), gpu=os.getenv('GPU_NAME', 'any'), auth=os.environ['AUTH']",
    {
      name: "none",
      gpu: "A100",
      auth: "shared",
    },
  ],
  [
    "whether a variable is set",
    "port=1 if 'AUTH' in os.environ else 2, keep_alive=1 if 'NONE' in os.environ else 2",
    { port: 1, keep_alive: 2 },
  ],
  [
    "lists",
    "requirements=['a', *MORE], files=[f'{NAME}.txt'] + ['b']",
    { requirements: ["a", "x", "y", "z"], files: ["chat.txt", "b"] },
  ],
];

describe("keywords are evaluated", () => {
  const head = `
import os, sys
import deployctl
PORT_SAID: int = 9000
GPU = "L4"
NAME = "chat"
COUNTED = 1
COUNTED += 2
A, (B, C) = 1, (2, 3)
TABLE = {"a": [10, 11]}
MORE = ["x"]
MORE.append("y")
MORE += ["z"]
OPTIONS = dict(port=1234)
OPTIONS["health_path"] = "/up"
if GPU.startswith("L"):
    BRANCH = 7
else:
    BRANCH = 8
def port_of(key, extra=0):
    row = TABLE[key]
    if extra:
        return row[1] + extra
    return row[0]
`;
  test("of every kind", async () => {
    // As entries of one keyword: a script is read once for all.
    const rows = values.map(([what, keywords]) => `${JSON.stringify(what)}: dict(${keywords})`);
    const found = await read(
      `${head}\n@deployctl.app(env={${rows.join(", ")}})\ndef serve(): pass\n`,
      { environment: { GPU_NAME: "A100", AUTH: "shared" } },
    );
    expect(found.dynamic).toEqual([]);
    const expected = values.map(([what, , value]) => [what, value]);
    expect(found.config).toEqual({ env: Object.fromEntries(expected) });
  });

  test("given by a dictionary", async () => {
    const found = await read(`${head}\n@deployctl.app(**OPTIONS)\ndef serve(): pass\n`);
    expect(found).toMatchObject({ config: { port: 1234, health_path: "/up" }, dynamic: [] });
  });

  test("values known only at run time are named, and the rest is still read", async () => {
    const found = await read(`
import deployctl, torch, os, random
GPUS = torch.cuda.device_count()
for NAME in ("a", "b"):
    pass
try:
    SIZE = 1
except ValueError:
    SIZE = 2
if random.random() > 0.5:
    PORT = 1
else:
    PORT = 2
SHARED = ["a"]
random.shuffle(SHARED)
def change():
    global LATE
    LATE = 2
LATE = 1
@deployctl.app(port=8000, num_gpus=GPUS, name=NAME, keep_alive=SIZE, max_concurrency=PORT,
               requirements=SHARED, max_multiplexing=LATE, gpu=undefined_name, env={"A": GPUS})
def serve(): pass
`);
    expect(found.config).toEqual({ port: 8000 });
    expect(found.dynamic.toSorted()).toEqual([
      "env",
      "gpu",
      "keep_alive",
      "max_concurrency",
      "max_multiplexing",
      "name",
      "num_gpus",
      "requirements",
    ]);
  });

  test("keywords with unknown names are not taken as absent", async () => {
    const found = await read(
      "import deployctl, own\n@deployctl.app(port=1, **own.options())\ndef serve(): pass\n",
    );
    expect(found).toMatchObject({ config: { port: 1 }, dynamic: ["*"] });
  });

  test("functions that call each other forever, and huge sums, are stopped", async () => {
    const calls = Array.from({ length: 12 }, (_, index) => {
      const next = `f${(index + 1) % 12}()`;
      return `def f${index}():\n    ${Array(12).fill(next).join("; ")}\n    return 8000`;
    });
    const sum = Array(600).fill("1").join(" + ");
    const found = await read(
      `import deployctl\n${calls.join("\n")}\nSUM = ${sum}\n@deployctl.app(port=f0())\ndef serve():\n    f1()\n`,
    );
    expect(found.target).toBe("serve");
  });

  test("nothing of the script is executed", async () => {
    const mark = path.join(folder, "ran");
    await read(`
import deployctl, os
open(${JSON.stringify(mark)}, "w").close()
os.system("touch ${mark}")
"a" * (10 ** 12)
2 ** 10 ** 12
while True:
    pass
@deployctl.app(port=8000)
def serve(): pass
`);
    expect(existsSync(mark)).toBe(false);
  });
});

describe("deployable objects", () => {
  const objects: [what: string, text: string, kind: string, dialect: string][] = [
    [
      "fal's function",
      "import fal\n@fal.function(exposed_port=1)\ndef serve(): pass",
      "function",
      "fal",
    ],
    ["without parentheses", "import fal\n@fal.function\ndef serve(): pass", "function", "fal"],
    [
      "by another name",
      "from fal import function as fn\n@fn(exposed_port=1)\ndef serve(): pass",
      "function",
      "fal",
    ],
    [
      "from the module",
      "import fal.api as f\n@f.isolated(exposed_port=1)\ndef serve(): pass",
      "function",
      "fal",
    ],
    [
      "kept in a name",
      "import fal\non = fal.function(exposed_port=1)\n@on\ndef serve(): pass",
      "function",
      "fal",
    ],
    [
      "called",
      "import fal\ndef run(): pass\nserve = fal.function(exposed_port=1)(run)",
      "function",
      "fal",
    ],
    ["fal's app", "import fal\nclass serve(fal.App): pass", "app", "fal"],
    [
      "an app of an app",
      "from fal import App\nclass Base(App): pass\nclass serve(Base): pass",
      "app",
      "fal",
    ],
    ["ours", "import deployctl as d\n@d.app\nasync def serve(): pass", "function", "deployctl"],
    [
      "within try",
      "try:\n    import fal\n    @fal.function()\n    def serve(): pass\nexcept ImportError:\n    raise",
      "function",
      "fal",
    ],
    ["a plain function", "def serve(): pass", "function", "none"],
    [
      "Modal's",
      "import modal\napp = modal.App('a')\n@app.function(gpu='H100')\n@modal.web_server(8000)\ndef serve(): pass",
      "function",
      "modal",
    ],
  ];
  const documents = readScripts(
    objects.map(([, text]) => ({ text: `${text}\n`, target: "serve" })),
  );

  test.each(objects.map((row, index) => [...row, documents[index]] as const))(
    "%s",
    (_what, _text, kind, dialect, found) => {
      expect(found).toMatchObject({ target: "serve", kind, dialect, dynamic: [] });
    },
  );

  test("the only decorated object needs no name, even among other functions", async () => {
    const found = await read(
      "import deployctl\ndef helper(): pass\n@deployctl.app\ndef main(): pass\nclass Other: pass\n",
    );
    expect(found.target).toBe("main");
  });

  test("an app has options in keywords, attributes and base classes; its endpoints are read", async () => {
    const found = await read(
      `
import fal
class Base(fal.App, max_concurrency=3):
    machine_type = "GPU-A100"
    app_auth = "private"
    own = 5
    @fal.endpoint("/base")
    def base(self): pass
class MyChatApp(Base, keep_alive=10):
    requirements = ["torch"]
    app_auth = "public"
    def setup(self):
        import subprocess
        subprocess.Popen(["ffmpeg", "-version"])
    @fal.endpoint("/")
    def run(self, prompt: str): pass
    @fal.realtime()
    def live(self): pass
`,
      { target: "MyChatApp" },
    );
    expect(found.config).toEqual({
      max_concurrency: 3,
      machine_type: "GPU-A100",
      app_auth: "public",
      requirements: ["torch"],
      keep_alive: 10,
      app_name: "my-chat-app",
    });
    expect(found.endpoints).toEqual([
      { path: "/base", method: "POST" },
      { path: "/", method: "POST" },
      { path: "/realtime", method: "WebSocket" },
    ]);
    expect(found.executables).toEqual(["ffmpeg"]);
  });
});

describe("programs that a script starts", () => {
  const programs: [what: string, body: string, command: string[]][] = [
    [
      "a list in a name, added to",
      'command = ["srv", "a"]\n    command += ["--port", "8000"]\n    subprocess.run(command)',
      ["srv", "a", "--port", "8000"],
    ],
    [
      "a list with unknown parts",
      'subprocess.Popen(["srv", model(), "--port", str(PORT)])',
      ["srv", "…", "--port", "9000"],
    ],
    [
      "a line of the shell",
      'subprocess.run(f"cd /srv && A=1 exec srv --port {PORT} | tee log", shell=True)',
      ["srv", "--port", "9000"],
    ],
    ["os.system", 'os.system("nohup srv --port 1 &")', ["srv", "--port", "1"]],
    ["os.execvp", 'os.execvp("srv", ["srv", "--port", "1"])', ["srv", "--port", "1"]],
    ["asyncio", 'asyncio.create_subprocess_exec("srv", "--port", "1")', ["srv", "--port", "1"]],
    [
      "the server, after a helper",
      'subprocess.run(["nvidia-smi"])\n    subprocess.run(["srv", "--port=1"])',
      ["srv", "--port=1"],
    ],
    [
      "within blocks",
      'with open("x") as f:\n        for i in range(2):\n            try:\n                subprocess.run(["srv", "-p", "1"])\n            finally:\n                pass',
      ["srv", "-p", "1"],
    ],
    ["by a function of the script", "start('srv')", ["srv", "--port", "5"]],
    [
      "the replica's own Python",
      'subprocess.run([sys.executable, "-m", "srv", "--port", "1"])',
      ["python3", "-m", "srv", "--port", "1"],
    ],
  ];
  const documents = readScripts(
    programs.map(([, body]) => ({
      target: "serve",
      text: `
import asyncio, os, subprocess, sys
PORT = 9000
def start(name): subprocess.run([name, "--port", "5"])
def other(): subprocess.run(["never-called"])
def serve():
    ${body}
if __name__ == "__main__":
    subprocess.run(["by-hand"])
`,
    })),
  );

  test.each(programs.map((row, index) => [...row, documents[index]] as const))(
    "%s",
    (_what, _body, command, found) => {
      expect(found?.command).toEqual(command);
      expect(found?.executables).not.toContain("never-called");
      expect(found?.executables).not.toContain("by-hand");
      expect(found?.executables).toEqual(
        command[0] === "srv" ? expect.arrayContaining(["srv"]) : [],
      );
    },
  );
});

describe("variables that a script reads", () => {
  test("are listed with values, defaults and lines, except the replica's own", async () => {
    const found = await read(
      `
import os
from os import environ as env, getenv
A = os.environ.get("A", "none")
B = getenv("B")
def serve():
    print(env["C"], os.environ["D"], os.environ.get("PORT", "1"), os.environ["HOME"], "E" in env)
    os.environ["WRITTEN"] = "1"
`,
      { target: "serve", environment: { B: "b", D: "d" } },
    );
    expect(found.env_read).toEqual([
      { name: "A", line: 4, default: "none" },
      { name: "B", line: 5, value: "b", set: true },
      { name: "C", line: 7, required: true, missing: true },
      { name: "D", line: 7, value: "d", set: true },
      { name: "E", line: 7 },
    ]);
    expect(found.warnings).toContainEqual({
      code: "variable_unset",
      sentence: "deploy.py:7 reads C, which is not set. Use --env C=VALUE.",
      line: 7,
      variable: "C",
    });
  });

  test("are reported where nothing sets them, in a handler too, unless the script has a default", async () => {
    const found = await read(
      `
import os
MODEL = os.environ.get("MODEL")
PACE = os.getenv("PACE", "slow")
def serve():
    def handler():
        return [os.getenv("TONE"), os.environ.get("HUB_TOKEN", None), os.environ.get("SET")]
    return [os.environ.get("PLACE") or "here", "DEBUG" in os.environ, os.environ.get("LATE", late())]
`,
      { target: "serve", environment: { SET: "1" } },
    );
    const unset = found.warnings.filter(({ code }) => code === "variable_unset");
    expect(unset.map(({ sentence }) => sentence)).toEqual([
      "deploy.py:3 reads MODEL, which is not set. Use --env MODEL=VALUE.",
      "deploy.py:7 reads TONE, which is not set. Use --env TONE=VALUE.",
      "deploy.py:7 reads HUB_TOKEN, which is not set. Use --secret HUB_TOKEN, after `deployctl secrets set HUB_TOKEN=VALUE`.",
    ]);
  });

  const reads: [what: string, text: string, names: string[]][] = [
    ["comprehensions", "ALL = {key: os.environ.get(key) for key in ['A', 'B']}", ["A", "B"]],
    [
      "tests of comprehensions",
      "SET = [f'X_{n}' for n in ('A', 'B') if f'X_{n}' in os.environ]",
      ["X_A", "X_B"],
    ],
    [
      "choices of all variables",
      "def is_ours(name):\n    return name.startswith('X_') or name == 'A'\nALL = {name: value for name, value in os.environ.items() if is_ours(name)}",
      ["A", "X_Y"],
    ],
    [
      "loops",
      "found = {}\nfor key, usual in {'A': 1, 'B': 2}.items():\n    found[key] = os.getenv(key, usual)",
      ["A", "B"],
    ],
    [
      "functions of its own",
      "def read(name, usual=None):\n    return os.environ.get('X_' + name, usual)\nA = read('A')\nB = read('B', 'b')",
      ["X_A", "X_B"],
    ],
    ["names of a secret of Modal", "S = modal.Secret.from_local_environ(['A'])", ["A"]],
    ["a module beside it", "import variables_of_module", ["FROM_MODULE"]],
  ];
  const documents = readScripts(
    reads.map(([, text]) => ({
      text: `import os, modal\n${text}\ndef serve(): pass\n`,
      target: "serve",
      environment: { A: "a", X_Y: "y", OTHER: "o" },
      files: {
        "variables_of_module.py": "import os\n\nVALUE = os.environ.get('FROM_MODULE')\n",
      },
    })),
  );

  test.each(reads.map((row, index) => [...row, documents[index]] as const))(
    "are found in %s",
    (_what, _text, names, found) => {
      expect(found?.env_read.map(({ name }) => name)).toEqual(names);
      expect(found?.warnings.map(({ code }) => code)).not.toContain("variable_unresolved");
    },
  );

  test("with unknown names are reported with line and remedy", async () => {
    const found = await read(
      `
import os, own
KEYS = {key: os.environ.get(key) for key in own.keys()}
ALL = {key: value for key, value in os.environ.items() if key != "PATH"}
COPY = dict(os.environ, MORE="1"), {**os.environ}, os.environ.copy()
def serve(): pass
`,
      { target: "serve" },
    );
    expect(found.env_read).toEqual([]);
    const warnings = found.warnings.filter(({ code }) => code === "variable_unresolved");
    expect(warnings.map(({ line }) => line)).toEqual([3, 4]);
    expect(warnings[0]?.sentence).toMatch(
      /^deploy\.py:3 reads environment variables .*: KEYS = .*own\.keys\(\)\}\. .*--env NAME=VALUE/,
    );
  });

  test("never show a secret, wherever it was copied", async () => {
    const token = "hf_abcdefghijklmnop";
    const found = await read(
      `
import os, subprocess
import fal
TOKEN = os.environ["HF_TOKEN"]
@fal.function(image=fal.ContainerImage.from_dockerfile_str(f"FROM a\\nENV URL=http://{TOKEN}@b\\nENV API_KEY=x"),
              exposed_port=8000, metadata={"t": TOKEN})
def serve(): subprocess.run(["srv", "--token", TOKEN])
`,
      { environment: { HF_TOKEN: token } },
    );
    expect(JSON.stringify(found)).not.toContain(token);
    expect(found.env_read).toEqual([{ name: "HF_TOKEN", line: 4, secret: true, set: true }]);
    expect(found.command).toEqual(["srv", "--token", "********"]);
    expect(found.image?.env).toEqual({ URL: "http://********@b" });
    const codes = found.warnings.map(({ code }) => code);
    expect(codes).toContain("secret_in_configuration");
    expect(codes).toContain("secret_in_image");
  });
});

test("files above the script's folder are reported, as a replica lacks them", async () => {
  const found = await read(
    `
import os, subprocess
from pathlib import Path
HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = "../names.txt"
def serve():
    open(NAMES), open("own.txt"), open("/etc/hosts"), Path("data/../own.txt")
    open(os.path.join(os.path.dirname(__file__), "..", "weights.bin"), "rb")
    open("../log.txt", "a"), Path("../prompts").read_text()
    subprocess.run(["server", "--model", "../model.gguf", "../"])
`,
    { target: "serve" },
  );
  const outside = found.warnings.filter(({ code }) => code === "file_outside");
  expect(outside.map(({ sentence }) => sentence.split(", which")[0])).toEqual([
    "deploy.py:7 refers to ../names.txt",
    "deploy.py:8 refers to ../weights.bin",
    "deploy.py:9 refers to ../prompts",
    "deploy.py:10 refers to ../model.gguf",
    "deploy.py:10 refers to ../",
  ]);
  expect(outside[0]?.sentence).toBe(
    "deploy.py:7 refers to ../names.txt, which is outside the script's folder and is not deployed. Move it into that folder.",
  );
});

test("a keyword that fal does not have is ignored with a warning", async () => {
  const found = await read("import fal\n@fal.function(num_gpu=1, serve=True)\ndef run(): pass\n");
  expect(found.warnings).toEqual([
    {
      code: "keyword_unknown",
      sentence: "Unknown keyword num_gpu is ignored; did you mean num_gpus?",
      line: 2,
    },
  ]);
});

test("an image is read without running the script, however it is imported", () => {
  const imports = [
    "from fal import ContainerImage",
    "from fal.container import ContainerImage",
    "from fal.container import ContainerImage as Other; ContainerImage = Other",
  ];
  const documents = readScripts(
    imports.map((imported) => ({
      text: `
import fal
${imported}
image = ContainerImage.from_dockerfile_str("FROM a\\nENV B=1")
@fal.function(image=image, exposed_port=8000)
def serve(): pass
`,
    })),
  );
  for (const { dynamic, image } of documents)
    expect([dynamic, image?.env]).toEqual([[], { B: "1" }]);
});

test("required files are found next to it, and nothing else", async () => {
  write("helper.py", "import deeper.module\n");
  write("deeper/__init__.py", "");
  write("deeper/module.py", "from . import other\n");
  write("deeper/data.json", "{}");
  write("deeper/__pycache__/x.pyc", "");
  write("server.py", "import settings\n");
  write("settings.py", "");
  write("template.jinja", "");
  write("prompts/one.txt", "");
  write("unused.py", "");
  const found = await read(`
import json, helper
import deployctl
import subprocess, sys
@deployctl.app(port=8000, files=["prompts", "../outside.txt", "/etc/passwd"])
def serve():
    subprocess.run([sys.executable, "server.py", "--template", "./template.jinja", "/etc/hosts"])
`);
  expect(found.files[0]).toBe("deploy.py");
  expect(found.files.toSorted()).toEqual([
    "deeper/__init__.py",
    "deeper/data.json",
    "deeper/module.py",
    "deploy.py",
    "helper.py",
    "prompts/one.txt",
    "server.py",
    "settings.py",
    "template.jinja",
  ]);
});

describe("unreadable input is reported with its position", () => {
  test.each([
    ["CLOUD_SCRIPT_INVALID", "import os\n\ndef serve(:\n", "serve", /deploy\.py:3: .*def serve\(:/],
    ["CLOUD_SCRIPT_INVALID", "x = 1\0", "serve", /null bytes/],
    [
      "CLOUD_SCRIPT_INVALID",
      "import deployctl\n\n@deployctl.app(ports=1)\ndef serve(): pass\n",
      undefined,
      /deploy\.py:3: .*did you mean port\? Fix/,
    ],
    [
      "CLOUD_TARGET_UNKNOWN",
      "def server(): pass\n",
      "serve",
      /no function serve.*deploy\.py::server/,
    ],
    ["CLOUD_TARGET_UNKNOWN", "serve = 3\n", "serve", /serve in deploy\.py is not a function/],
    [
      "CLOUD_TARGET_UNKNOWN",
      "def a(): pass\ndef b(): pass\n",
      undefined,
      /no function marked.*deploy\.py::a, deploy\.py::b/,
    ],
    ["CLOUD_TARGET_UNKNOWN", "x = 1\n", undefined, /no function marked.*@deployctl\.app/],
    [
      "CLOUD_TARGET_UNKNOWN",
      "import deployctl as d\n@d.app\ndef a(): pass\n@d.app\ndef b(): pass\n",
      undefined,
      /2 deployable objects.*deploy\.py::a, deploy\.py::b/,
    ],
  ])("%s of %j", async (code, text, target, sentence) => {
    const failure = read(text, target === undefined ? {} : { target });
    await expect(failure).rejects.toMatchObject({
      code,
      exitCode: 2,
      sentence: expect.stringMatching(sentence),
    });
  });

  test("a missing script, and a folder", async () => {
    for (const name of ["nowhere.py", "."]) {
      await expect(inspectScript(path.join(folder, name))).rejects.toMatchObject({
        code: "CLOUD_SCRIPT_MISSING",
        exitCode: 2,
      });
    }
  });

  test("a machine without Python, or with an old one", async () => {
    const file = write("deploy.py", "def serve(): pass\n");
    const old = path.join(folder, "old-python");
    writeFileSync(old, "#!/bin/sh\necho 3.6.9 /usr/bin/python3.6\n", { mode: 0o755 });
    for (const [python, sentence] of [
      ["/nowhere/python3", "/nowhere/python3 is not on the PATH"],
      [old, "is Python 3.6.9; scripts need 3.8"],
    ]) {
      await expect(
        inspectScript(file, "serve", { environment: { ...process.env, DEPLOYCTL_PYTHON: python } }),
      ).rejects.toMatchObject({
        code: "CLOUD_PYTHON_UNUSABLE",
        exitCode: 6,
        message: expect.stringContaining(sentence ?? ""),
      });
    }
  });
});

describe("a script reference", () => {
  test.each([
    ["deploy.py", "deploy.py", undefined],
    ["a/b.py::serve", "a/b.py", "serve"],
    ["./x.py::_Größe2", "./x.py", "_Größe2"],
  ])("%s", (text, file, target) => {
    expect(readScriptReference(text)).toEqual({ file, target });
  });

  test.each([
    "",
    "deploy",
    "deploy.sh::serve",
    "deploy.py::",
    "deploy.py::a.b",
    "deploy.py::a::b",
    "::serve",
  ])("%j is invalid", (text) => {
    expect(() => readScriptReference(text)).toThrow(
      expect.objectContaining({ code: "CLOUD_SCRIPT_MISSING", exitCode: 2 }),
    );
  });
});
