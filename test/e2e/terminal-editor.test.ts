// External editor: it gets all keys while it runs, and the program gets all keys afterwards.
import { chmodSync } from "node:fs";
import { expect, it } from "vitest";
import { CloudHome } from "../support/cloud-home.ts";
import { openDeployctl } from "../support/cloud-terminal.ts";

const openDeploy = "\u001b4";
const asText = "\u0005";

it("gives the keyboard to the editor and gets it back every time", async () => {
  const cloud = await CloudHome.create();
  const editor = cloud.write(
    "editor.sh",
    '#!/bin/sh\nprintf "EDITING"\nread line\necho "script = $line" > "$1"\n',
  );
  chmodSync(editor, 0o755);
  const terminal = await openDeployctl(cloud, { environment: { EDITOR: editor } });
  try {
    terminal.type(openDeploy);
    await terminal.shows("1 of 3");
    for (const round of [1, 2, 3, 4]) {
      terminal.type(asText);
      await terminal.shows("EDITING");
      terminal.type(`typed-${round}.py\r`);
      await terminal.shows(`> Script  typed-${round}.py`);
      terminal.type("x");
      await terminal.shows(`> Script  typed-${round}.pyx`);
    }
    expect(terminal.buffer()).toBe("alternate");
  } finally {
    await terminal.close();
    await cloud.remove();
  }
});
