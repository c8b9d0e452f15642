// How the tests run: real models in child processes, on as few as two cores.
import { defineConfig } from "vitest/config";

export default defineConfig({
  oxc: { jsx: { development: false } },
  test: {
    include: ["test/**/*.test.{ts,tsx}"],
    globalSetup: ["test/support/global-setup.ts"],
    pool: "forks",
    // Much of a test is waiting for processes: further workers keep two cores busy.
    maxWorkers: 4,
    // A file shares its worker, and the modules loaded there, with others, so it gives back what it changes.
    isolate: false,
    env: {
      // Ink would otherwise start `tput` for every frame of a test without a terminal.
      COLUMNS: "80",
      LINES: "24",
      // React as users get it: its development build takes twice the time, most of it for stack traces.
      NODE_ENV: "production",
    },
    // Answers come in milliseconds; a machine that also does other work may take its time.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000, interval: 20 } },
  },
});
