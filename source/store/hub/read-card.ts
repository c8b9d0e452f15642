// Reads the model card of a repository: its description in Markdown.
import { type ConnectionOptions, HubConnection } from "./hub-connection.ts";
import { sendFollowing } from "./hub-json.ts";
import type { HubSettings } from "./hub-settings.ts";
import { replyError } from "./reply-error.ts";
import { resolveUrl } from "./repository.ts";

export interface CardWork {
  settings: HubSettings;
  signal: AbortSignal;
  connection?: Partial<ConnectionOptions>;
}

/** Longer cards are truncated. */
const maxBytes = 512 * 1024;

/**
 * Returns the text of README.md without its front matter, truncated if very long; empty if there is
 * none.
 *
 * @param repo `owner/name`
 * @throws ProductError `STORE_HUB_...`
 */
export async function readModelCard(
  repo: string,
  { settings, signal, connection: options }: CardWork,
): Promise<string> {
  const connection = new HubConnection(settings, options);
  const target = { repo, revision: "main", path: "README.md" };
  try {
    const url = resolveUrl(settings.endpoint, target);
    const reply = await sendFollowing(connection, url, signal, "text/markdown, text/plain");
    if (reply.status === 404 && reply.headers["x-error-code"] === "EntryNotFound") {
      reply.abandon();
      return "";
    }
    if (reply.status !== 200) {
      reply.abandon();
      throw replyError(reply, target, settings);
    }
    const chunks: Buffer[] = [];
    let length = 0;
    await reply.read((chunk) => {
      if (length < maxBytes) chunks.push(chunk);
      length += chunk.length;
      return undefined;
    });
    const text = Buffer.concat(chunks).subarray(0, maxBytes).toString("utf8");
    return withoutFrontMatter(text);
  } finally {
    await connection.close();
  }
}

/** Removes the front matter between two lines of dashes. */
function withoutFrontMatter(text: string): string {
  return text.replace(/^\s*---\r?\n[\s\S]*?\n---[ \t]*\r?\n/, "").trim();
}
