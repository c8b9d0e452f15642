// A watchdog process that kills registered children when this process dies, whatever it dies of: a
// child whose only thread computes never sees its closed channel.
import { type ChildProcess, spawn } from "node:child_process";
import type { Writable } from "node:stream";

// Reads "+ ID" and "- ID" until its input closes, which the kernel does when we die. IDs below zero
// name process groups; "tree:ID" is a process with its descendants. Signals of a terminal or a service
// manager must not end it before that. Children that see their closed channel get a second to remove
// their files.
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
 * Starts a child that is killed by SIGKILL should this process end before it.
 *
 * @param scope `group` for a child that leads a process group; `tree` for one that shares ours, with
 *   what it has started
 */
export function spawnWatched<Child extends ChildProcess>(
  scope: "process" | "group" | "tree",
  start: () => Child,
): Child {
  // Windows has neither this shell nor these signals.
  if (process.platform === "win32") return start();
  // It is there first: nothing but one write lies between a child's start and its entry.
  input ??= startWatchdog();
  const child = start();
  if (child.pid === undefined) return child;
  const id = `${{ process: "", group: "-", tree: "tree:" }[scope]}${child.pid}`;
  held.add(id);
  input.write(`+ ${id}\n`);
  // The number may be given to another process once the child is gone.
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
  // A watchdog that was killed is replaced with the next child.
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
