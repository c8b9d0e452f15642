// Deploy scripts that try to escape inspection: no file is written, no process is left.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { inspectScript } from "../../../source/cloud/inspection/inspect-script.ts";
import type { Dice } from "../dice.ts";
import { hostileText } from "../hostile-values.ts";
import { mutateBytes } from "../mutate-bytes.ts";
import { orRefusal } from "../refusal.ts";
import type { Target } from "../target.ts";

/** Statements that would each create a file next to the script. */
const escapes = [
  'open(MARK, "w").write("x")',
  'import os; os.system("touch " + MARK)',
  "import os; os.mkfifo(MARK)",
  "import os; os.mkdir(MARK)",
  'import os; os.symlink("/", MARK)',
  'import os; os.fork() or open(MARK, "w")',
  'import subprocess; subprocess.run(["touch", MARK])',
  'import ctypes; ctypes.CDLL(None).system(("touch " + MARK).encode())',
  "import ctypes; ctypes.CDLL(None).creat(MARK.encode(), 0o600)",
  'import _posixsubprocess as p; p.fork_exec([b"/bin/touch", MARK.encode()], [b"/bin/touch"], True, (), None, None, -1, -1, -1, -1, -1, -1, -1, -1, False, False, 0, None, None, None, -1, None, False)',
  'import multiprocessing as m; m.Process(target=open, args=(MARK, "w")).start()',
  'import sqlite3; sqlite3.connect(MARK).execute("create table a(b)")',
  "import socket; s = socket.socket(socket.AF_UNIX); s.bind(MARK)",
  "import shutil; shutil.copy(__file__, MARK)",
  'import atexit; atexit.register(lambda: open(MARK, "w"))',
  "import sys; sys.setrecursionlimit(10 ** 9)",
];
const values = ["8000", "int('8' + '000')", "ask()", "[1] * 10 ** 12", "(lambda: 8000)()"];

export const scripts: Target = {
  name: "scripts",
  rounds: 40,
  async begin() {
    const folder = mkdtempSync(path.join(tmpdir(), "deployctl-fuzz-"));
    return {
      async round({ dice, trying }) {
        const file = path.join(folder, "deploy.py");
        const text = scriptOf(dice, path.join(folder, "mark"));
        trying(`the script ${JSON.stringify(text.toString("latin1"))}`);
        writeFileSync(file, text);
        const { PATH = "" } = process.env;
        await orRefusal(() =>
          inspectScript(file, "serve", { environment: { PATH }, runLimitMs: 2000 }),
        );
        const found = readdirSync(folder).filter((name) => name !== "deploy.py");
        if (found.length > 0) throw new Error(`the script has written ${found.join(", ")}`);
      },
      async close() {
        rmSync(folder, { recursive: true });
      },
    };
  },
};

function scriptOf(dice: Dice, mark: string): Buffer {
  const tricks = dice.some(escapes, 0.2).map((each) => `try:\n    ${each}\nexcept Exception: pass`);
  const text = [
    "import fal",
    `MARK = ${JSON.stringify(mark)}`,
    ...tricks,
    dice.chance(0.2) ? `TEXT = ${JSON.stringify(hostileText(dice).toWellFormed())}` : "",
    `@fal.function(exposed_port=${dice.pick(values)})`,
    "def serve(): pass",
    "",
  ].join("\n");
  const bytes = Buffer.from(text);
  return dice.chance(0.2) ? mutateBytes(dice, bytes) : bytes;
}
