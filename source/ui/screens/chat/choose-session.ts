// List of saved chats to resume: finds chats by their texts, shows the hits, and deletes chats.

import type { Clock } from "../../../base/clock.ts";
import { formatRelativeTime } from "../../../base/formats.ts";
import { describeError } from "../../../base/product-error.ts";
import { plural } from "../../../base/quantities.ts";
import type { FoundSession } from "../../../chat/sessions/session-store.ts";
import type { Choice, FrameServices, ListAction } from "../../frame/screen.ts";

export interface SavedChats {
  /** Returns the chats with every word in name, model or messages. */
  readonly search: (words: string) => Promise<readonly FoundSession[]>;
  readonly remove: (id: string) => Promise<void>;
}

/**
 * Lets the user choose a saved chat.
 *
 * @param found chats to choose from
 * @returns the id of the chosen one
 */
export async function chooseSession(
  found: readonly FoundSession[],
  { search, remove }: SavedChats,
  frame: Pick<FrameServices, "choose" | "confirm" | "notify">,
  clock: Clock,
): Promise<string | undefined> {
  const deletion: ListAction = {
    key: "Ctrl+X",
    verb: "delete",
    run: async (id) => {
      const chat = found.find((each) => each.id === id);
      if (chat === undefined || !(await frame.confirm(deletionQuestion(chat)))) return false;
      try {
        await remove(id);
        return true;
      } catch (error) {
        frame.notify(describeError(error));
        return false;
      }
    },
  };
  return await frame.choose("Resume a saved chat", choicesOf(found, clock.wallMs()), {
    search: async (typed) => (await search(typed)).map(({ id, hit }) => ({ value: id, note: hit })),
    action: deletion,
  });
}

function choicesOf(found: readonly FoundSession[], nowMs: number): readonly Choice[] {
  return found.map(({ id, name, model, updatedAtMs, hit }) => ({
    value: id,
    title: name,
    note: hit ?? `${model}, ${formatRelativeTime(updatedAtMs, nowMs)}`,
  }));
}

function deletionQuestion({ name, messageCount }: FoundSession): string {
  return `Delete the chat '${name}' with ${plural(messageCount, "message")}? This cannot be undone.`;
}
