// Tests editor, pager and clipboard with real programs from a shell; the clipboard is a fake.

import { readdirSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { copyText, terminalServices } from "../../../source/ui/frame/terminal-services.ts";

function services(environment: Record<string, string>) {
  const events: string[] = [];
  const made = terminalServices({
    erase: () => {},
    write: () => {},
    suspend: async (work) => {
      events.push("lent");
      await work();
      events.push("back");
    },
    environment,
  });
  return { ...made, events };
}

const leftOver = () =>
  readdirSync(tmpdir()).filter((name) => /^modelctl-[A-Za-z0-9]{6}$/.test(name));

describe("the editor", () => {
  test("gets the text and returns it as saved, leaving no file behind", async () => {
    const before = leftOver();
    const { edit, events } = services({ VISUAL: "", EDITOR: "printf ' edited' >>" });
    await expect(edit("a text", "md")).resolves.toBe("a text edited");
    expect(events).toEqual(["lent", "back"]);
    expect(leftOver()).toEqual(before);
  });

  test("returns nothing when the text is unchanged", async () => {
    await expect(services({ EDITOR: "true" }).edit("a text", "md")).resolves.toBeUndefined();
  });

  test("changes nothing when it exits with an error, which is reported", async () => {
    const program = 'f() { printf half > "$1"; return 1; }; f';
    const edit = services({ EDITOR: program }).edit("a text", "md");
    await expect(edit).rejects.toThrow("exited with 1; text unchanged");
  });

  test("may have arguments, and $VISUAL comes before $EDITOR", async () => {
    const { edit } = services({ VISUAL: "sed -i -e s/one/two/", EDITOR: "false" });
    await expect(edit("one", "txt")).resolves.toBe("two");
  });

  test("that does not exist is reported, and the terminal is restored", async () => {
    const { edit, events } = services({ EDITOR: "no-such-editor-anywhere" });
    await expect(edit("a", "md")).rejects.toThrow("Cannot start 'no-such-editor-anywhere'");
    expect(events).toEqual(["lent"]);
  });
});

test("another program gets its words and variables, and the terminal", async () => {
  const { run, events } = services({});
  const program = (name: string) => ({
    words: ["/bin/sh", "-c", 'test "$1 $WORD" = "a b c"', "sh", "a b"],
    environment: { WORD: name },
  });
  await expect(run(program("c"))).resolves.toBe(0);
  expect(events).toEqual(["lent", "back"]);
});

test("the pager gets the whole text", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "pager-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const seen = path.join(folder, "seen");
  await services({ PAGER: `f() { cat "$1" > '${seen}'; }; f` }).page("all\nof it");
  expect(await readFile(seen, "utf8")).toBe("all\nof it");
});

describe("copying", () => {
  const refusing = {
    write: async () => {
      throw new Error("no display");
    },
  };

  test("uses the terminal and the clipboard of this machine", async () => {
    const written: string[] = [];
    let here = "";
    const local = {
      write: async (text: string) => {
        here = text;
      },
    };
    const sentence = await copyText("née 漢", {
      write: (bytes) => written.push(bytes),
      environment: {},
      local,
    });
    expect(sentence).toBe("Copied 5 characters");
    expect(here).toBe("née 漢");
    expect(written).toEqual([`\u001b]52;c;${Buffer.from("née 漢").toString("base64")}\u0007`]);
  });

  test("over ssh does not touch the remote clipboard", async () => {
    const local = {
      write: async () => {
        throw new Error("must not be asked");
      },
    };
    const options = { write: () => {}, environment: { SSH_CONNECTION: "1 2 3 4" }, local };
    await expect(copyText("x", options)).resolves.toBe("Copied 1 character");
  });

  test("a text that is too long reports the failure", async () => {
    const written: string[] = [];
    const options = {
      write: (bytes: string) => written.push(bytes),
      environment: {},
      local: refusing,
    };
    await expect(copyText("x".repeat(100_000), options)).resolves.toContain(
      "Cannot copy 100000 characters",
    );
    await expect(copyText("", options)).resolves.toBe("Nothing to copy");
    expect(written).toEqual([]);
  });
});
