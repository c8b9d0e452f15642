// Goal: no chat is lost with concurrent saves, and each is found by its name or text.
// Method: real files in a separate folder; several stores on one folder act as several programs.
import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { nameFor, type Session } from "../../../source/chat/sessions/session.ts";
import { SessionStore } from "../../../source/chat/sessions/session-store.ts";
import { temporaryFolder } from "../../support/model-store.ts";
import { asOrdinaryUser } from "../../support/ordinary-user.ts";

let folder: string;
let store: SessionStore;
beforeEach(() => {
  folder = temporaryFolder();
  store = new SessionStore(folder);
});

const sessions = () => path.join(folder, "sessions");

function chat(id: string, ...contents: string[]): Session {
  const firstMessage = contents[0] ?? "";
  return {
    ...store.begin({ model: "tiny", firstMessage, nowMs: 1_000 }),
    id,
    messages: contents.map((content, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content,
    })),
  };
}

describe("a saved chat", () => {
  it("is read back unchanged", async () => {
    const digest = await store.images.add(Buffer.from("bytes").toString("base64"));
    const session: Session = {
      ...chat("a-1", "Plan the release"),
      system: "Be brief.\nAlways.",
      parameters: { temperature: 0.5, stop: ["END"], use_mmap: true },
      deployment: { profile: "local", app: "local/tiny", url: "https://host/local/tiny" },
      messages: [
        {
          role: "user",
          content: "what is it",
          typed: "./cat.png what is it",
          images: [{ name: "cat.png", digest, width: 4, height: 3, tokens: 36 }],
          atMs: 5,
        },
        {
          role: "assistant",
          content: "",
          thinking: "Hm.",
          ending: "stopped",
          toolCalls: [{ name: "look", arguments: { at: 1 } }],
        },
      ],
      messageCount: 2,
    };
    await store.save(session, 0);
    const { session: loaded } = await store.load("a-1");
    expect(loaded).toEqual(session);
    expect(await store.images.read(digest)).toBe(Buffer.from("bytes").toString("base64"));
  });

  it("is private, and one file however often it is saved", async () => {
    let revision = 0;
    for (let turn = 0; turn < 5; turn += 1) {
      ({ revision } = await store.save(chat("a-1", "one", `answer ${turn}`), revision));
    }
    const names = (await readdir(sessions())).filter((name) => name !== "images");
    expect(names).toEqual(["a-1.5.jsonl"]);
    expect((await stat(path.join(sessions(), "a-1.5.jsonl"))).mode & 0o777).toBe(0o600);
    expect((await stat(sessions())).mode & 0o777).toBe(0o700);
  });

  it("with a long system prompt is listed", async () => {
    await store.save({ ...chat("a-1", "one"), system: "long ".repeat(10_000) }, 0);
    const { sessions: listed, problems } = await store.list();
    expect(problems).toEqual([]);
    expect(listed[0]?.system).toHaveLength(50_000);
  });

  it("that cannot be written is reported", async () => {
    await writeFile(path.join(folder, "sessions"), "in the way");
    await expect(store.save(chat("a-1", "one"), 0)).rejects.toMatchObject({
      code: "SESSION_UNSAVED",
    });
  });
});

it("a fork is independent", async () => {
  const { session } = await store.save(chat("a-1", "one", "two"), 0);
  const fork = store.fork(session, 2_000);
  expect(fork).toMatchObject({ name: "one (fork)", forkedFrom: "a-1", createdAtMs: 2_000 });
  await store.save({ ...fork, messages: fork.messages.slice(0, 1) }, 0);
  expect((await store.load("a-1")).session.messages).toHaveLength(2);
  expect((await store.load(fork.id)).session.messages).toHaveLength(1);
});

describe("two programs with one chat", () => {
  it("keep both versions: the later one gets a copy", async () => {
    const { revision } = await store.save(chat("a-1", "one"), 0);
    const other = new SessionStore(folder);
    const theirs = await other.load("a-1");
    await store.save(chat("a-1", "one", "mine"), revision);
    const saved = await other.save(chat("a-1", "one", "theirs"), theirs.revision);
    expect(saved).toMatchObject({
      isCopy: true,
      session: { name: "one (copy)", forkedFrom: "a-1" },
    });
    const { sessions: listed } = await store.list();
    expect(listed).toHaveLength(2);
    const said = await Promise.all(
      listed.map(async ({ id }) => (await store.load(id)).session.messages[1]?.content),
    );
    expect(said.toSorted()).toEqual(["mine", "theirs"]);
  });

  it("keep both versions, even when one is several versions ahead", async () => {
    const { revision } = await store.save(chat("a-1", "one"), 0);
    const second = await store.save(chat("a-1", "one", "2"), revision);
    await store.save(chat("a-1", "one", "3"), second.revision);
    const late = await new SessionStore(folder).save(chat("a-1", "one", "late"), revision);
    expect(late.isCopy).toBe(true);
    expect((await store.load("a-1")).session.messages[1]?.content).toBe("3");
  });

  it("may save at the same time", async () => {
    const { revision } = await store.save(chat("a-1", "one"), 0);
    const saved = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        new SessionStore(folder).save(chat("a-1", "one", `by ${index}`), revision),
      ),
    );
    expect(saved.filter(({ isCopy }) => !isCopy)).toHaveLength(1);
    const all = await Promise.all(saved.map(({ session }) => store.load(session.id)));
    const said = all.map(({ session }) => session.messages[1]?.content).toSorted();
    expect(said).toEqual(Array.from({ length: 8 }, (_, index) => `by ${index}`));
  });
});

describe("finding", () => {
  beforeEach(async () => {
    await store.save(
      { ...chat("20260101-a", "Plan the release", "Of course: kangaroo."), updatedAtMs: 3 },
      0,
    );
    await store.save({ ...chat("20260102-b", "Plan the party"), updatedAtMs: 2 }, 0);
    await store.save(
      { ...chat("20260103-c", "Explain RoPE"), model: "qwen3:8b", updatedAtMs: 1 },
      0,
    );
  });

  it("works by id, by name in any letter case, and by the beginning of one", async () => {
    expect((await store.find("20260101-a")).name).toBe("Plan the release");
    expect((await store.find("explain rope")).id).toBe("20260103-c");
    expect((await store.find("expl")).id).toBe("20260103-c");
    expect((await store.find("20260102")).id).toBe("20260102-b");
  });

  it("reports no match and several matches", async () => {
    await expect(store.find("nothing")).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
    await expect(store.find("plan")).rejects.toMatchObject({
      code: "SESSION_AMBIGUOUS",
      message: expect.stringContaining("20260102-b Plan the party"),
    });
  });

  it("searches names, models and messages, the last used first", async () => {
    const ids = async (words: string) => (await store.search(words)).map(({ id }) => id);
    expect(await ids("PLAN")).toEqual(["20260101-a", "20260102-b"]);
    expect(await ids("kangaroo plan")).toEqual(["20260101-a"]);
    expect(await ids("qwen3")).toEqual(["20260103-c"]);
    expect(await ids("")).toHaveLength(3);
  });

  it("returns the text around a word that only the messages have", async () => {
    const text = `We saw many animals.\n\nOne was a red\u0007 Fox\tin the garden${" far away".repeat(9)}`;
    await store.save(chat("20260104-d", "Zoo", text), 0);
    const [found] = await store.search("zoo fox");
    expect(found?.hit).toBe("…One was a red Fox in the garden far away far away far…");
    expect((await store.search("zoo")).map(({ hit }) => hit)).toEqual([undefined]);
  });

  it("also serves renaming, and removing with images that no other chat has", async () => {
    await store.rename("20260103-c", "Rotary");
    expect((await store.find("rotary")).isNamed).toBe(true);
    await store.remove("20260103-c");
    await expect(store.load("20260103-c")).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
    expect((await store.list()).sessions).toHaveLength(2);
  });
});

describe("a damaged file", () => {
  it("is reported and hides no others", async () => {
    await store.save(chat("a-1", "one"), 0);
    await writeFile(path.join(sessions(), "b-2.1.jsonl"), "{ not json\n");
    await writeFile(path.join(sessions(), "c-3.1.jsonl"), '{"version":99}\n');
    const { sessions: listed, problems } = await store.list();
    expect(listed.map(({ id }) => id)).toEqual(["a-1"]);
    expect(problems.map(({ message }) => message).join()).toContain("version is 99");
    await expect(store.load("b-2")).rejects.toMatchObject({ code: "SESSION_DAMAGED" });
    expect(await readFile(path.join(sessions(), "b-2.1.jsonl"), "utf8")).toBe("{ not json\n");
  });

  it("left incomplete by a killed process is removed once it is old", async () => {
    await mkdir(path.join(sessions(), "images"), { recursive: true });
    const names = [".writing-old", "images/.writing-old", ".writing-new"];
    const files = names.map((name) => path.join(sessions(), name));
    for (const file of files) {
      await writeFile(file, "half");
      if (file.endsWith("old")) await utimes(file, 0, 0);
    }
    await store.save(chat("a-1", "one"), 0);
    expect(files.map((file) => existsSync(file))).toEqual([false, false, true]);
  });

  it("or a read-only folder loses nothing", async () => {
    const { revision } = await store.save(chat("a-1", "one"), 0);
    await chmod(sessions(), 0o500);
    await asOrdinaryUser(folder, async () => {
      await expect(store.save(chat("a-1", "one", "two"), revision)).rejects.toMatchObject({
        code: "SESSION_UNSAVED",
      });
    });
    await chmod(sessions(), 0o700);
    expect((await store.load("a-1")).session.messages).toHaveLength(1);
  });
});

it("the default name is the first line, cut between words", () => {
  expect(nameFor("  What is left\u001b[2J before   we tag?\nMore.")).toBe(
    "What is left [2J before we tag?",
  );
  expect(nameFor("word ".repeat(40))).toBe(`${"word ".repeat(9).trim()}…`);
  expect(nameFor("\n \n")).toBe("New chat");
  expect(nameFor('"""\nTwo\nlines"""')).toBe("Two");
});
