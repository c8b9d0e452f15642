// Tests that keys and text reach the right command, screen or overlay, and that questions get answers.
// Draws a frame without a terminal around scripted screens.

import { beforeEach, describe, expect, test } from "vitest";
import { textWidth } from "../../../source/base/graphemes.ts";
import type { Frame, FrameOptions } from "../../../source/ui/frame/frame.ts";
import { until } from "../../support/until.ts";
import { FakeScreen, sampleFrame } from "../support/fake-screen.tsx";
import { frameLines } from "../support/render.tsx";

let size = { columns: 80, rows: 24 };
let nowMs = 0;
let left: string[] = [];
let chat: FakeScreen;
let server: FakeScreen;
let frame: Frame;

function createFrame(more: Partial<FrameOptions> = {}): Frame {
  return sampleFrame({
    clock: { now: () => nowMs, wallMs: () => nowMs },
    terminal: {
      erase: () => left.push("erased"),
      copy: async (text) => `Copied ${text}`,
      edit: async (text) => {
        if (text === "refused") throw new Error("'vi' exited with 1; text unchanged");
        return `${text}!`;
      },
      page: async () => {},
      run: async ({ words }) => {
        left.push(words.join(" "));
        return words.includes("pi") ? 3 : 0;
      },
    },
    size: () => size,
    status: () => "● here",
    onLeave: (reason) => left.push(reason),
    ...more,
  });
}

beforeEach(() => {
  size = { columns: 80, rows: 24 };
  nowMs = 0;
  left = [];
  chat = new FakeScreen("chat", "Chat");
  server = new FakeScreen("server", "Server");
  frame = createFrame();
  frame.start([chat, server]);
});

function lines(): string[] {
  return frameLines(frame);
}

/** Waits until the frame shows a text. */
async function shows(text: string): Promise<void> {
  await until(
    () => lines().join("\n"),
    (shown) => shown.includes(text),
  );
}

/** Waits until a screen got an event. */
async function happens({ events }: FakeScreen, event: string): Promise<void> {
  await until(
    () => events,
    () => events.includes(event),
  );
}

function press(...names: string[]): void {
  for (const name of names) frame.press({ kind: "key", name });
}

function type(text: string): void {
  frame.press({ kind: "text", text });
}

describe("launching an agent", () => {
  const agents = () => ({
    choices: () => [{ value: "codex", title: "Codex" }],
    launching: (name: string) => ({ words: ["launch", name] }),
  });

  test("runs the chosen one in the terminal, and says how it failed", async () => {
    frame = createFrame({ agents });
    frame.start([chat, server]);
    expect(frame.runSlash("/launch codex")).toBe(true);
    await until(
      () => left,
      (seen) => seen.includes("launch codex"),
    );
    expect(frame.notice).toBeUndefined();
    frame.runSlash("/launch pi");
    await until(
      () => frame.notice,
      (notice) => notice === "pi exited with 3",
    );
  });

  test("says that it needs a model", async () => {
    frame.runSlash("/launch codex");
    await until(
      () => frame.notice,
      (notice) => notice === "No local model to launch an agent on",
    );
  });
});

describe("the window", () => {
  test("has tabs, the screen, its status and the available keys", () => {
    chat.more = [
      chat.command("send", ["Enter"]),
      chat.command("never", ["x"], { isValid: () => false }),
    ];
    chat.statusText = "61 tok/s";
    const shown = lines();
    expect(shown).toHaveLength(24);
    expect(shown[0]).toMatch(/^ modelctl {2}\[1 Chat\] {2}3 Server +61 tok\/s {2}● here$/);
    expect(shown[1]).toBe("first line");
    expect(shown[23]).toBe(" Enter send  Ctrl+P palette  ? help");
  });

  test("is filled exactly at every size, and shows a notice if it is too small", () => {
    for (const columns of [60, 61, 100, 250]) {
      for (const rows of [16, 40, 80]) {
        size = { columns, rows };
        chat.lines = Array.from({ length: 100 }, (_, row) => `row ${row}`);
        const shown = lines();
        expect(shown).toHaveLength(rows);
        expect(Math.max(...shown.map(textWidth))).toBeLessThanOrEqual(columns);
        expect(shown[rows - 2]).toBe(`row ${rows - 3}`);
      }
    }
    size = { columns: 59, rows: 16 };
    expect(lines().join("\n")).toMatch(/Too small: 59x16\s+needs 60x16\s+● here/);
  });

  test("that is small shows a screen that allows it, without tabs, and leads to it", () => {
    chat.smallestWindow = { columns: 24, rows: 7 };
    chat.lines = Array.from({ length: 100 }, (_, row) => `row ${row}`);
    for (const [columns, rows] of [
      [40, 10],
      [24, 7],
      [200, 7],
      [24, 50],
    ] as const) {
      size = { columns, rows };
      const shown = lines();
      expect(shown).toHaveLength(rows);
      expect(Math.max(...shown.map(textWidth))).toBeLessThanOrEqual(columns);
      expect(shown[0]).toBe("row 0");
      expect(shown[rows - 2]).toBe(`row ${rows - 2}`);
      expect(shown[rows - 1]).toContain("Ctrl+P palette");
    }
    size = { columns: 40, rows: 10 };
    press("Alt+3");
    expect(lines().join("\n")).toMatch(/Too small: 40x10\s+needs 60x16\s+Alt\+1: Chat/);
    press("Alt+1");
    expect(lines()[0]).toBe("row 0");
    chat.isField = true;
    type("typed");
    expect(chat.events).toContain("typed typed");
    size = { columns: 23, rows: 7 };
    expect(lines().join("\n")).toMatch(/Too small: 23x7\s+needs 24x7\s+● here/);
  });

  test("keeps the most important part of the status", () => {
    size = { columns: 60, rows: 16 };
    chat.statusText = "a very long sentence about what is going on";
    expect(lines()[0]).toMatch(/● here$/);
    expect(lines()[0]).not.toContain("very long");
  });
});

describe("keys", () => {
  test("open screens: digits while nothing is typed, Alt and a digit always", () => {
    type("3");
    expect(frame.current).toBe(server);
    expect(chat.events).toEqual(["activated", "deactivated"]);
    expect(server.events).toEqual(["activated"]);
    server.isField = true;
    type("1");
    expect(server.events).toContain("typed 1");
    press("Alt+1");
    expect(frame.current).toBe(chat);
  });

  test("run the first available command; the frame's keys cannot be overridden", () => {
    let isBusy = true;
    chat.more = [
      chat.command("stop", ["Esc"], { isValid: () => isBusy }),
      chat.command("back", ["Esc"]),
      chat.command("steal", ["Ctrl+P", "Ctrl+L"]),
      chat.command("leaveMine", ["Ctrl+D"]),
    ];
    press("Esc");
    isBusy = false;
    press("Esc", "Ctrl+L", "Ctrl+D");
    expect(chat.events).toEqual(["activated", "stop", "back", "leaveMine"]);
    expect(left).toEqual(["erased"]);
    press("Ctrl+P");
    expect(frame.overlay).toBeDefined();
  });

  test("in one chunk are handled one by one, and as text once a field is open", () => {
    server.more = [
      server.command("down", ["j"]),
      server.command("filter", ["/"], {
        run: () => {
          server.isField = true;
          return undefined;
        },
      }),
      server.command("pause", ["Space"]),
    ];
    type("3");
    type("jj /4xx");
    expect(server.events).toEqual(["activated", "down", "down", "pause", "typed 4xx"]);
  });

  test("in a window that is too small only run commands that need no view", () => {
    chat.more = [chat.command("stop", ["Esc"]), chat.command("send", ["Enter"])];
    chat.isField = true;
    size = { columns: 40, rows: 10 };
    press("Enter");
    type("lost");
    frame.paste("lost");
    press("Esc");
    expect(chat.events).toEqual(["activated", "stop"]);
  });

  test("quit: Ctrl+D, or Ctrl+C twice within two seconds", () => {
    press("Ctrl+C");
    expect(lines()[23]).toContain("Press Ctrl+C again to quit");
    nowMs = 2500;
    press("Ctrl+C");
    expect(left).toEqual([]);
    nowMs = 3000;
    press("Ctrl+C");
    expect(left).toEqual(["interrupted"]);
    press("Ctrl+D");
    expect(left).toEqual(["interrupted", "bye"]);
  });
});

describe("a question with several lines", () => {
  test("is edited in place: Ctrl+J breaks a line, arrows move, Enter confirms", async () => {
    const answer = frame.write("System prompt", "Be brief.");
    press("Ctrl+J");
    type("Be kind.");
    press("Up", "Home");
    type("1. ");
    press("Down", "Home");
    type("2. ");
    press("Enter");
    expect(await answer).toBe("1. Be brief.\n2. Be kind.");
  });

  test("stays open when the editor fails", async () => {
    const answer = frame.write("System prompt", "refused");
    press("Ctrl+G");
    await shows("'vi' exited with 1; text unchanged");
    press("Enter");
    expect(await answer).toBe("refused");
  });

  test("can be answered in the editor, or cancelled with Esc", async () => {
    const answer = frame.write("System prompt", "Be brief.");
    press("Ctrl+G");
    await shows("> Be brief.!");
    press("Enter");
    expect(await answer).toBe("Be brief.!");
    const none = frame.write("System prompt", "Be brief.");
    press("Esc");
    expect(await none).toBeUndefined();
  });
});

describe("before the screens are loaded", () => {
  beforeEach(() => {
    frame = createFrame();
    chat = new FakeScreen("chat", "Chat");
    chat.isField = true;
  });

  test("the frame is drawn, and typed keys reach the first screen in order", () => {
    expect(lines()[0]).toContain("modelctl   1 Chat");
    expect(lines()[2]).toBe(" ◐ starting");
    chat.more = [chat.command("send", ["Enter"])];
    type("hello");
    frame.paste("a paste");
    press("Enter");
    frame.start([chat, server]);
    expect(chat.events).toEqual(["activated", "typed hello", "pasted a paste", "send"]);
    expect(lines()[0]).toContain("[1 Chat]");
  });

  test("the program can be quit", () => {
    press("Ctrl+C");
    expect(lines()[23]).toContain("Press Ctrl+C again to quit");
    press("Ctrl+C");
    press("Ctrl+D");
    expect(left).toEqual(["interrupted", "bye"]);
    frame.start([chat]);
    expect(chat.events).toEqual(["activated"]);
  });
});

describe("a failed command", () => {
  test("is reported in place of the hints until the next key", async () => {
    chat.more = [
      chat.command("refuse", ["r"], { run: () => "It cannot be done now" }),
      chat.command("fail", ["f"], {
        run: async () => {
          throw new Error("It broke");
        },
      }),
    ];
    type("r");
    expect(lines()[23]).toBe(" It cannot be done now");
    type("f");
    await shows("\n It broke");
    press("Right");
    expect(lines()[23]).toContain("Ctrl+P palette");
  });

  test("is reported in full over the last rows of the screen", () => {
    frame.notify("a long sentence ".repeat(9).trim());
    expect(lines().slice(22).join(" ").replaceAll(/\s+/g, " ").trim()).toBe(
      "a long sentence ".repeat(9).trim(),
    );
    expect(lines()).toHaveLength(24);
  });
});

describe("the palette", () => {
  beforeEach(() => {
    chat.more = [
      chat.command("clear", [], { title: "Forget the messages", slash: ["/clear"] }),
      chat.command("system", [], {
        title: "Set the system prompt",
        slash: ["/set system"],
        slashArguments: "TEXT",
      }),
      chat.command("left", ["Left"], { title: "Character left", group: "Editing" }),
      chat.command("dead", ["d"], { title: "Not now", isValid: () => false }),
    ];
  });

  test("finds a command by some of its letters and runs it", async () => {
    press("Ctrl+P");
    expect(lines().join("\n")).toContain("Forget the messages");
    expect(lines().join("\n")).not.toMatch(/Character left|Not now/);
    type("frgt");
    expect(lines().filter((line) => line.includes(">"))[1]).toMatch(/> Forget.*\/clear/);
    press("Enter");
    await happens(chat, "clear");
    expect(frame.overlay).toBeUndefined();
  });

  test("lists every match", () => {
    chat.more = Array.from({ length: 30 }, (_, at) => chat.command(`thing${at}`, []));
    press("Ctrl+P");
    type("thing");
    expect(lines().join("\n")).toContain("1 of 30");
  });

  test("lists the commands of all screens and opens the screen of the chosen one", async () => {
    let isReady = false;
    server.more = [server.command("drop", ["x"], { title: "Drop it", isValid: () => isReady })];
    press("Ctrl+P");
    type("drop it");
    expect(lines().join("\n")).toMatch(/> Drop it .*Server: x/);
    press("Enter");
    await shows("\n Not available now: Drop it");
    expect(frame.current).toBe(server);
    press("Alt+1");
    isReady = true;
    press("Ctrl+P");
    type("drop it");
    press("Enter");
    await happens(server, "drop");
  });

  test.each([
    ["quit", "Quit"],
    ["leave", "Quit"],
    ["help", "Help: keys and commands of this screen"],
    ["clear", "Forget the messages"],
  ])("ranks matches in the name first: %j is %j", (typed, title) => {
    chat.more = [
      ...chat.more,
      chat.command("quiet", [], { title: "Show no counts", slash: ["/set quiet"] }),
    ];
    press("Ctrl+P");
    type(typed);
    expect(lines()[4]).toContain(`> ${title} `);
  });

  test("shows at most twelve rows of commands, in groups", () => {
    chat.more = Array.from({ length: 30 }, (_, at) => chat.command(`thing${at}`, []));
    press("Ctrl+P");
    const shown = lines();
    expect(shown.findIndex((line) => line.includes("╰"))).toBe(1 + 1 + 2 + 12);
    expect(shown[4]).toContain("Things");
  });

  test("asks for the arguments of a command", async () => {
    press("Ctrl+P");
    type("system prompt");
    press("Enter");
    await shows("/set system TEXT");
    type("Be brief.");
    press("Enter");
    await happens(chat, "system:Be brief.");
  });

  test.each(["set system Be brief.", "/set system Be brief.", "set system   Be brief. "])(
    "runs a typed line with its arguments: %j",
    async (line) => {
      type(":");
      type(line);
      expect(lines().join("\n")).toMatch(/> \/set system +Be brief\. .*Set the system prompt/);
      press("Enter");
      await happens(chat, "system:Be brief.");
    },
  );

  test("runs typed lines of other screens, and refuses unavailable commands", async () => {
    server.more = [
      server.command("pull", ["p"], { slash: ["/pull"], slashArguments: "NAME" }),
      server.command("scale", ["s"], { slash: ["/scale"], isValid: () => false }),
    ];
    type(":");
    type("scale 1..6");
    press("Enter");
    expect(frame.overlay).toBeDefined();
    press("Ctrl+U");
    type("pull qwen3:0.6b");
    press("Enter");
    await happens(server, "pull:qwen3:0.6b");
    expect(server.events.filter((event) => event.startsWith("scale"))).toEqual([]);
    // The result is shown there.
    expect(frame.current).toBe(server);
  });

  test("the command line takes an alias, the beginning of a name, and a completed name", async () => {
    server.more = [
      server.command("models.pull", ["p"], { slash: ["/pull"], slashArguments: "NAME" }),
    ];
    type(":");
    expect(lines().join("\n")).toMatch(/Command line[\s\S]*bye +.*, q\b/);
    type("q");
    press("Enter");
    await until(
      () => left,
      (reasons) => reasons.includes("bye"),
    );
    type(":");
    type("ser");
    press("Enter");
    await shows("[3 Server]");
    type(":");
    type("pul");
    press("Tab");
    type("qwen3");
    press("Enter");
    await happens(server, "models.pull:qwen3");
  });

  test("completes a command's name with Tab, for its arguments", async () => {
    press("Ctrl+P");
    type("system prompt");
    expect(lines().at(-1)).toContain("Tab complete");
    press("Tab");
    type("Be brief.");
    press("Enter");
    await happens(chat, "system:Be brief.");
  });

  test("closes with Esc, and says when nothing matches", () => {
    press("Ctrl+P");
    type("zzzz");
    expect(lines().join("\n")).toContain("No matches");
    press("Enter");
    expect(frame.overlay).toBeDefined();
    press("Esc");
    expect(frame.overlay).toBeUndefined();
    expect(chat.events).toEqual(["activated"]);
  });

  test("the help lists all commands in groups and runs only available ones", () => {
    type("?");
    const text = lines().join("\n");
    for (const title of ["Things", "Not now", "Everywhere", "Editing", "Character left"]) {
      expect(text).toContain(title);
    }
    type("Not now");
    press("Enter");
    expect(frame.overlay).toBeDefined();
    expect(chat.events).toEqual(["activated"]);
  });
});

describe("questions", () => {
  test("for a line return the typed text, or nothing after Esc", async () => {
    const answered = frame.ask("Name?", "old");
    expect(lines()[22]).toMatch(/^╰/);
    expect(lines().slice(19, 22).join("\n")).toMatch(/Name\?[\s\S]*> old/);
    press("End", "Backspace");
    type("e");
    press("Enter");
    await expect(answered).resolves.toBe("ole");
    const dropped = frame.ask("Name?");
    press("Esc");
    await expect(dropped).resolves.toBeUndefined();
  });

  test("are answered by typing over a suggestion", async () => {
    const answered = frame.ask("Name?", "old");
    type("new");
    press("Enter");
    await expect(answered).resolves.toBe("new");
    const cleared = frame.ask("Name?", "old");
    press("Backspace", "Enter");
    await expect(cleared).resolves.toBe("");
  });

  test("keep an invalid answer and say why", async () => {
    const check = (text: string) => (text === "good" ? undefined : `'${text}' is no good`);
    const answered = frame.ask("Name?", "", check);
    type("goo");
    press("Enter");
    expect(lines().join("\n")).toMatch(/Name\?[\s\S]*'goo' is no good[\s\S]*> goo/);
    type("d");
    expect(lines().join("\n")).not.toContain("no good");
    press("Enter");
    await expect(answered).resolves.toBe("good");
  });

  test.each([
    [["y"], true],
    [["n"], false],
    [["Enter"], false],
    [["Tab", "Enter"], true],
    [["Tab", "Left", "Enter"], false],
    [["Esc"], false],
  ])("for a yes: %j is %s", async (keys, expected) => {
    const answered = frame.confirm("Delete tiny? 2 GB return.");
    for (const key of keys) key.length === 1 ? type(key) : press(key);
    await expect(answered).resolves.toBe(expected);
  });

  test("for a yes take the first of several letters, and leave the screen no other", async () => {
    chat.more = [chat.command("edit", ["e"])];
    const answered = frame.confirm("Delete tiny?");
    type("yes");
    await expect(answered).resolves.toBe(true);
    expect(chat.events).toEqual(["activated"]);
  });

  test("for a yes accept none before the consequences are shown", async () => {
    const effect = Promise.withResolvers<string>();
    const answered = frame.confirm("Delete tiny?", effect.promise);
    expect(lines().join("\n")).toContain("Delete tiny?");
    expect(lines().join("\n")).not.toContain("Yes");
    press("Enter", "Tab", "Enter");
    type("y");
    expect(frame.overlay).toBeDefined();
    effect.resolve("2 GB return.");
    await effect.promise;
    expect(lines().join("\n")).toContain("Delete tiny? 2 GB return.");
    // The earlier press chose nothing.
    expect(lines().join("\n")).toContain("[ No ]");
    type("y");
    await expect(answered).resolves.toBe(true);
  });

  test("for a yes can be cancelled while the consequences load, and end with their error", async () => {
    const left = frame.confirm("Delete tiny?", new Promise(() => {}));
    press("Esc");
    await expect(left).resolves.toBe(false);
    const failing = frame.confirm("Delete tiny?", Promise.reject(new Error("The server is gone")));
    await expect(failing).rejects.toThrow("The server is gone");
    expect(frame.overlay).toBeUndefined();
  });

  test("with a list return the chosen value", async () => {
    const answered = frame.choose("Model", [
      { value: "a", title: "Alpha", note: "1 GB" },
      { value: "b", title: "Beta" },
    ]);
    press("Down", "Enter");
    await expect(answered).resolves.toBe("b");
  });

  test("end without an answer when the program quits", async () => {
    const answers = Promise.all([frame.ask("Name?"), frame.confirm("Sure?")]);
    frame.close();
    await expect(answers).resolves.toEqual([undefined, false]);
  });

  test("receive pastes", async () => {
    const answered = frame.ask("Name?");
    frame.paste("two\nlines");
    press("Enter");
    await expect(answered).resolves.toBe("two lines");
    expect(chat.events).toEqual(["activated"]);
  });
});

test("only the visible screen is painted, others once they are opened", () => {
  let pictures = 0;
  frame.subscribe(() => {
    pictures += 1;
  });
  server.changed();
  expect(pictures).toBe(0);
  chat.changed();
  expect(pictures).toBe(1);
  server.lines = ["news"];
  type("3");
  expect(lines()[1]).toBe("news");
  server.changed();
  expect(pictures).toBeGreaterThan(2);
});

describe("typed lines", () => {
  test("reach the commands of the frame and of other screens", async () => {
    server.more = [server.command("filter", ["/"], { slash: ["/filter"], slashArguments: "TEXT" })];
    expect(frame.runSlash("/filter status:4xx model")).toBe(true);
    expect(server.events).toEqual(["filter:status:4xx model"]);
    expect(frame.runSlash("/server")).toBe(true);
    expect(frame.current).toBe(server);
    expect(frame.runSlash("/nonsense")).toBe(false);
    expect(frame.slashNames().map(({ name }) => name)).toEqual(
      expect.arrayContaining(["/filter", "/server", "/theme"]),
    );
    expect(frame.runSlash("/theme mono")).toBe(true);
    await until(
      () => frame.theme,
      (theme) => theme === "mono",
    );
    frame.runSlash("/theme purple");
    await until(
      () => frame.notice,
      (notice) => notice === "Unknown theme 'purple'. Themes: default, mono, high-contrast",
    );
  });
});
