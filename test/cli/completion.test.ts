// Completion candidates, and their use by bash.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { modelctlProgram } from "../../source/cli/modelctl-program.ts";
import { candidatesFor } from "../../source/cli/program/completion-candidates.ts";
import { completionScript } from "../../source/cli/program/completion-scripts.ts";
import { type NameKind, visibleCommands } from "../../source/cli/program/definition.ts";
import { entryFile, Home } from "../support/command-line.ts";
import { temporaryFolder } from "../support/model-store.ts";

const own = ["team/pirate:v1", "hf.co/maker/tiny:Q8_0"];
const names = ["tiny:latest", "team/pirate:v1", "hf.co/maker/tiny:Q8_0"];

async function values(...words: string[]): Promise<string[]> {
  const known = async (kind: NameKind) => (kind === "own model" ? own : names);
  return (await candidatesFor(modelctlProgram, words, known)).map(({ value }) => value);
}

describe("candidates", () => {
  test("without input are the common commands", async () => {
    const all = await values("");
    const first = visibleCommands(modelctlProgram).map(({ name }) => name.replace(/ .*/, ""));
    expect(all).toEqual([...new Set(first)]);
    expect(all).not.toContain("__complete");
    expect(await values("sh")).toEqual(["show"]);
    expect(await values("help", "ru")).toEqual(["run"]);
  });

  test.each([["run"], ["show"], ["stop"], ["cp"], ["export"]])(
    "after %s are the models",
    async (command) => {
      expect(await values(command, "")).toEqual([
        "tiny",
        "team/pirate:v1",
        "hf.co/maker/tiny:Q8_0",
      ]);
      expect(await values(command, "TEAM")).toEqual(["team/pirate:v1"]);
      expect(await values(command, "tiny", "")).toEqual([]);
    },
  );

  test("after rm are models that can be removed, each once", async () => {
    expect(await values("rm", "")).toEqual(own);
    expect(await values("rm", "team/pirate:v1", "")).toEqual(["hf.co/maker/tiny:Q8_0"]);
  });

  test("after launch are the agents, then the models, and nothing for the agent's own words", async () => {
    expect(await values("launch", "co")).toEqual(["codex", "copilot"]);
    expect(await values("launch", "codex", "ti")).toEqual(["tiny"]);
    expect(await values("launch", "codex", "tiny", "")).toEqual([]);
    expect(await values("launch", "codex", "--", "")).toEqual([]);
    expect(await values("launch", "--print")).toEqual(["--print-config"]);
  });

  test("for flags are those of the command that were not given", async () => {
    const flags = ["--store", "--speed", "--outdated", "--json", "--help"];
    expect(await values("list", "--")).toEqual(flags);
    expect(await values("list", "--json", "--")).toEqual(flags.toSpliced(3, 1));
    expect(await values("show", "tiny", "--ver")).toEqual(["--verbose"]);
    expect(await values("create", "--qu")).toEqual(["--quantize"]);
  });

  test("for a flag's value are its choices", async () => {
    expect(await values("run", "--gpu", "")).toContain("vulkan");
    expect(await values("run", "--gpu=c")).toEqual(["--gpu=cpu", "--gpu=cuda"]);
    expect(await values("list", "--store", "o")).toEqual(["ollama"]);
    expect(await values("create", "-f", "")).toEqual([]);
    expect(await values("serve", "--preload", "ti")).toEqual(["tiny"]);
    expect(await values("create", "-q", "q8")).toEqual(["q8_0"]);
    expect(await values("run", "--think=h")).toEqual(["--think=high"]);
  });

  test("are second words of commands that have some, and names where those begin", async () => {
    expect(await values("completion", "")).toEqual(["bash", "zsh", "fish"]);
    expect(await values("config", "")).toEqual(["show"]);
    expect(await values("keys", "re")).toEqual(["revoke"]);
    expect(await values("keys", "revoke", "")).toEqual([]);
    expect(await values("list", "team")).toEqual(["team/pirate:v1"]);
  });

  test("continue with the model after a flag's value", async () => {
    expect(await values("run", "--gpu", "cpu", "ti")).toEqual(["tiny"]);
    expect(await values("create", "-f", "Modelfile", "ti")).toEqual([]);
  });
});

function isInstalled(shell: string): boolean {
  try {
    execFileSync(shell, ["-c", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

describe("the scripts", () => {
  test.each(["bash", "zsh", "fish"].filter(isInstalled))("%s can parse it", (shell) => {
    const file = path.join(temporaryFolder(), shell);
    writeFileSync(file, completionScript("modelctl", shell) ?? "");
    expect(execFileSync(shell, ["-n", file], { encoding: "utf8" })).toBe("");
  });
});

describe.skipIf(!isInstalled("bash"))("bash", () => {
  let home: Home;
  beforeAll(async () => {
    home = await Home.create();
    mkdirSync(path.join(home.folder, "bin"));
    const program = path.join(home.folder, "bin", "modelctl");
    writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${entryFile}" "$@"\n`, {
      mode: 0o755,
    });
    const { output } = await home.call(["completion", "bash"]);
    writeFileSync(path.join(home.folder, "script"), output);
    for (const name of ["mine:v1", "mine:v2"]) await home.call(["cp", "tiny", name]);
  });
  afterAll(async () => await home.remove());

  /** Returns bash's candidates for the last word. */
  function complete(line: string): string[] {
    const script = `
      source "$HOME/script"
      complete -p modelctl >/dev/null || exit 1
      COMP_LINE="$1"; COMP_POINT=\${#COMP_LINE}
      _modelctl
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { folder, environment } = home;
    const output = execFileSync("bash", ["-c", script, "bash", line], {
      encoding: "utf8",
      env: { ...environment, PATH: `${path.join(folder, "bin")}:${environment.PATH}` },
    });
    return output.split("\n").filter((word) => word !== "");
  }

  test("completes commands, flags, and models after their colon", () => {
    expect(complete("modelctl sho")).toEqual(["show"]);
    expect(complete("modelctl show --templ")).toEqual(["--template"]);
    expect(complete("modelctl run ").sort()).toEqual(["mine:v1", "mine:v2", "tiny"]);
    expect(complete("modelctl rm ").sort()).toEqual(["mine:v1", "mine:v2"]);
    // Readline has cut the word at the colon.
    expect(complete("modelctl run mine:").sort()).toEqual(["v1", "v2"]);
    expect(complete("modelctl run MINE:V2")).toEqual(["v2"]);
    expect(complete("modelctl run --gpu=cu")).toEqual(["cuda"]);
  });

  test("offers files for a prompt", () => {
    expect(complete("modelctl run tiny ")).toEqual([]);
    expect(complete("modelctl create -f ")).toEqual([]);
  });
});
