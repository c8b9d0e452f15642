// Names of fal and of our SDK, and the keywords of their decorators.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { pythonFolder } from "../../../source/cloud/inspection/python-program.ts";
import { python } from "../../support/replica-runner.ts";

/**
 * Returns the output of a piece of Python, including errors; the shim comes first, as in a replica.
 */
function run(code: string, environment: Record<string, string> = {}): string[] {
  const shim = path.join(pythonFolder(), "shim");
  const output = execFileSync(python, ["-c", `import sys\nsys.stderr = sys.stdout\n${code}`], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, PYTHONPATH: shim, ...environment },
  });
  return output.trimEnd().split("\n");
}

test("everything that scripts import exists", () => {
  const lines = run(`
import fal, fal.api, fal.sdk, fal.container, fal.toolkit, fal.apps
from fal import (App, ContainerImage, FalServerlessKeyCredentials, HealthCheck, cached, endpoint,
                 function, isolated, realtime, sync_dir, __version__, version_tuple)
from fal.api import FalServerlessError, FalServerlessHost, IsolatedFunction
from fal.container import ContainerImage as Same
from fal.toolkit import File, Image, image
from fal.toolkit.image import ImageSize
from fal.toolkit.utils.download_utils import clone_repository
import fal.toolkit.exceptions, fal.toolkit.pydantic, fal.toolkit.types, fal.toolkit.video as video
assert fal.toolkit.exceptions.FileUploadException is fal.toolkit.FileUploadException
assert image.Image is Image and video.Video is fal.toolkit.Video
print(Same is ContainerImage, version_tuple >= (1, 0), fal.local, isinstance(FalServerlessError(), Exception))
`);
  expect(lines).toEqual(["True True <host local> True"]);
});

test("a decorated function runs here and keeps its options", () => {
  const lines = run(`
import fal
@fal.function("virtualenv", requirements=["a"], machine_type="GPU-H100", num_gpus=2, keep_alive=30)
def double(x):
    "Twice."
    return 2 * x
print(double(4), double.run_local(5), double.raw_func(6), double.on(num_gpus=1)(7), double.__wrapped__(8))
print(double.__name__, double.__doc__, sorted(double.options.items()), double.on(num_gpus=1).options["num_gpus"])
print(isinstance(double, fal.api.IsolatedFunction))
@fal.function
def bare(): return 1
print(bare(), bare.options)
@fal.cached
def costly(x):
    print("computed")
    return x
print(costly(1) + costly(1))
`);
  expect(lines).toEqual([
    "8 10 12 14 16",
    "double Twice. [('keep_alive', 30), ('kind', 'virtualenv'), ('machine_type', 'GPU-H100'), ('num_gpus', 2), ('requirements', ['a'])] 1",
    "True",
    "1 {'kind': 'virtualenv'}",
    "computed",
    "2",
  ]);
});

/** Statements that print the error, each with its own line. */
function attempts(calls: readonly string[], error: string): string {
  return calls
    .map((call) => `try:\n    ${call}\nexcept ${error} as error:\n    print(error)\n`)
    .join("");
}

test("wrong arguments are refused with the reason", () => {
  const reasons = {
    "fal.function('docker')": "kind='docker' is not one of conda, container, local, virtualenv",
    "fal.endpoint('run')": "an endpoint's path must start with a slash: 'run'",
    "deployctl.app(ports=8000)": "unknown keyword ports; did you mean port?",
  };
  const lines = run(`import fal, deployctl\n${attempts(Object.keys(reasons), "ValueError")}`);
  expect(lines).toEqual(Object.values(reasons));
});

test("keywords without effect are accepted with one line in the log", () => {
  const calls = [
    [
      "fal.function(exposed_port=8000, regions=['eu'], private_logs=True)",
      "regions, private_logs have no effect here",
    ],
    ["fal.function('container', packages=['a'])", "packages has no effect here"],
    ["fal.function(num_gpu=1)", "Unknown keyword num_gpu is ignored; did you mean num_gpus?"],
    ["fal.function(wholly_unknown=1)", "Unknown keyword wholly_unknown is ignored"],
    [
      "type('X', (fal.App,), {}, keep_alives=1)",
      "Unknown keyword keep_alives is ignored; did you mean keep_alive?",
    ],
  ];
  const lines = run(`import fal\n${calls.map(([call]) => call).join("\n")}`);
  expect(lines).toEqual(calls.map(([, sentence]) => `deployctl: ${sentence}`));
});

test("an image is stored as text", () => {
  const lines = run(`
from fal import ContainerImage
image = ContainerImage.from_dockerfile_str("FROM a\\nCOPY x y /z", build_args={"A": "1"}, registries={"r": {"password": "p"}})
image.add_dockerignore(patterns=["*.log"])
print(image.to_dict()["dockerfile_str"].split()[0], image.to_dict()["build_args"], image.get_copy_add_sources())
print("password" in str(image.to_dict()))
`);
  expect(lines).toEqual(["FROM {'A': '1'} ['x', 'y']", "False"]);
});

test("calls of what is not available name it", () => {
  const names = {
    "fal.toolkit.File.from_bytes(b'')": "fal.toolkit.File",
    "fal.toolkit.KVStore('a')": "fal.toolkit.KVStore",
    "fal.apps.run('a')": "fal.apps.run",
    "fal.function()(print).spawn()": "spawn",
  };
  const code = attempts(Object.keys(names), "NotImplementedError");
  const lines = run(`import fal, fal.toolkit, fal.apps\n${code}`);
  expect(lines).toEqual(Object.values(names).map((name) => expect.stringContaining(name)));
});

test("the toolkit downloads data, and nothing from this machine or its network", () => {
  const lines = run(`
import tempfile
from fal.toolkit.utils import DownloadError, download_file
folder = tempfile.mkdtemp()
print(download_file("data:text/plain;base64,YWJj", folder).read_bytes())
for url in ("http://127.0.0.1:1/x", "http://localhost/x", "http://169.254.169.254/x", "file:///etc/passwd"):
    try:
        download_file(url, folder)
    except DownloadError as error:
        print(str(error).split(": ", 1)[1])
`);
  expect(lines).toEqual([
    "b'abc'",
    "<urlopen error 127.0.0.1 is not a public address>",
    "<urlopen error localhost is not a public address>",
    "<urlopen error 169.254.169.254 is not a public address>",
    "only http, https and data URLs can be downloaded",
  ]);
});

test("the toolkit's types can be annotations", () => {
  const lines = run(`
from typing import List, Optional
from fal.toolkit import File, Image
def run(image: Image, more: Optional[List[File]] = None) -> "Image": ...
print(sorted(run.__annotations__))
`);
  expect(lines).toEqual(["['image', 'more', 'return']"]);
});

test("DEPLOYCTL_REAL_FAL=1 gives the script an installed fal", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "deployctl-fal-"));
  try {
    mkdirSync(path.join(folder, "fal"));
    writeFileSync(path.join(folder, "fal", "__init__.py"), "REAL = True\nfrom fal import part\n");
    writeFileSync(path.join(folder, "fal", "part.py"), "");
    const paths = `${path.join(pythonFolder(), "shim")}:${folder}`;
    const code =
      "import fal, fal.part\nprint(getattr(fal, 'REAL', False), hasattr(fal, 'function'))";
    const real = { PYTHONPATH: paths, DEPLOYCTL_REAL_FAL: "1" };
    expect(run(code, real)).toEqual(["True False"]);
    const shadowed = "import fal\nprint(getattr(fal, 'REAL', False), hasattr(fal, 'function'))";
    expect(run(shadowed, { PYTHONPATH: paths })).toEqual(["False True"]);
    const none = "try:\n    import fal\nexcept ImportError as error: print(error)";
    expect(run(none, { DEPLOYCTL_REAL_FAL: "1" })[0]).toContain("which is missing");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("our own decorator works with and without parentheses", () => {
  const lines = run(`
import deployctl
@deployctl.app(port=9000, gpu="H100:2")
def one(): return 1
@deployctl.app
def two(): return 2
print(one(), one.options, two(), two.options, deployctl.port(), deployctl.replica_id())
`);
  expect(lines).toEqual(["1 {'port': 9000, 'gpu': 'H100:2'} 2 {} 8000 local"]);
});
