// How the tests run: real models in child processes, on as few as two cores.
import { defineConfig } from "vitest/config";

/** Folders whose tests start no process and change nothing global: their files share a worker and its modules. */
const pure = [
  "application",
  "base",
  "cli",
  "client",
  "configuration",
  "keys",
  "metrics",
  "prompt",
  "request-log",
  "sessions",
  "ui",
].map((folder) => `test/${folder}/**/*.test.{ts,tsx}`);

export default defineConfig({
  test: {
    globalSetup: ["test/support/global-setup.ts"],
    pool: "forks",
    // Much of a test is waiting for processes: the third keeps two cores busy.
    maxWorkers: 3,
    // Answers come in milliseconds; a machine that also does other work may take its time.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: { name: "whole", include: ["test/**/*.test.{ts,tsx}"], exclude: pure },
      },
      {
        extends: true,
        test: {
          name: "pure",
          include: pure,
          isolate: false,
          // Ink would otherwise start `tput` for every frame of a test without a terminal.
          env: { COLUMNS: "80", LINES: "24" },
        },
      },
    ],
  },
});
