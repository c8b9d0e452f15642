// Chats behind one tab: one with the model of this machine, and those with deployments.

import { Box } from "ink";
import { memo, type ReactElement, useSyncExternalStore } from "react";
import { Observable } from "../../../base/store.ts";
import type { CommandFacts } from "../../../chat/commands/command.ts";
import type { SessionDeployment, SessionHead } from "../../../chat/sessions/session.ts";
import type { ClientMessage } from "../../../client/chat-events.ts";
import { Text } from "../../components/text.tsx";
import type { BodySize, BoundCommand, Screen, Spoken } from "../../frame/screen.ts";
import { useLook } from "../../hooks/use-look.ts";
import { usePaced } from "../../hooks/use-store.ts";

/** A screen with one conversation. */
export interface PlacedChat extends Screen {
  /** The server's address, with a sign of its state. */
  serverLabel(): string;
  readonly transcript: ClientMessage[];
  /** Undefined before the first message, and when chats are not saved. */
  readonly saved: SessionHead | undefined;
  resume(saved: SessionHead): Promise<void>;
  notify(sentence: string): void;
}

/** Access to chats with deployments. */
export interface DeploymentPlaces {
  resume(saved: SessionHead, deployment: SessionDeployment): Promise<void>;
  /** Lets the user choose a saved chat. @returns a sentence when there is none */
  chooseSaved(): Promise<string | undefined>;
}

/** For the documentation. */
export const chatPlaceFacts: CommandFacts = {
  id: "chat.here",
  title: "Return from a deployment to a local model",
  group: "Chat",
  keys: [],
  slash: ["/here"],
};

/** Same as the command of a chat, when no chat is open. */
const savedFacts: CommandFacts = {
  id: "chat.saved",
  title: "Resume a saved chat",
  group: "Chat",
  keys: ["Alt+S"],
  slash: ["/sessions"],
};

const noChatLines = [
  "No chat is open.",
  "Press 5 for the console, then Enter on a deployment to chat with it.",
  "Press Alt+S to resume a saved chat.",
];

export class ChatPlaces extends Observable implements Screen {
  readonly id = "chat";
  readonly title = "Chat";
  /** Leaves two rows of messages above the field, and half a line for words. */
  readonly smallestWindow = { columns: 24, rows: 7 };
  readonly #own: PlacedChat | undefined;
  readonly #others = new Map<string, PlacedChat>();
  #deployments: DeploymentPlaces | undefined;
  #current: PlacedChat | undefined;
  #isActive = false;

  /** Each chat has its own component, so that switching mounts another one. */
  readonly Body = memo((size: BodySize): ReactElement => {
    const chat = useCurrent(this);
    return chat === undefined ? <NoChat /> : <chat.Body {...size} />;
  });

  readonly Scrollback = memo((room: { readonly columns: number }): ReactElement | null => {
    const Printed = useCurrent(this)?.Scrollback;
    return Printed === undefined ? null : <Printed {...room} />;
  });

  constructor(own: PlacedChat | undefined) {
    super();
    this.#own = own;
    this.#current = own;
    own?.subscribe(() => this.tell());
  }

  /** The chat in front; undefined while there is none. */
  get current(): PlacedChat | undefined {
    return this.#current;
  }

  set deployments(deployments: DeploymentPlaces) {
    this.#deployments = deployments;
  }

  /**
   * Resumes a saved chat where it belongs.
   * @returns false if that chat does not exist here
   */
  async goElsewhere(saved: SessionHead): Promise<boolean> {
    const { deployment } = saved;
    if (deployment !== undefined) {
      await this.#deployments?.resume(saved, deployment);
      return this.#deployments !== undefined;
    }
    if (this.#own === undefined) return false;
    this.#turnTo(this.#own);
    await this.#own.resume(saved);
    return true;
  }

  /** Shows a chat; reuses an open one of this name. */
  async show(name: string, create: () => Promise<PlacedChat>): Promise<PlacedChat> {
    const known = this.#others.get(name);
    const chat = known ?? (await create());
    if (known === undefined) {
      this.#others.set(name, chat);
      chat.subscribe(() => this.tell());
    }
    this.#turnTo(chat);
    return chat;
  }

  commands(): readonly BoundCommand[] {
    const here: BoundCommand = {
      ...chatPlaceFacts,
      hint: () => undefined,
      isValid: () => this.#own !== undefined && this.#current !== this.#own,
      run: () => this.#here(),
    };
    const saved: BoundCommand = {
      ...savedFacts,
      hint: () => "saved chats",
      isValid: () => this.#current === undefined && this.#deployments !== undefined,
      run: () => this.#deployments?.chooseSaved(),
    };
    return [...(this.#current?.commands() ?? [saved]), here];
  }

  status(): string {
    return this.#current?.status() ?? "";
  }

  isTyping(): boolean {
    return this.#current?.isTyping() ?? false;
  }

  type(text: string): void {
    this.#current?.type(text);
  }

  paste(text: string): void {
    this.#current?.paste(text);
  }

  spoken(): Spoken {
    return this.#current?.spoken() ?? { finished: noChatLines, live: [] };
  }

  /** Other screens pass the names of models on this machine. */
  accept(argument: string): void {
    if (this.#own === undefined) return;
    this.#turnTo(this.#own);
    this.#own.accept?.(argument);
  }

  activate(): void {
    this.#isActive = true;
    this.#current?.activate();
  }

  deactivate(): void {
    this.#isActive = false;
    this.#current?.deactivate();
  }

  async close(): Promise<void> {
    const chats = [...(this.#own === undefined ? [] : [this.#own]), ...this.#others.values()];
    await Promise.all(chats.map((chat) => chat.close()));
  }

  #here(): string | undefined {
    if (this.#own === undefined) return "No local model to return to";
    this.#turnTo(this.#own);
    return undefined;
  }

  #turnTo(chat: PlacedChat): void {
    if (chat === this.#current) return;
    if (this.#isActive) this.#current?.deactivate();
    this.#current = chat;
    if (this.#isActive) chat.activate();
    this.tell();
  }
}

function useCurrent(places: ChatPlaces): PlacedChat | undefined {
  return useSyncExternalStore(usePaced(places), () => places.current);
}

function NoChat(): ReactElement {
  const { theme } = useLook();
  return (
    <Box flexDirection="column" flexShrink={0} paddingX={1}>
      {noChatLines.map((line) => (
        <Text key={line} {...theme.dim} wrap="truncate">
          {line}
        </Text>
      ))}
    </Box>
  );
}
