// Saved chats of a user: lists, finds, loads, saves, forks and removes them.
import { randomBytes } from "node:crypto";
import { open, readFile } from "node:fs/promises";
import path from "node:path";
import { describeError, ProductError } from "../../base/product-error.ts";
import { systemCode } from "../../base/write-refusal.ts";
import { sessionErrors } from "../errors.ts";
import {
  nameFor,
  readHead,
  readSessionText,
  type Session,
  type SessionHead,
  writeSessionText,
} from "./session.ts";
import { ImageFolder, RevisionFolder } from "./session-files.ts";

export interface SessionList {
  /** Last used first. */
  readonly sessions: readonly SessionHead[];
  /** Unreadable files, with reasons. */
  readonly problems: ReadonlyArray<{ readonly path: string; readonly message: string }>;
}

/** A chat that has the words of a search. */
export interface FoundSession extends SessionHead {
  /** Text around a word that only its messages have; undefined if name and model have all words. */
  readonly hit?: string;
}

/** A chat on disk. */
export interface StoredSession {
  readonly session: Session;
  /** Revision of its file. */
  readonly revision: number;
}

export interface SavedSession extends StoredSession {
  /** True if another process has saved a later version: this one was saved under another name. */
  readonly isCopy: boolean;
}

export interface NewSession {
  readonly model: string;
  /** Source of the name if none is given. */
  readonly firstMessage: string;
  readonly name?: string | undefined;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

const headBytes = 16 * 1024;

export class SessionStore {
  readonly #files: RevisionFolder;
  readonly images: ImageFolder;
  /** Cache: a revision never changes. */
  readonly #heads = new Map<string, { readonly revision: number; readonly head: SessionHead }>();

  /** @param stateFolder parent of the folder with the chats */
  constructor(stateFolder: string) {
    const folder = path.join(stateFolder, "sessions");
    this.#files = new RevisionFolder(folder);
    this.images = new ImageFolder(path.join(folder, "images"));
  }

  /** Returns a new chat; it is not saved yet. */
  begin({ model, firstMessage, name, nowMs }: NewSession): Session {
    return {
      id: newId(nowMs),
      name: name ?? nameFor(firstMessage),
      isNamed: name !== undefined,
      model,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
      messageCount: 0,
      parameters: {},
      messages: [],
    };
  }

  /** Returns a copy with another id, so that both can continue; it is not saved yet. */
  fork(session: Session, nowMs: number, name?: string): Session {
    return {
      ...session,
      id: newId(nowMs),
      name: name ?? `${session.name} (fork)`,
      isNamed: name !== undefined,
      forkedFrom: session.id,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    };
  }

  async list(): Promise<SessionList> {
    const sessions: SessionHead[] = [];
    const problems: Array<{ path: string; message: string }> = [];
    for (const [id, revision] of await this.#files.revisions()) {
      const file = this.#files.pathOf(id, revision);
      const known = this.#heads.get(id);
      try {
        const head = known?.revision === revision ? known.head : readHead(await firstLine(file));
        this.#heads.set(id, { revision, head });
        sessions.push(head);
      } catch (error) {
        // Saved again meanwhile: the next list will contain it.
        if (systemCode(error) !== "ENOENT")
          problems.push({ path: file, message: describeError(error) });
      }
    }
    return { sessions: sessions.toSorted((a, b) => b.updatedAtMs - a.updatedAtMs), problems };
  }

  /**
   * Returns the chats with every word in their name, model or messages, last used first.
   */
  async search(words: string): Promise<FoundSession[]> {
    const wanted = words
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== "");
    const { sessions } = await this.list();
    const found: FoundSession[] = [];
    for (const head of sessions) {
      const title = `${head.name} ${head.model}`.toLowerCase();
      const others = wanted.filter((word) => !title.includes(word));
      const hit = others.length === 0 ? undefined : await this.#hit(head.id, others);
      if (hit !== undefined) found.push({ ...head, hit });
      else if (others.length === 0) found.push(head);
    }
    return found;
  }

  /**
   * Finds a chat by its id or name, ignoring case, or by a unique prefix of either.
   *
   * @throws ProductError `SESSION_NOT_FOUND`, `SESSION_AMBIGUOUS`
   */
  async find(reference: string): Promise<SessionHead> {
    const { sessions } = await this.list();
    const wanted = reference.trim().toLowerCase();
    const named = sessions.filter(({ id, name }) => id === wanted || name.toLowerCase() === wanted);
    const fitting = sessions.filter(
      ({ id, name }) => id.startsWith(wanted) || name.toLowerCase().startsWith(wanted),
    );
    const found = named.length > 0 ? named : fitting;
    const [first] = found;
    if (first === undefined || wanted === "") {
      throw new ProductError(sessionErrors.notFound, {
        message: `No saved chat matches '${reference}'.`,
        hint: "Run modelctl sessions to list them.",
      });
    }
    if (found.length > 1) {
      const names = found.slice(0, 5).map(({ id, name }) => `${id} ${name}`);
      throw new ProductError(sessionErrors.ambiguous, {
        message: `${found.length} saved chats match '${reference}': ${names.join(", ")}.`,
        hint: "Use the number before its name.",
      });
    }
    return first;
  }

  /** @throws ProductError `SESSION_NOT_FOUND`, `SESSION_DAMAGED` */
  async load(id: string): Promise<StoredSession> {
    // Another process may save between listing and reading, under a new file name.
    for (let tries = 0; tries < 10; tries += 1) {
      const revision = (await this.#files.revisions()).get(id);
      if (revision === undefined) break;
      const file = this.#files.pathOf(id, revision);
      try {
        return { session: readSessionText(await readFile(file, "utf8")), revision };
      } catch (error) {
        if (systemCode(error) === "ENOENT") continue;
        throw new ProductError(sessionErrors.damaged, {
          message: `The saved chat ${file} cannot be read: ${describeError(error)}.`,
          hint: "Move the file, or fix its JSON.",
          cause: error,
        });
      }
    }
    throw new ProductError(sessionErrors.notFound, {
      message: `The saved chat '${id}' no longer exists.`,
      hint: "Run modelctl sessions to list them.",
    });
  }

  /**
   * Saves a chat. If another process has saved it since, both are kept: this one gets another id and
   * name.
   *
   * @param revision that it is based on; 0 for a new chat
   * @throws ProductError `SESSION_UNSAVED`
   */
  async save(session: Session, revision: number): Promise<SavedSession> {
    try {
      const written = await this.#files.write(session.id, revision, writeSessionText(session));
      if (written !== undefined) return { session, revision: written, isCopy: false };
      const copy: Session = {
        ...session,
        id: newId(session.updatedAtMs),
        name: `${session.name} (copy)`,
        forkedFrom: session.id,
      };
      const first = await this.#files.write(copy.id, 0, writeSessionText(copy));
      if (first === undefined) throw new Error(`the id ${copy.id} is taken`);
      return { session: copy, revision: first, isCopy: true };
    } catch (error) {
      throw new ProductError(sessionErrors.unsaved, {
        message: `Cannot save the chat: ${describeError(error)}.`,
        hint: "Free some space, or check the folder's permissions. The next message tries again.",
        cause: error,
      });
    }
  }

  /**
   * Renames the latest version of a chat.
   * @throws ProductError as `load` and `save`
   */
  async rename(id: string, name: string): Promise<void> {
    const { session, revision } = await this.load(id);
    await this.save({ ...session, name, isNamed: true }, revision);
  }

  /** Removes a chat, and its images that no other chat uses. */
  async remove(id: string): Promise<void> {
    await this.#files.remove(id);
    const { sessions, problems } = await this.list();
    // An unreadable chat may use any image.
    if (problems.length > 0) return;
    const kept = new Set<string>();
    for (const other of sessions) {
      const { session } = await this.load(other.id);
      for (const { images = [], steps = [] } of session.messages) {
        const results = steps.flatMap(({ calls }) => calls.flatMap((call) => call.images ?? []));
        for (const { digest } of [...images, ...results]) kept.add(digest);
      }
    }
    await this.images.removeBut(kept);
  }

  /** Returns the text around the first word, if the chat's messages have all of them. */
  async #hit(id: string, words: readonly string[]): Promise<string | undefined> {
    const revision = (await this.#files.revisions()).get(id);
    if (revision === undefined) return undefined;
    const { session } = await this.load(id);
    const hits = words.map((word) =>
      session.messages.find(({ content }) => content.toLowerCase().includes(word)),
    );
    const [first] = hits;
    const [word = ""] = words;
    return first === undefined || hits.includes(undefined)
      ? undefined
      : excerpt(first.content, word);
  }
}

/** Returns an id that sorts by time; its last digits distinguish chats of the same second. */
function newId(nowMs: number): string {
  const stamp = new Date(nowMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, "");
  return `${stamp.replace("T", "-")}-${randomBytes(3).toString("hex")}`;
}

/** Characters of an excerpt before and after the word. */
const excerptBefore = 20;
const excerptAfter = 40;

/** Returns the text around a word in lower case, on one line. */
function excerpt(text: string, word: string): string {
  const line = text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim();
  const at = Math.max(0, line.toLowerCase().indexOf(word));
  const from = Math.max(0, at - excerptBefore);
  const to = at + word.length + excerptAfter;
  const before = line.slice(from, at);
  const after = line.slice(at, to);
  // Begins and ends with whole words.
  const start = from === 0 ? before : `…${before.replace(/^\S* /, "")}`;
  const end = to < line.length ? `${after.replace(/ \S*$/, "")}…` : after;
  return `${start}${end}`.toWellFormed();
}

async function firstLine(file: string): Promise<string> {
  const handle = await open(file, "r");
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    const end = buffer.subarray(0, bytesRead).indexOf(0x0a);
    if (end !== -1) return buffer.toString("utf8", 0, end);
    // A long system prompt is in the first line, too.
    const [line = ""] = (await handle.readFile("utf8")).split("\n", 1);
    return line;
  } finally {
    await handle.close();
  }
}
