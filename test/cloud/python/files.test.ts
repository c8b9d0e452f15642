// Python files of the package: valid for Python 3.8, standard library only.
import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { pythonFolder } from "../../../source/cloud/inspection/python-program.ts";
import { python } from "../../support/replica-runner.ts";

const files = globSync("**/*.py", { cwd: pythonFolder() }).toSorted();

/** Required grammar version and imports of each file, as Python sees them. */
const facts = JSON.parse(
  execFileSync(
    python,
    [
      "-c",
      `
import ast, json, sys
found = {}
for file in json.load(sys.stdin):
    tree = ast.parse(open(file, encoding="utf-8").read(), file, feature_version=(3, 8))
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import): names |= {alias.name.split(".")[0] for alias in node.names}
        if isinstance(node, ast.ImportFrom) and node.level == 0: names.add(node.module.split(".")[0])
    found[file] = {"document": ast.get_docstring(tree), "imports": sorted(names)}
print(json.dumps(found))`,
    ],
    {
      input: JSON.stringify(files.map((file) => path.join(pythonFolder(), file))),
      encoding: "utf8",
    },
  ),
) as Record<string, { document: string | null; imports: string[] }>;

const own = [
  ...["deployctl", "deployctl_guard", "deployctl_ray_wrapper", "deployctl_reading"],
  ...["deployctl_running", "fal", "modal"],
];
const standard =
  `argparse ast asyncio atexit base64 collections contextlib contextvars copy ctypes dataclasses difflib errno fcntl hashlib io ipaddress functools glob http importlib
  inspect json linecache operator os mimetypes pathlib platform pty random re resource secrets select shlex shutil signal socket socketserver struct subprocess sys tempfile
  termios textwrap threading time traceback types typing urllib uuid warnings wsgiref`.split(/\s+/);
/** Packages used only if the script's environment has them, or, by the wrapper, that of Ray Serve. */
const optional: Record<string, string[]> = {
  "deployctl_ray_wrapper/deployment.py": ["ray"],
  "deployctl_ray_wrapper/nodes.py": ["ray"],
  "deployctl_ray_wrapper/relay.py": ["aiohttp", "yarl"],
  "deployctl_ray_wrapper/web_socket.py": ["aiohttp"],
  "shim/deployctl/_fastapi_server.py": ["fastapi"],
  "shim/deployctl/_uvicorn_server.py": ["uvicorn"],
  "shim/deployctl/_app_server.py": ["fastapi", "uvicorn"],
  "shim/modal/_serving.py": ["fastapi"],
  "shim/fal/toolkit/__init__.py": ["pydantic_core"],
  "shim/fal/toolkit/_models.py": ["PIL", "pydantic"],
};

test("there are many files, all of which Python 3.8 can parse", () => {
  expect(files.length).toBeGreaterThan(30);
  expect(Object.keys(facts)).toHaveLength(files.length);
});

test.each(files)("%s has a header comment and imports only what exists", (file) => {
  const { document, imports } = facts[path.join(pythonFolder(), file)] ?? {};
  expect(document).toMatch(/^[A-Z@f].{10,}/);
  const allowed = [...own, ...standard, ...(optional[file] ?? [])];
  expect(imports?.filter((name) => !allowed.includes(name))).toEqual([]);
  expect(readFileSync(path.join(pythonFolder(), file), "utf8").split("\n").length).toBeLessThan(
    310,
  );
});
