// How the tests run: real models in child processes, on as few as two cores.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    globalSetup: ["test/support/global-setup.ts"],
    include: ["test/**/*.test.{ts,tsx}"],
    pool: "forks",
    // Files share a worker and its modules, which take a second to load; a test puts back what it changes.
    isolate: false,
    // Much of a test is waiting for processes: the third keeps two cores busy.
    maxWorkers: 3,
    // Answers come in milliseconds; a machine that also does other work may take its time.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
