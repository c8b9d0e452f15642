// Saved chats of one user: listed, found by name, loaded, saved, forked, removed.
import { randomBytes } from "node:crypto";
import { open, readFile } from "node:fs/promises";
import path from "node:path";
import { describeError, ProductError } from "../base/product-error.ts";
import { sessionErrors } from "./errors.ts";
import { ImageFolder } from "./image-folder.ts";
import { codeOf, RevisionFolder } from "./revision-folder.ts";
import { nameFor, type Session, type SessionDeployment, type SessionHead } from "./session.ts";
import { readHead, readSessionText, writeSessionText } from "./session-file.ts";

export interface SessionList {
  /** The last used first. */
  readonly sessions: readonly SessionHead[];
  /** Files that cannot be read, and why. */
  readonly problems: ReadonlyArray<{ readonly path: string; readonly message: string }>;
}

/** A chat as it lies on disk. */
export interface StoredSession {
  readonly session: Session;
  /** Revision of the file that it was read from or written to. */
  readonly revision: number;
}

export interface SavedSession extends StoredSession {
  /** Another process saved a later version: this one was saved under another name. */
  readonly isCopy: boolean;
}

export interface NewSession {
  readonly model: string;
  readonly deployment?: SessionDeployment | undefined;
  /** Names the chat, unless it has a name. */
  readonly firstMessage: string;
  readonly name?: string | undefined;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

const headBytes = 16 * 1024;

export class SessionStore {
  readonly #files: RevisionFolder;
  readonly images: ImageFolder;
  /** A revision is never changed: what was read of one is known. */
  readonly #heads = new Map<string, { readonly revision: number; readonly head: SessionHead }>();

  /** @param stateFolder the product's; the chats lie in a folder below it */
  constructor(stateFolder: string) {
    const folder = path.join(stateFolder, "sessions");
    this.#files = new RevisionFolder(folder);
    this.images = new ImageFolder(path.join(folder, "images"));
  }

  /** A chat that begins now; it is not saved yet. */
  begin({ model, deployment, firstMessage, name, nowMs }: NewSession): Session {
    return {
      id: newId(nowMs),
      name: name ?? nameFor(firstMessage),
      isNamed: name !== undefined,
      model,
      ...(deployment !== undefined && { deployment }),
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
      messageCount: 0,
      parameters: {},
      messages: [],
    };
  }

  /** A copy of the chat under another id, so that both can continue; not saved yet. */
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
        // Saved again meanwhile: the next list has it.
        if (codeOf(error) !== "ENOENT")
          problems.push({ path: file, message: describeError(error) });
      }
    }
    return { sessions: sessions.toSorted((a, b) => b.updatedAtMs - a.updatedAtMs), problems };
  }

  /**
   * The chats that have every word in their name, their model or their messages, the last used first.
   */
  async search(words: string): Promise<SessionHead[]> {
    const wanted = words
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== "");
    const { sessions } = await this.list();
    const found: SessionHead[] = [];
    for (const head of sessions) {
      const title = `${head.name} ${head.model}`.toLowerCase();
      if (wanted.every((word) => title.includes(word)) || (await this.#says(head.id, wanted))) {
        found.push(head);
      }
    }
    return found;
  }

  /**
   * Finds the chat that is meant: by its id, its name in any letter case, or the beginning of one of
   * them that only one has.
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
    // Another process may save between listing and reading: the file has a new name then.
    for (let tries = 0; tries < 10; tries += 1) {
      const revision = (await this.#files.revisions()).get(id);
      if (revision === undefined) break;
      const file = this.#files.pathOf(id, revision);
      try {
        return { session: readSessionText(await readFile(file, "utf8")), revision };
      } catch (error) {
        if (codeOf(error) === "ENOENT") continue;
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
   * Saves a chat as it is now. Where another process has saved it since, both are kept: this one gets
   * an id and a name of its own.
   *
   * @param revision of the version that it was made from; 0 for a new chat
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
   * Renames a chat, whoever saved it last.
   * @throws ProductError as `load` and `save`
   */
  async rename(id: string, name: string): Promise<void> {
    const { session, revision } = await this.load(id);
    await this.save({ ...session, name, isNamed: true }, revision);
  }

  /** Removes a chat, and the images that no other one has. */
  async remove(id: string): Promise<void> {
    await this.#files.remove(id);
    const kept = new Set<string>();
    for (const other of (await this.#files.revisions()).keys()) {
      const { session } = await this.load(other);
      for (const { images = [] } of session.messages) {
        for (const { digest } of images) kept.add(digest);
      }
    }
    await this.images.removeBut(kept);
  }

  async #says(id: string, words: readonly string[]): Promise<boolean> {
    const revision = (await this.#files.revisions()).get(id);
    if (revision === undefined) return false;
    const { session } = await this.load(id);
    const text = session.messages
      .map(({ content }) => content)
      .join("\n")
      .toLowerCase();
    const title = `${session.name} ${session.model}`.toLowerCase();
    return words.every((word) => text.includes(word) || title.includes(word));
  }
}

/** Sorts by time; the digits at its end keep two of one second apart. */
function newId(nowMs: number): string {
  const stamp = new Date(nowMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, "");
  return `${stamp.replace("T", "-")}-${randomBytes(3).toString("hex")}`;
}

async function firstLine(file: string): Promise<string> {
  const handle = await open(file, "r");
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    const end = buffer.subarray(0, bytesRead).indexOf(0x0a);
    if (end !== -1) return buffer.toString("utf8", 0, end);
    // A long system prompt stands in the first line too.
    const [line = ""] = (await handle.readFile("utf8")).split("\n", 1);
    return line;
  } finally {
    await handle.close();
  }
}
