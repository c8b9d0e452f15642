// Tests copying, retrying, editing and forking messages without losing text.
// Runs the whole screen in an in-memory terminal with a scripted model.
import { describe, expect, test } from "vitest";
import { ask, type OpenChat, openChat } from "../../support/open-chat.ts";
import { keys } from "../../support/sized-terminal.ts";

const code = "Look:\n```ts\nconst a = 1;\n```\nand\n```sh\nls -l\n```\n";

async function answered(answer: string, question = "What is it?"): Promise<OpenChat> {
  const chat = await openChat();
  await say(chat, question, answer);
  return chat;
}

async function say(chat: OpenChat, question: string, answer: string): Promise<void> {
  await ask(chat, question);
  await chat.screen.until("Enter queue");
  chat.backend.current.text(answer).done();
  await chat.screen.until("Enter send");
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
    chat.screen.type(keys.tab);
    await chat.screen.until("▌An answer.");
    expect(chat.screen.text).toContain("y copy");
    chat.screen.type("k");
    await chat.screen.until("▌What is it?");
    chat.screen.type("jj");
    await chat.screen.until("Enter send");
    chat.screen.type("my draft");
    await chat.screen.until("> my draft");
  });

  test("y copies a message, c its code blocks one after the other", async () => {
    const chat = await answered(code);
    chat.screen.type(keys.tab);
    await chat.screen.until("y copy");
    chat.screen.type("y");
    await chat.screen.until(/[Cc]opied/);
    expect(copied(chat)).toBe(code);
    chat.screen.type("c");
    await chat.screen.until("(block 1 of 2)");
    expect(copied(chat)).toBe("const a = 1;");
    chat.screen.type("c");
    await chat.screen.until("(block 2 of 2)");
    expect(copied(chat)).toBe("ls -l");
  });

  test("c in a message without code copies the nearest code, or says that there is none", async () => {
    const chat = await answered("None.");
    chat.screen.type(keys.tab);
    await chat.screen.until("y copy");
    chat.screen.type("c");
    await chat.screen.until("No code in this chat.");
    chat.screen.type(keys.escape);
    await chat.screen.until("Enter send");
    await say(chat, "And code?", code);
    await say(chat, "Thanks.", "Welcome.");
    chat.screen.type(keys.tab);
    await chat.screen.until("y copy");
    chat.screen.type("c");
    await chat.screen.until("(block 2 of 2, earlier message)");
    expect(copied(chat)).toBe("ls -l");
  });
});

describe("retrying", () => {
  test("replaces the answer and sends the question once", async () => {
    const chat = await answered("First try.");
    chat.screen.type("/regenerate\r");
    await chat.screen.until(() => chat.backend.answers.length === 2);
    expect(chat.backend.current.messages).toEqual([{ role: "user", content: "What is it?" }]);
    chat.backend.current.text("Second try.").done();
    await chat.screen.until("Second try.");
    expect(chat.screen.text).not.toContain("First try.");
  });

  test("that fails keeps the old answer and the field", async () => {
    const chat = await answered("First try.");
    chat.screen.type(keys.tab);
    await chat.screen.until("r regenerate");
    chat.screen.type("r");
    await chat.screen.until('Regenerate? The answer to "What is it?" is lost.');
    chat.screen.type("n");
    await chat.screen.until("r regenerate");
    expect(chat.backend.answers).toHaveLength(1);
    chat.screen.type("ry");
    await chat.screen.until(() => chat.backend.answers.length === 2);
    chat.backend.current.fail("Out of memory.");
    await chat.screen.until("✗ Out of memory.");
    expect(chat.screen.text).toContain("First try.");
    expect(chat.screen.text).toContain("> Send a message");
  });
});

describe("editing the last message", () => {
  test("with Esc Esc replaces it and its answer when it is sent, not before", async () => {
    const chat = await answered("Paris.", "Capital of Frnace?");
    chat.screen.type(keys.escape);
    await chat.screen.until("Esc again");
    chat.screen.type(keys.escape);
    await chat.screen.until("> Capital of Frnace?");
    expect(chat.screen.text).toContain("Paris.");
    expect(chat.screen.text).toContain("edit the last message");
    chat.screen.type("!\r");
    await chat.screen.until(() => chat.backend.answers.length === 2);
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
      chat.screen.type("/edit\r");
      await chat.screen.until("edit the last message");
      chat.screen.type(emptied);
      await chat.screen.until("> Send a message");
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
    chat.screen.type("/edit\r");
    await chat.screen.until("> Capital?");
    chat.screen.type(keys.escape);
    await chat.screen.until("> Send a message");
    expect(chat.screen.text).toContain("Paris.");
    chat.screen.type("/edit\r");
    await chat.screen.until("> Capital?");
    chat.screen.type("!\r");
    await chat.screen.until(() => chat.backend.answers.length === 2);
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
    chat.screen.type(keys.tab);
    await chat.screen.until("t thinking");
    chat.screen.type("t");
    await chat.screen.until("▎ Let me see. It is two.");
    chat.screen.type("t");
    await chat.screen.until((screen) => !screen.text.includes("Let me see."));
  });

  test("tool calls are shown", async () => {
    const chat = await openChat();
    await ask(chat, "weather?");
    chat.backend.current
      .event({ type: "tool-call", name: "get_weather", arguments: { city: "Paris" } })
      .done();
    await chat.screen.until('→ get_weather {"city":"Paris"}');
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
    chat.screen.type("/model large\r");
    await chat.screen.until("Switched to large.");
    expect(chat.screen.lines[0]).toContain("large");
    chat.screen.type("/model nope\r");
    await chat.screen.until("model 'nope' not found");
    await chat.screen.until("> /model nope");
    expect(chat.screen.lines[0]).toContain("large");
    expect(chat.screen.text).toContain("An answer.");
  });

  test("is chosen from a list", async () => {
    const { screen } = await openChat();
    screen.type("/model\r");
    await screen.until("Switch to another model");
    screen.type("lar\r");
    await screen.until("Switched to large.");
  });

  test("is saved with the conversation, and reloaded with /load", async () => {
    const chat = await answered("An answer.");
    chat.screen.type("/save mine\r");
    await chat.screen.until("Created new model 'mine'.");
    expect(chat.backend.saved).toEqual([
      {
        name: "mine",
        messages: [
          { role: "user", content: "What is it?" },
          { role: "assistant", content: "An answer." },
        ],
      },
    ]);
    chat.screen.type("/save large\r");
    await chat.screen.until("Replace model 'large'?");
    chat.screen.type("n");
    await chat.screen.until("A model named 'large' already exists.");
    expect(chat.backend.saved).toHaveLength(1);
    chat.screen.type("\u0015/save large\r");
    await chat.screen.until("Replace model 'large'?");
    chat.screen.type("y");
    await chat.screen.until("Created new model 'large'.");
    chat.screen.type("/save large --force\r");
    await chat.screen.until(() => chat.backend.saved.length === 3);
    chat.screen.type("/load large\r");
    await chat.screen.until("Loaded large");
    expect(chat.screen.text).not.toContain("An answer.");
  });

  test("is shown together with how full its window is", async () => {
    const chat = await answered("An answer.");
    chat.screen.type("/show template\r");
    await chat.screen.until("template of tiny");
    chat.screen.type("/show license\r");
    await chat.screen.until("The model has no license.");
    chat.screen.type("/show nonsense\r");
    await chat.screen.until("Cannot show 'nonsense'.");
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
    chat.screen.type("my draft");
    await chat.screen.until("> my draft");
    chat.screen.type("\u0012");
    await chat.screen.until("Ctrl+R older");
    chat.screen.type("plan");
    await chat.screen.until("? plan  plan the release");
    chat.screen.type("x");
    await chat.screen.until("no match");
    chat.screen.type(keys.escape);
    await chat.screen.until("> my draft");
    chat.screen.type("\u0012");
    await chat.screen.until("Ctrl+R older");
    chat.screen.type("poem\r");
    await chat.screen.until("> write a poem");
    expect(chat.backend.answers).toHaveLength(2);
  });
});

test("a message is written in $EDITOR and returns as saved", async () => {
  const { screen } = await openChat({
    environment: { LANG: "en_GB.UTF-8", EDITOR: "printf 'from the editor\\nsecond line\\n' >" },
  });
  screen.type("draft");
  await screen.until("> draft");
  screen.type("\u0005");
  await screen.until(/> from the editor *│\n│ {3}second line/);
});
