// Programs that parts of the conformance run need, and checks for them.
import { spawnSync } from "node:child_process";

const commands: Readonly<Record<string, readonly [string, ...string[]]>> = {
  git: ["git", "--version"],
  python3: ["python3", "-c", "import venv"],
  "a C++ compiler (c++, or CXX)": [process.env.CXX ?? "c++", "--version"],
};

/** Returns required programs that are missing here. */
export function missingPrograms(needs: readonly string[]): string[] {
  return needs.filter((need) => {
    const [program, ...args] = commands[need] ?? [need];
    return spawnSync(program, args, { stdio: "ignore" }).status !== 0;
  });
}
