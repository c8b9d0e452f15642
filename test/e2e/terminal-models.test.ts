// Models screen: the built program in a pseudo-terminal pulls a model from a hub, loads, copies and
// deletes models, and chats with one.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type LoopbackHub, startLoopbackHub } from "../support/loopback-hub.ts";
import { openTerminal } from "../support/pty.ts";
import { numberedTiny } from "../support/tiny-variants.ts";

const openModels = "\u001b2";
const openServer = "\u001b3";

let hub: LoopbackHub;
let home: string;
beforeAll(async () => {
  home = mkdtempSync(path.join(tmpdir(), "modelctl-models-"));
  hub = await startLoopbackHub({
    repositories: { "maker/Tiny-GGUF": { files: { "tiny-Q4_K_M.gguf": numberedTiny(5) } } },
  });
});
afterAll(async () => {
  await hub.close();
  rmSync(home, { recursive: true, force: true });
});

it("pulls, loads, copies and deletes models, and chats with one of them", async () => {
  const terminal = await openTerminal(["run", "tiny"], {
    home,
    columns: 120,
    environment: { HF_ENDPOINT: hub.url },
  });
  try {
    await terminal.shows("Send a message");
    await terminal.takesKeys();
    terminal.type(openModels);
    await terminal.shows("> tiny");
    terminal.type("p");
    await terminal.shows("Pull (owner/name:quant)");
    terminal.type("maker/Tiny GGUF\r");
    await terminal.shows("Model names cannot contain spaces.");
    await terminal.shows("> maker/Tiny GGUF");
    terminal.type("\u0015maker/Tiny-GGUF");
    await terminal.shows("> maker/Tiny-GGUF");
    terminal.type("\r");
    await terminal.shows("Downloaded hf.co/maker/Tiny-GGUF");
    terminal.type("l");
    await terminal.shows("loaded 2");
    terminal.type("c");
    await terminal.shows("Copy hf.co/maker/Tiny-GGUF to");
    terminal.type("\r");
    await terminal.shows("Copied hf.co/maker/Tiny-GGUF to Tiny-GGUF-copy");
    // A used name needs confirmation; memory is in GiB, files are in GB.
    terminal.type("c");
    await terminal.shows("Copy Tiny-GGUF-copy to");
    terminal.type("\u0015hf.co/maker/Tiny-GGUF\r");
    await terminal.shows("Replace hf.co/maker/Tiny-GGUF?");
    terminal.type("n");
    await terminal.showsNot("Replace hf.co");
    await terminal.shows("Deleting it frees 0 B; 1.9 MB");
    expect(terminal.text()).toMatch(/of [\d.]+ GiB free/);
    terminal.type("d");
    await terminal.shows("Delete Tiny-GGUF-copy? Deleting it frees 0 B");
    terminal.type("y");
    await terminal.shows("Deleted Tiny-GGUF-copy");
    expect(terminal.text()).toContain("> maker/Tiny-GGUF");
    terminal.type("\r");
    await terminal.shows("Switched to hf.co/maker/Tiny-GGUF");
    await terminal.send("What is 2 + 3?");
    await terminal.shows("2 + 3 = 5");
    // The confirmation of a deletion is not logged as a deletion, and neither is shown by default.
    terminal.type(openServer);
    await terminal.shows("/api/chat");
    expect(terminal.text()).not.toContain("DELETE");
    terminal.type("a");
    await terminal.shows("✓ dry run");
  } finally {
    await terminal.close();
  }
});
