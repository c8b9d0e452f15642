// Tests copying, retrying, editing and forking messages without losing text.
// Runs the whole screen in an in-memory terminal with a scripted model.
import { describe, expect, test } from "vitest";
import { ask, type OpenChat, openChat, say } from "../../support/open-chat.ts";
import { keys } from "../../support/sized-terminal.ts";

const code = "Look:\n```ts\nconst a = 1;\n```\nand\n```sh\nls -l\n```\n";

async function answered(answer: string, question = "What is it?"): Promise<OpenChat> {
  const chat = await openChat();
  await say(chat, question, answer);
  return chat;
}

/** The last text copied to the terminal's clipboard. */
function copied({ screen }: OpenChat): string | undefined {
  const texts = screen.bytes.split("\u001b]52;c;").slice(1);
  const base64 = /^[A-Za-z0-9+/=]*/.exec(texts.at(-1) ?? "")?.[0];
  return base64 === undefined ? undefined : Buffer.from(base64, "base64").toString("utf8");
}

describe("reading messages", () => {
  test("Tab selects them, k and j move, Esc returns, and typed text is kept", async () => {
    const chat = await answered("An answer.");
    await chat.screen.typeUntil(keys.tab, "▌An answer.");
    expect(chat.screen.text).toContain("y copy");
    await chat.screen.typeUntil("k", "▌What is it?");
    await chat.screen.typeUntil("jj", "Enter send");
    await chat.screen.typeUntil("my draft", "> my draft");
  });

  test("y copies a message, c its code blocks one after the other", async () => {
    const chat = await answered(code);
    await chat.screen.typeUntil(keys.tab, "y copy");
    await chat.screen.typeUntil("y", /[Cc]opied/);
    expect(copied(chat)).toBe(code);
    await chat.screen.typeUntil("c", "(block 1 of 2)");
    expect(copied(chat)).toBe("const a = 1;");
    await chat.screen.typeUntil("c", "(block 2 of 2)");
    expect(copied(chat)).toBe("ls -l");
  });

  test("c in a message without code copies the nearest code, or says that there is none", async () => {
    const chat = await answered("None.");
    await chat.screen.typeUntil(keys.tab, "y copy");
    await chat.screen.typeUntil("c", "No code in this chat.");
    await chat.screen.typeUntil(keys.escape, "Enter send");
    await say(chat, "And code?", code);
    await say(chat, "Thanks.", "Welcome.");
    await chat.screen.typeUntil(keys.tab, "y copy");
    await chat.screen.typeUntil("c", "(block 2 of 2, earlier message)");
    expect(copied(chat)).toBe("ls -l");
  });
});

describe("retrying", () => {
  test("replaces the answer and sends the question once", async () => {
    const chat = await answered("First try.");
    await chat.screen.typeUntil("/regenerate\r", () => chat.backend.answers.length === 2);
    expect(chat.backend.current.messages).toEqual([{ role: "user", content: "What is it?" }]);
    chat.backend.current.text("Second try.").done();
    await chat.screen.until("Second try.");
    expect(chat.screen.text).not.toContain("First try.");
  });

  test("that fails keeps the old answer and the field", async () => {
    const chat = await answered("First try.");
    await chat.screen.typeUntil(keys.tab, "r regenerate");
    await chat.screen.typeUntil("r", 'Regenerate? The answer to "What is it?" is lost.');
    await chat.screen.typeUntil("n", "r regenerate");
    expect(chat.backend.answers).toHaveLength(1);
    await chat.screen.typeUntil("ry", () => chat.backend.answers.length === 2);
    chat.backend.current.fail("Out of memory.");
    await chat.screen.until("✗ Out of memory.");
    expect(chat.screen.text).toContain("First try.");
    expect(chat.screen.text).toContain("> Send a message");
  });
});

describe("editing the last message", () => {
  test("with Esc Esc replaces it and its answer when it is sent, not before", async () => {
    const chat = await answered("Paris.", "Capital of Frnace?");
    await chat.screen.typeUntil(keys.escape, "Esc again");
    await chat.screen.typeUntil(keys.escape, "> Capital of Frnace?");
    expect(chat.screen.text).toContain("Paris.");
    expect(chat.screen.text).toContain("edit the last message");
    await chat.screen.typeUntil("!\r", () => chat.backend.answers.length === 2);
    expect(chat.backend.current.messages).toEqual([
      { role: "user", content: "Capital of Frnace?!" },
    ]);
    await chat.screen.until((screen) => !screen.text.includes("Paris."));
  });

  test.each([
    ["Ctrl+U", "\x15"],
    ["Ctrl+C", keys.ctrlC],
    ["Backspace", keys.backspace.repeat("Capital?".length)],
  ])(
    "ends when its text is cleared, as after %s: the next message replaces nothing",
    async (_, emptied) => {
      const chat = await answered("Paris.", "Capital?");
      await chat.screen.typeUntil("/edit\r", "edit the last message");
      await chat.screen.typeUntil(emptied, "> Send a message");
      expect(chat.screen.text).not.toContain("edit the last message");
      await ask(chat, "And of Italy?");
      expect(chat.backend.current.messages.map(({ content }) => content)).toEqual([
        "Capital?",
        "Paris.",
        "And of Italy?",
      ]);
    },
  );

  test("is cancelled with Esc, and a failure restores everything", async () => {
    const chat = await answered("Paris.", "Capital?");
    await chat.screen.typeUntil("/edit\r", "> Capital?");
    await chat.screen.typeUntil(keys.escape, "> Send a message");
    expect(chat.screen.text).toContain("Paris.");
    await chat.screen.typeUntil("/edit\r", "> Capital?");
    await chat.screen.typeUntil("!\r", () => chat.backend.answers.length === 2);
    chat.backend.current.fail("It broke.");
    await chat.screen.until("✗ It broke.");
    await chat.screen.until("message restored: Enter to try again");
    await chat.screen.until("> Capital?!");
    expect(chat.screen.text).toContain("Paris.");
  });
});

describe("besides answers", () => {
  test("thinking is shown folded and opened with t", async () => {
    const chat = await openChat();
    await ask(chat, "hard one");
    chat.backend.current.event({ type: "thinking", text: "Let me see. It is two." });
    await chat.screen.until("▸ thinking");
    chat.backend.current.text("Two.").done();
    await chat.screen.until(/▸ thought for \d\.\d s, 6 words/);
    expect(chat.screen.text).not.toContain("Let me see.");
    await chat.screen.until("Tab messages");
    await chat.screen.typeUntil(keys.tab, "Enter expand");
    await chat.screen.typeUntil("t", "▎ Let me see. It is two.");
    await chat.screen.typeUntil("t", (screen) => !screen.text.includes("Let me see."));
  });

  test("tool calls are shown", async () => {
    const chat = await openChat();
    await ask(chat, "weather?");
    chat.backend.current
      .event({ type: "tool-call", name: "get_weather", arguments: { city: "Paris" } })
      .done();
    await chat.screen.until("│ city: Paris");
    expect(chat.screen.text).not.toContain("(empty answer)");
    await ask(chat, "and?");
    expect(chat.backend.current.messages[1]).toMatchObject({
      role: "assistant",
      tool_calls: [{ function: { name: "get_weather", arguments: { city: "Paris" } } }],
    });
  });
});

describe("the model", () => {
  test("is switched in place, and an unknown one changes nothing", async () => {
    const chat = await answered("An answer.");
    await chat.screen.typeUntil("/model large\r", "Switched to large.");
    expect(chat.screen.lines[0]).toContain("large");
    await chat.screen.typeUntil("/model nope\r", "model 'nope' not found");
    await chat.screen.until("> /model nope");
    expect(chat.screen.lines[0]).toContain("large");
    expect(chat.screen.text).toContain("An answer.");
  });

  test("is chosen from a list", async () => {
    const { screen } = await openChat();
    await screen.typeUntil("/model\r", "Switch to another model");
    await screen.typeUntil("lar\r", "Switched to large.");
    // The list starts at the current one.
    await screen.typeUntil("/model\r", /│ > large +current, \d/);
    expect(screen.text).toMatch(/│ {3}tiny +\d/);
  });

  test("is saved with the conversation, and reloaded with /load", async () => {
    const chat = await answered("An answer.");
    await chat.screen.typeUntil("/save mine\r", "Created new model 'mine'.");
    expect(chat.backend.saved).toEqual([
      {
        name: "mine",
        messages: [
          { role: "user", content: "What is it?" },
          { role: "assistant", content: "An answer." },
        ],
      },
    ]);
    await chat.screen.typeUntil("/save large\r", "Replace model 'large'?");
    await chat.screen.typeUntil("n", "A model named 'large' already exists.");
    expect(chat.backend.saved).toHaveLength(1);
    await chat.screen.typeUntil("\u0015/save large\r", "Replace model 'large'?");
    await chat.screen.typeUntil("y", "Created new model 'large'.");
    await chat.screen.typeUntil("/save large --force\r", () => chat.backend.saved.length === 3);
    await chat.screen.typeUntil("/load large\r", "Loaded large");
    expect(chat.screen.text).not.toContain("An answer.");
  });

  test("is shown together with how full its window is", async () => {
    const chat = await answered("An answer.");
    await chat.screen.typeUntil("/show template\r", "template of tiny");
    await chat.screen.typeUntil("/show license\r", "The model has no license.");
    await chat.screen.typeUntil("/show nonsense\r", "Cannot show 'nonsense'.");
    chat.screen.type("\u0015/context\r");
    await chat.screen.until(
      "The next prompt has 20 tokens before your message: 0 % of the context window",
    );
  });
});

describe("earlier messages", () => {
  test("are searched with Ctrl+R, and Esc restores the typed text", async () => {
    const chat = await answered("ok", "plan the release");
    await say(chat, "write a poem", "ok");
    await chat.screen.typeUntil("my draft", "> my draft");
    await chat.screen.typeUntil("\u0012", "Ctrl+R older");
    await chat.screen.typeUntil("plan", "? plan  plan the release");
    await chat.screen.typeUntil("x", "no match");
    await chat.screen.typeUntil(keys.escape, "> my draft");
    await chat.screen.typeUntil("\u0012", "Ctrl+R older");
    await chat.screen.typeUntil("poem\r", "> write a poem");
    expect(chat.backend.answers).toHaveLength(2);
  });
});

test("a message is written in $EDITOR and returns as saved", async () => {
  const { screen } = await openChat({
    environment: { LANG: "en_GB.UTF-8", EDITOR: "printf 'from the editor\\nsecond line\\n' >" },
  });
  await screen.typeUntil("draft", "> draft");
  await screen.typeUntil("\u0005", /> from the editor *│\n│ {3}second line/);
});
