// Runs commands of the built deployctl within the test's process, which loads the program once.
import { createRequire } from "node:module";
import path from "node:path";
import { type Outcome, repositoryFolder } from "./command-line.ts";

type Program = typeof import("../../source/cli/cloud/run-deployctl.ts");

// Unlike an import, not transformed by Vitest.
const load = createRequire(import.meta.url);
const programFile = path.join(repositoryFolder, "dist/source/cli/cloud/run-deployctl.js");

/** One at a time: commands write to the same output. */
let last: Promise<unknown> = Promise.resolve();

/** @param environment all of it */
export async function runInProcess(
  words: readonly string[],
  environment: Record<string, string>,
  folder: string,
): Promise<Outcome> {
  const outcome = last.then(async () => {
    const restore = enter(environment, folder);
    const output = capture(process.stdout);
    const errors = capture(process.stderr);
    try {
      const { runDeployctl } = load(programFile) as Program;
      await runDeployctl([...words]);
      return { code: Number(process.exitCode), output: output.text(), errors: errors.text() };
    } finally {
      output.end();
      errors.end();
      restore();
    }
  });
  last = outcome.catch(() => undefined);
  return await outcome;
}

/** @returns a function that undoes it */
function enter(environment: Record<string, string>, folder: string): () => void {
  const own = { environment: { ...process.env }, folder: process.cwd(), code: process.exitCode };
  setVariables(environment);
  process.chdir(folder);
  return () => {
    setVariables(own.environment);
    process.chdir(own.folder);
    process.exitCode = own.code;
  };
}

function setVariables(variables: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
  Object.assign(process.env, variables);
}

/** Keeps what is written to the stream, in place of writing it. */
function capture(stream: NodeJS.WriteStream): { text: () => string; end: () => void } {
  const write = stream.write;
  const listeners = stream.listeners("error");
  let text = "";
  stream.write = (chunk: Uint8Array | string) => {
    text += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8");
    return true;
  };
  return {
    text: () => text,
    end: () => {
      stream.write = write;
      for (const listener of stream.listeners("error")) {
        if (!listeners.includes(listener)) stream.off("error", listener as () => void);
      }
    },
  };
}
