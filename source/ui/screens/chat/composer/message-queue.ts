// Messages that wait for the running answer, in the order in which they are sent.

import type { EntryImage } from "../../../../chat/conversation/transcript-entry.ts";
import type { TextFile } from "../../../../client/attachments/text-files.ts";

/** A message that can be sent as it is: its images and files have been read. */
export interface PreparedMessage {
  /** Without the paths of its images. */
  readonly prompt: string;
  /** As typed, to restore it in the field. */
  readonly typed: string;
  /** All images to send, including the waiting ones. */
  readonly images: readonly EntryImage[];
  /** Images that waited for this question, whose text does not name them. */
  readonly waiting: readonly EntryImage[];
  readonly files: readonly TextFile[];
}

export interface MessageQueue {
  readonly messages: readonly PreparedMessage[];
  /** An answer was stopped or failed: nothing is sent until the user confirms it. */
  readonly isHeld: boolean;
}

export const emptyQueue: MessageQueue = { messages: [], isHeld: false };

/** Removes the message at this index; an empty queue is not held. */
export function dequeue(queue: MessageQueue, at: number): MessageQueue {
  const messages = queue.messages.toSpliced(at, 1);
  return messages.length === 0 ? emptyQueue : { ...queue, messages };
}

/** Number of waiting messages and the keys that act on them; empty if there are none. */
export function queueHint({ messages, isHeld }: MessageQueue): string {
  if (messages.length === 0) return "";
  return isHeld
    ? `${messages.length} held: Enter sends the next, Up edits the last`
    : `${messages.length} queued: Up edits the last`;
}
