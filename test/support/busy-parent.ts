// Starts a program in one of the ways that end it with this process, and waits to be killed.
import { spawn } from "node:child_process";
import { spawnWatched } from "../../source/base/parent-watch.ts";
import { runGroup } from "../../source/base/process-group.ts";

const [scope, program = "", ...words] = process.argv.slice(2);
if (scope === "group") {
  runGroup(program, words, { signal: undefined }).stdout.pipe(process.stdout);
} else {
  // A pipe passes its ids on only once it is watched.
  spawnWatched("tree", () => spawn(program, words)).stdout.pipe(process.stdout);
}
