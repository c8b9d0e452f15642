// Typical session of the chat, with the built program in a pseudo-terminal: input is neither lost nor
// misread, nothing is replaced without confirmation, and chats are found again.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { freePort, openTerminal, type TestTerminal } from "../support/pty.ts";

const controlP = "\u0010";
const controlU = "\u0015";
const altS = "\u001bs";
const escapeKey = "\u001b";

/** Returns the output of a command in a narrow terminal, where lines wrap, and its exit code. */
async function printedNarrow(words: string[], environment: Record<string, string>) {
  const narrow = await openTerminal(words, { columns: 30, environment });
  try {
    const code = await narrow.exited;
    return { code, lines: narrow.lines().map((line) => line.trim()) };
  } finally {
    await narrow.close();
  }
}

/** Characters of a warning gauge, as this machine's memory may be full. */
function expectNoAlarmWhileLoading(chat: TestTerminal): void {
  const withoutMemory = chat.raw().replaceAll(/[▓!░]+ +[\d.]+\/[\d.]+ GiB/g, "");
  expect(withoutMemory).toContain("loading tiny");
  expect(withoutMemory).not.toMatch(/▓|!!/);
}

it("runs a chat from lines typed ahead to the command that resumes it", async () => {
  const environment = { MODELCTL_HOST: `127.0.0.1:${await freePort()}` };
  const chat = await openTerminal(["run", "tiny"], { columns: 120, rows: 40, environment });
  try {
    writeFileSync(path.join(chat.home, "notes.txt"), "Buy milk.\n");
    // Typed before the program controls the terminal.
    chat.type("What is 2 + 3?\r");
    await chat.shows("2 + 3 = 5");
    await chat.shows("Enter send");

    chat.type("/cle\t");
    await chat.shows("> /clear ");
    chat.type(`${controlU}Repeat after me: @no\t`);
    await chat.shows("> Repeat after me: @notes.txt");
    chat.type("\r");
    await chat.shows("attached notes.txt, ");
    await chat.shows("Enter send");

    await chat.send("/nonsense");
    await chat.shows("Unknown command '/nonsense'");
    // It is selected: typing replaces it, and its output is below it.
    await chat.send("/set parameter num_batch 64");
    await chat.shows("> /set parameter num_batch 64");
    await chat.shows("The next message loads the model again.");
    await chat.send("/set");
    await chat.shows("num_batch          64");
    chat.type(escapeKey);
    await chat.showsNot("Chat settings");

    chat.type(`${controlP}quit`);
    await chat.shows("> Quit");
    expect(chat.text()).not.toContain("/set quiet");
    // Names match first, then words of titles, then scattered letters.
    chat.type(`${controlU}log`);
    await chat.shows("> Show the log of the deployment");
    expect(chat.text()).toMatch(/> Show the log[\s\S]*Open the whole log/);
    expect(chat.text()).not.toContain("Regenerate");
    chat.type(`${controlU}rgnrt`);
    await chat.shows("> Regenerate the last answer");
    chat.type(escapeKey);
    await chat.showsNot("> Regenerate");

    chat.type("/edit\r");
    await chat.shows("edit the last message");
    chat.type(controlU);
    await chat.showsNot("edit the last message");
    await chat.send("What is 1 + 1?");
    await chat.shows("1 + 1 = 2");
    expectNoAlarmWhileLoading(chat);
    expect(chat.text()).toContain("attached notes.txt, ");
    await chat.shows("Enter send");

    await chat.send("/rename Sums and notes");
    await chat.shows("│ > Sums and notes");
    await chat.send("/fork Other sums");
    await chat.shows("│ > Other sums");
    await chat.shows("│   Sums and notes");
    await chat.send("/save mine");
    await chat.shows("Created new model 'mine'.");
    await chat.send("/save mine");
    await chat.shows("Replace model 'mine'?");
    chat.type("n");
    await chat.shows("A model named 'mine' already exists.");

    chat.type(`${controlU}${altS}`);
    await chat.shows("Resume a saved chat");
    chat.type("milk");
    await chat.shows("> milk");
    await chat.shows("1 of 2");
    chat.type(escapeKey);
    await chat.showsNot("Resume a saved chat");

    const answer = await printedNarrow(["run", "tiny", "Capital of France?"], environment);
    expect(answer.lines.slice(0, 2)).toEqual(["The capital of France is", "Paris."]);
    const error = await printedNarrow(["run", "nope", "Hi"], environment);
    expect(error.code).toBe(3);
    expect(error.lines.join(" ")).toMatch(/^Error: model 'nope' not found/);

    await chat.send("/bye");
    expect(await chat.exited).toBe(0);
    expect(chat.text()).toContain(
      "Chat 'Other sums' is saved. Resume it with:\n  modelctl run --session ",
    );
  } finally {
    await chat.close();
  }
});
