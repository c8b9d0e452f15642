// The script of `init`: Python that starts modelctl, for any name of a model.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { deployScript, modelOf } from "../../../source/application/deploying/deploy-script.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const runner = path.join(import.meta.dirname, "../../../source/cloud/python/runner.py");

/** Returns the arguments of modelctl when the script's function runs. */
function callsOf(text: string, environment: Record<string, string> = {}): string[] {
  const folder = path.join(temporaryFolder(), "it's a folder");
  mkdirSync(folder);
  const script = path.join(folder, "deploy.py");
  writeFileSync(script, text);
  const program = path.join(folder, "modelctl");
  const record = path.join(folder, "calls");
  writeFileSync(
    program,
    `#!/bin/sh\necho "$* | $MODELCTL_KEEP_ALIVE $MODELCTL_MODEL_FOLDERS" >> "${record}"\n`,
  );
  chmodSync(program, 0o755);
  execFileSync("python3", [runner, "--script", script, "--target", "serve"], {
    cwd: folder,
    stdio: "pipe",
    env: { PATH: process.env.PATH, DEPLOYCTL_PORT: "23456", ...environment, ...told(program) },
  });
  return execFileSync("cat", [record], { encoding: "utf8" }).trim().split("\n");
}

function told(program: string): Record<string, string> {
  return { DEPLOYCTL_MODELCTL: `'${program.replaceAll("'", `'\\''`)}'` };
}

describe("the generated script", () => {
  test("serves the model on its port and never unloads it", () => {
    const { text, appName } = deployScript("tiny", "deploy.py");
    expect(appName).toBe("tiny");
    expect(callsOf(text)).toEqual([
      "serve --host 127.0.0.1 --port 23456 --preload tiny --num-parallel 4 | -1",
    ]);
  });

  test("pulls a hub model first, and accepts another in MODEL_NAME", () => {
    const { text, appName } = deployScript("hf.co/Some-Maker/Model_8B:Q4_K_M", "serve.py");
    expect(appName).toBe("model-8b-q4-k-m");
    expect(text).toContain("deployctl deploy serve.py --app-name model-8b-q4-k-m");
    expect(callsOf(text)[0]).toBe("pull hf.co/Some-Maker/Model_8B:Q4_K_M |  ");
    expect(callsOf(text, { MODEL_NAME: "tiny" })).toHaveLength(1);
    expect(modelOf(text, {})).toBe("hf.co/Some-Maker/Model_8B:Q4_K_M");
    expect(modelOf(text, { MODEL_NAME: "tiny" })).toBe("tiny");
    expect(modelOf("import deployctl\n", { MODEL_NAME: "tiny" })).toBeUndefined();
  });

  test("does not mistake a file of a repository for a local file", () => {
    const { text } = deployScript("hf.co/maker/model:model-Q8_0.gguf", "serve.py");
    expect(callsOf(text)[0]).toBe("pull hf.co/maker/model:model-Q8_0.gguf |  ");
  });

  test("has the absolute path of a local file, and lets clients name it", () => {
    const folder = path.join(temporaryFolder(), 'a "quoted" Ordner für ü');
    mkdirSync(folder);
    const file = path.join(folder, "My Model.gguf");
    writeFileSync(file, "");
    const { text, appName } = deployScript(file, "deploy.py");
    expect(appName).toBe("my-model");
    expect(modelOf(text, {})).toBe(file);
    expect(callsOf(text)).toEqual([
      `serve --host 127.0.0.1 --port 23456 --preload ${file} --num-parallel 4 | -1 ${folder}`,
    ]);
  });

  test("is not written for a missing file", () => {
    expect(() => deployScript("./nothing.gguf", "deploy.py")).toThrow(
      expect.objectContaining({ exitCode: 2, message: expect.stringContaining("nothing.gguf") }),
    );
  });
});
