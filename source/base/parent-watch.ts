// A watchdog process that kills registered children when this process dies for any reason: a child
// whose only thread is computing does not notice its closed channel.
import { type ChildProcess, spawn } from "node:child_process";
import type { Writable } from "node:stream";

// Reads "+ ID" and "- ID" until its input closes, which the kernel does when this process dies.
// Negative IDs are process groups; "tree:ID" is a process with its descendants. Signals of a terminal
// or a service manager must not end it earlier. Children that notice their closed channel get a second
// to remove their files.
const program = `
trap "" HUP INT TERM
held=" "
while read -r sign id; do
  if [ "$sign" = + ]; then held="$held$id "
  else held="\${held%% $id *} \${held#* $id }"
  fi
done
sleep 1
descend() {
  echo "$1"
  ps -A -o ppid= -o pid= | while read -r parent id; do
    if [ "$parent" = "$1" ]; then descend "$id"; fi
  done
}
for id in $held; do
  case $id in
    tree:*) for one in $(descend "\${id#tree:}"); do kill -s KILL -- "$one"; done ;;
    *) kill -s KILL -- "$id" ;;
  esac
done
`;

const held = new Set<string>();
let input: Writable | undefined;

/**
 * Starts a child that is killed with SIGKILL if this process ends first.
 *
 * @param scope `group` for a child that leads a process group; `tree` for one in our group, with its
 *   descendants
 */
export function spawnWatched<Child extends ChildProcess>(
  scope: "process" | "group" | "tree",
  start: () => Child,
): Child {
  // Windows has neither this shell nor these signals.
  if (process.platform === "win32") return start();
  // Started first, so that only one write lies between a child's start and its registration.
  input ??= startWatchdog();
  const child = start();
  if (child.pid === undefined) return child;
  const id = `${{ process: "", group: "-", tree: "tree:" }[scope]}${child.pid}`;
  held.add(id);
  input.write(`+ ${id}\n`);
  // The id may be reused once the child is gone.
  child.once("exit", () => {
    held.delete(id);
    input?.write(`- ${id}\n`);
  });
  return child;
}

function startWatchdog(): Writable {
  const child = spawn("/bin/sh", ["-c", program, "modelctl-watchdog"], {
    cwd: "/",
    detached: true,
    env: { PATH: "/usr/bin:/bin" },
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.unref();
  const { stdin } = child;
  // A killed watchdog is replaced when the next child starts.
  const drop = () => {
    if (input === stdin) input = undefined;
  };
  child.once("error", drop);
  child.once("exit", drop);
  stdin.on("error", drop);
  if ("unref" in stdin && typeof stdin.unref === "function") stdin.unref();
  for (const id of held) stdin.write(`+ ${id}\n`);
  return stdin;
}
