// Context of the chat's commands and actions: its state, and the services that they use.

import type { Clock } from "../../../base/clock.ts";
import type { ChatActions } from "../../../chat/chat-actions.ts";
import type { ChatBackend, ChatOptions, ChatTools } from "../../../chat/chat-backend.ts";
import type { CommandContext } from "../../../chat/commands/command.ts";
import type { PromptHistoryFile } from "../../../chat/prompt-history.ts";
import type { SessionRecorder } from "../../../chat/sessions/session-recorder.ts";
import type { BodySize, FrameServices } from "../../frame/screen.ts";
import type { ChatSession } from "./chat-session.ts";
import type { ChatState } from "./chat-state.ts";
import type { ChatView } from "./chat-view.ts";
import type { FirstModelsList } from "./first-models.ts";

export interface ChatContext extends ChatView {
  readonly state: ChatState;
  readonly backend: ChatBackend;
  readonly session: ChatSession;
  readonly actions: ChatActions;
  /** Context of typed commands. */
  readonly typed: CommandContext;
  readonly frame: FrameServices;
  readonly clock: Clock;
  /** Undefined when chats are not saved. */
  readonly recorder: SessionRecorder | undefined;
  readonly historyFile: PromptHistoryFile | undefined;
  /** Models to begin with; undefined where none are offered. */
  readonly firstModels: FirstModelsList | undefined;
  readonly goElsewhere: ChatOptions["goElsewhere"];
  /** Undefined where the model may call none. */
  readonly tools: ChatTools | undefined;
  readonly notify: (text: string) => undefined;
  /** Shows why something failed. */
  readonly warn: (text: string) => undefined;
  /** Size of the conversation. */
  readonly size: () => BodySize;
  /** True for a screen reader: lists are printed instead of opened over the chat. */
  readonly isRead: boolean;
  /** True while the chat is in front. */
  isActive: boolean;
  /** Resolves when the menu for the current text is known, if there is one. */
  opening: Promise<void> | undefined;
  /** A message refused because of an image path: sent again, it goes without the image. */
  heldBack: string | undefined;
  /** The block of code that was copied last. */
  copied: { readonly id: number; readonly block: number } | undefined;
  /** When Ctrl+C and Esc were pressed last. */
  interruptedAtMs: number;
  escapedAtMs: number;
}
