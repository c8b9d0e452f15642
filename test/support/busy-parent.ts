// Starts a program in one of the ways that end it with this process, and waits to be killed.
import { spawn } from "node:child_process";
import { spawnWatched } from "../../source/base/parent-watch.ts";
import { runGroup } from "../../source/base/process-group.ts";

const [scope, program = "", ...words] = process.argv.slice(2);
if (scope === "group") {
  runGroup(program, words, { signal: undefined }).stdout.pipe(process.stdout);
} else {
  spawnWatched("tree", () => spawn(program, words, { stdio: ["ignore", "inherit", "inherit"] }));
}
