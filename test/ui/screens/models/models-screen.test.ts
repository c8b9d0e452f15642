// Tests the Models screen in an in-memory terminal, with a real server and a local hub.
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { ApiClient } from "../../../../source/client/api-client.ts";
import { tinyFile } from "../../../support/command-line.ts";
import { type LoopbackHub, startLoopbackHub } from "../../../support/loopback-hub.ts";
import { writeOllamaModel } from "../../../support/model-store.ts";
import { StoreServer } from "../../../support/store-server.ts";
import { numberedTiny } from "../../../support/tiny-variants.ts";
import { until } from "../../../support/until.ts";
import { openChat } from "../../support/open-chat.ts";
import { keys, type SizedTerminal } from "../../support/sized-terminal.ts";

const openModels = "\u001b2";
const slowBytes = 3_000_000;

let hub: LoopbackHub;
let store: StoreServer;

beforeAll(async () => {
  hub = await startLoopbackHub({
    repositories: {
      "maker/Tiny-GGUF": {
        files: { "tiny-Q4_K_M.gguf": numberedTiny(2), "tiny-Q8_0.gguf": numberedTiny(3) },
        facts: { downloads: 12_345, gguf: { total: 954_000, architecture: "llama" } },
      },
      "maker/Slow-GGUF": { files: { "slow-Q8_0.gguf": { generatedBytes: slowBytes } } },
      "maker/Gated": {
        files: { "g-Q8_0.gguf": numberedTiny(4) },
        access: "gated",
        readers: ["hf_reader"],
      },
    },
  });
  store = await StoreServer.start({ hub_endpoint: hub.url });
});
afterAll(async () => {
  await store.close();
  await hub.close();
});
afterEach(async () => {
  hub.setFaults(undefined);
  for (const name of await store.names()) {
    if (name !== "tiny:latest") await store.client.delete({ model: name });
  }
});

interface OpenOptions {
  url?: () => string;
  environment?: Record<string, string>;
  columns?: number;
}

async function openScreen(options: OpenOptions = {}): Promise<SizedTerminal> {
  const { url = () => store.server.url, environment = {}, columns = 120 } = options;
  const { screen } = await openChat({
    columns,
    rows: 30,
    environment: { LANG: "en_GB.UTF-8", ...environment },
    server: {
      client: () => new ApiClient({ url: url(), ownerToken: store.server.hosted.ownerToken }),
      readFilter: () => () => true,
    },
  });
  screen.type(openModels);
  await screen.until("[2 Models]");
  return screen;
}

/** Types one key at a time, since several bytes at once may be a paste. */
async function press(screen: SizedTerminal, key: string, shows: string | RegExp): Promise<void> {
  screen.type(key);
  await screen.until(shows);
}

async function pull(screen: SizedTerminal, name: string, shows: string | RegExp): Promise<void> {
  await press(screen, "p", "Pull (owner/name:quant)");
  await press(screen, name, `> ${name}`);
  await press(screen, keys.enter, shows);
}

/** A busy machine loads a model slowly. */
async function pressLoad(screen: SizedTerminal, name: string): Promise<void> {
  screen.type("l");
  await until(
    () => store.server.loaded(),
    (list) => list.some((loaded) => loaded.name === name && loaded.state === "idle"),
  );
}

const stop = async (screen: SizedTerminal) => await press(screen, keys.escape, /FIT:/);

describe("the local list", () => {
  test("shows size, fit and card, and follows the chosen window", async () => {
    const screen = await openScreen();
    await screen.until(/> tiny +1\.9 MB F16 +4096 +\S+ CPU/);
    await screen.until("Memory estimate at 4096 context");
    await press(screen, "-", "Memory estimate at 2048 context");
    await press(screen, "t", "[q8_0]");
    await pressLoad(screen, "tiny:latest");
    await screen.until("● loaded");
    const { json } = await store.server.send("/api/ps");
    expect(json).toMatchObject({
      models: [{ context_length: 2048, load_options: { kv_cache_type: "q8_0" } }],
    });
    await press(screen, "=", "[4096 auto]");
    await screen.until("[f16 auto]");
    await press(screen, "l", /> tiny.*CPU +│/);
  });

  test("is filtered by letters that are apart; Esc clears", async () => {
    await store.client.copy({ source: "tiny", destination: "qwen-like:8b" });
    const screen = await openScreen();
    await screen.until("qwen-like:8b");
    screen.type("/");
    await screen.until("filter:");
    screen.type("q8");
    await screen.until("1 of 1");
    expect(screen.text).not.toMatch(/^. *tiny +1\.9 MB/m);
    screen.type("zz");
    await screen.until("No matches for 'q8zz'. Press Esc to clear.");
    await press(screen, keys.escape, "of 2");
  });

  test("is sorted with s", async () => {
    await store.client.copy({ source: "tiny", destination: "another" });
    const screen = await openScreen();
    await screen.until(/> another/);
    await press(screen, "s", "by name");
    await press(screen, "s", "by size");
  });
});

describe("the hub", () => {
  test("is searched while typing, and a quantization is chosen and pulled", async () => {
    const screen = await openScreen();
    await press(screen, "]", "maker/Tiny-GGUF");
    screen.type("/");
    await screen.until("search:");
    screen.type("tiny");
    await screen.until(/hub 1[,)]/);
    await screen.until(/954K +12k/);
    await press(screen, keys.enter, "v quantizations");
    await press(screen, keys.enter, "Quantizations of hf.co/maker/Tiny-GGUF");
    await screen.until(/Q4_K_M +1\.9 MB, default/);
    screen.type("Q8");
    await screen.until("1 of 1");
    await press(screen, keys.enter, "Downloaded hf.co/maker/Tiny-GGUF:Q8_0");
    expect(await store.names()).toContain("hf.co/maker/Tiny-GGUF:Q8_0");
    await screen.until("installed");
  });

  test("that is unreachable does not affect the local list", async () => {
    const alone = await StoreServer.start({ hub_endpoint: "http://127.0.0.1:9" });
    try {
      const screen = await openScreen({ url: () => alone.server.url });
      await press(screen, "]", /✗ The connection to 127\.0\.0\.1:9 failed/);
      await screen.until("r retry");
      await press(screen, "[", /> tiny +1\.9 MB/);
      expect(screen.text).not.toContain("failed");
    } finally {
      await alone.close();
    }
  });

  test("asks to accept a model's terms, and the download can be retried", async () => {
    const screen = await openScreen();
    await pull(screen, "maker/Gated", "✗ failed");
    await screen.until("is gated: accept its terms");
    await screen.until("HF_TOKEN");
    await press(screen, "x", "the partial file is kept");
  });
});

describe("a download", () => {
  const pause = " ";

  test("shows progress, is paused and resumed, and can be cancelled", async () => {
    hub.setFaults(({ server }) => (server === "storage" ? { bytesPerSecond: 400_000 } : undefined));
    const screen = await openScreen();
    await pull(screen, "maker/Slow-GGUF:Q8_0", /↓ \d+%/);
    await screen.until(/kB\/s · \d+ s left · sha256 pending/);
    await press(screen, pause, /paused \d+%/);
    const before = Number(/paused (\d+)%/.exec(screen.text)?.[1]);
    await press(screen, pause, /↓ \d+%/);
    expect(Number(/↓ (\d+)%/.exec(screen.text)?.[1])).toBeGreaterThanOrEqual(before);
    await press(screen, "x", "the partial file is kept");
    await stop(screen);
    expect(screen.text).not.toContain("Downloads");
    // Fetched data is kept for the next time.
    expect(store.blobs().some((name) => name.includes("partial"))).toBe(true);
  });
});

test("started by /pull in the chat is shown on the screen", async () => {
  const screen = await openScreen();
  await press(screen, "\u001b1", "[1 Chat]");
  screen.type("/pull maker/Tiny-GGUF");
  await screen.until("> /pull maker/Tiny-GGUF");
  await press(screen, keys.enter, "Download started; Alt+2 shows progress");
  await press(screen, openModels, "Tiny-GGUF");
  await screen.until(/> \S*Tiny-GGUF +1\.9 MB F16/);
});

test("a downloaded file with the wrong hash is deleted, and r fetches it again", async () => {
  hub.setFaults(({ server }) => (server === "storage" ? { garble: true } : undefined));
  const screen = await openScreen();
  await pull(screen, "maker/Tiny-GGUF:Q8_0", "✗ failed");
  await screen.until("deleted");
  hub.setFaults(undefined);
  await press(screen, "r", "Downloaded hf.co/maker/Tiny-GGUF:Q8_0");
});

describe("changes", () => {
  test("copy, rename, load, unload and delete act on the selected model", async () => {
    const screen = await openScreen();
    await screen.until(/> tiny/);
    await press(screen, "c", "Copy tiny to");
    await press(screen, keys.enter, "Copied tiny to tiny-copy");
    await press(screen, "n", "Rename tiny-copy to");
    screen.type(`${keys.end}2`);
    await screen.until("> tiny-copy2");
    await press(screen, keys.enter, "Renamed tiny-copy to tiny-copy2");
    expect(await store.names()).toEqual(["tiny-copy2:latest", "tiny:latest"]);
    await pressLoad(screen, "tiny-copy2:latest");
    await screen.until(/> tiny-copy2.*● loaded/);
    await press(screen, "l", /> tiny-copy2.*CPU +│/);
    await press(screen, "d", "Delete tiny-copy2? Deleting it frees 1.9 MB");
    // The default is No.
    await press(screen, keys.enter, "Enter chat");
    expect(await store.names()).toContain("tiny-copy2:latest");
    await press(screen, "d", "Delete tiny-copy2? Deleting it frees");
    await press(screen, "y", "Deleted tiny-copy2");
    expect(await store.names()).toEqual(["tiny:latest"]);
    await screen.until(/> tiny/);
  });

  test("d refuses to delete built-in and Ollama's models and says why", async () => {
    const folder = path.join(store.folder, "ollama");
    const weights = readFileSync(tinyFile);
    writeOllamaModel(folder, "theirs", [{ kind: "model", content: weights }]);
    vi.stubEnv("OLLAMA_MODELS", folder);
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const both = await StoreServer.start();
    onTestFinished(async () => await both.close());
    const screen = await openScreen({ url: () => both.server.url });
    await screen.until(/> theirs/);
    expect(screen.text).not.toContain("d delete");
    const theirs = "theirs is in Ollama's store, read-only here; run ollama rm";
    const ours = "tiny is built in and read-only";
    await press(screen, "n", theirs);
    await press(screen, keys.down, /> tiny/);
    await press(screen, "d", ours);
    await press(screen, keys.up, /> theirs/);
    await press(screen, "d", theirs);
    expect(await both.names()).toEqual(["theirs:latest", "tiny:latest"]);
  });

  test("a Modelfile is edited, and a mistake loses nothing", async () => {
    const editor = path.join(store.folder, "editor.sh");
    const seen = path.join(store.folder, "seen.txt");
    // Makes a mistake the first time, and corrects it the second time.
    writeFileSync(
      editor,
      `#!/bin/sh\nif grep -q hot "$1"; then cp "$1" ${seen}; sed -i s/hot/0.5/ "$1"; ` +
        'else echo "PARAMETER temperature hot" >> "$1"; fi\n',
    );
    chmodSync(editor, 0o755);
    const screen = await openScreen({ environment: { EDITOR: editor } });
    await screen.until(/> tiny/);
    await press(screen, "e", "Create model as");
    await press(screen, keys.enter, /line \d+.*press e to edit again/is);
    await press(screen, "e", "Create model as");
    expect(existsSync(seen)).toBe(true);
    await press(screen, keys.enter, "Created tiny-custom");
    const { parameters } = await store.client.show({ model: "tiny-custom" });
    expect(parameters).toContain("0.5");
  });
});

test("a server that stops and returns leaves the list visible", async () => {
  const first = await StoreServer.start();
  let url = first.server.url;
  const screen = await openScreen({ url: () => url });
  await screen.until(/> tiny +1\.9 MB/);
  await first.close();
  screen.type("r");
  await screen.until("✗ No server answers at");
  expect(screen.text).toMatch(/> tiny +1\.9 MB/);
  url = store.server.url;
  screen.type("r");
  await screen.until((shown) => !shown.text.includes("No server answers"));
  expect(screen.text).toMatch(/> tiny +1\.9 MB/);
});

test("in a narrow window Tab opens the card", async () => {
  const screen = await openScreen({ columns: 80 });
  await screen.until("Tab card");
  expect(screen.text).not.toContain("Memory estimate");
  await press(screen, keys.tab, "Memory estimate");
  await press(screen, keys.escape, "FIT:");
});

test("the card scrolls from its first row to its last", async () => {
  const screen = await openScreen();
  screen.resize(120, 20);
  await screen.until(/╰─+ \d+ more below ─╯$/m);
  await press(screen, keys.tab, "Tab list");
  await press(screen, keys.end, "Store built-in");
  expect(screen.text).not.toContain("more below");
  screen.type(keys.down);
  await press(screen, keys.up, "1 more below");
  await press(screen, keys.home, "A test model of one million");
});

test("a screen reader gets the models in words", async () => {
  const { screen } = await openChat({
    isScreenReader: true,
    server: {
      client: () => new ApiClient({ url: store.server.url }),
      readFilter: () => () => true,
    },
  });
  screen.type(openModels);
  await screen.until("Screen: Models");
  await screen.until("tiny, 1.9 MB, F16, context 4096, fits on the CPU");
  await screen.until("Selected: tiny");
});
