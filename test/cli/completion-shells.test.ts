// Completion with Tab in bash, zsh and fish, in a pseudo-terminal. Skips shells that are not installed.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { entryFile, Home } from "../support/command-line.ts";
import { openTerminal, type TestTerminal } from "../support/pty.ts";

let home: Home;
beforeAll(async () => {
  home = await Home.create();
  const bin = path.join(home.folder, "bin");
  mkdirSync(bin);
  for (const [name, entry] of [
    ["modelctl", entryFile],
    ["deployctl", path.join(path.dirname(entryFile), "deployctl.js")],
  ] as const) {
    const text = `#!/bin/sh\nexec "${process.execPath}" "${entry}" "$@"\n`;
    writeFileSync(path.join(bin, name), text, { mode: 0o755 });
  }
  await home.call(["cp", "tiny", "mine:v1"]);
});
afterAll(async () => await home.remove());

function isInstalled(shell: string): boolean {
  try {
    execFileSync(shell, ["-c", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Each shell starts without the user's files, with the scripts of both programs and its own prompt. */
const starts = {
  bash: (script: string) => `exec bash --noprofile --rcfile ${script} -i`,
  zsh: (script: string) => `ZDOTDIR=${path.dirname(script)} exec zsh -i`,
  fish: (script: string) => `exec fish --no-config --init-command 'source ${script}'`,
};
const scripts = {
  bash: "PS1='ready> '\nsource <(modelctl completion bash)\nsource <(deployctl completion bash)\n",
  zsh: "PS1='ready> '\nautoload -U compinit && compinit -u\nsource <(modelctl completion zsh)\nsource <(deployctl completion zsh)\n",
  fish: "function fish_prompt; echo 'ready> '; end\nfunction fish_greeting; end\nmodelctl completion fish | source\ndeployctl completion fish | source\n",
};

describe.each(["bash", "zsh", "fish"] as const)("%s", (shell) => {
  const isThere = isInstalled(shell);
  /** Shell that all lines share, since its start runs each program. */
  let terminal: TestTerminal;
  beforeAll(async () => {
    if (!isThere) return;
    const folder = path.join(home.folder, shell);
    mkdirSync(folder, { recursive: true });
    const script = path.join(folder, shell === "zsh" ? ".zshrc" : "start");
    writeFileSync(script, scripts[shell]);
    const bin = path.join(home.folder, "bin");
    terminal = await openTerminal([], {
      home: home.folder,
      environment: { ...home.environment, PATH: `${bin}:${home.environment.PATH}` },
      shell: starts[shell](script),
    });
    await terminal.shows("ready>");
  });
  afterAll(async () => {
    if (isThere) await terminal.close();
  });

  test.skipIf(!isThere).each([
    ["modelctl sho", "modelctl show "],
    ["modelctl show --templ", "modelctl show --template "],
    ["modelctl run mine:", "modelctl run mine:v1 "],
    ["modelctl keys rev", "modelctl keys revoke "],
    ["modelctl run --gpu vul", "modelctl run --gpu vulkan "],
    ["deployctl apps sca", "deployctl apps scale "],
    ["deployctl deploy --auth pub", "deployctl deploy --auth public "],
  ])("completes %j", async (typed, completed) => {
    terminal.type(`${typed}\t`);
    await terminal.shows(completed.trimEnd());
    // The text after it is already typed.
    terminal.type("END");
    await terminal.shows(`${completed}END`);
    expect(terminal.text()).not.toContain("Error");
    // Ctrl+U clears the line.
    terminal.type("\x15");
  });
});
