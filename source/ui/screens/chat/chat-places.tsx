// The chats there are behind one tab: the one with the model of this machine, and those with deployments.

import type { ClientMessage } from "../../../client/chat-events.ts";
import type { SessionDeployment, SessionHead } from "../../../sessions/session.ts";
import type {
  BodySize,
  BoundCommand,
  CommandFacts,
  PaintedScreen,
  ScreenPicture,
  StyledRow,
} from "../../frame/screen.ts";
import { textRow } from "../../panes/styled-row.ts";

/** A chat, and how it looks behind the tab. */
export interface ChatPlace {
  readonly chat: {
    readonly transcript: ClientMessage[];
    goOnWith(saved: SessionHead): Promise<void>;
    notify(sentence: string): void;
  };
  /** The chat itself, or the chat with more around it. */
  readonly screen: PaintedScreen;
  readonly serverLabel: () => string;
}

/** The way to chats with deployments. */
export interface DeploymentPlaces {
  goOnWith(saved: SessionHead, deployment: SessionDeployment): Promise<void>;
  /** Lets the person choose a saved one. @returns a sentence where there is none */
  chooseSaved(): Promise<string | undefined>;
}

/** For the documentation. */
export const chatPlaceFacts: CommandFacts = {
  id: "chat.here",
  title: "Back from a deployment to the model of this machine",
  group: "Chat",
  keys: [],
  slash: ["/here"],
};

/** As in a chat, where there is none yet. */
const savedFacts: CommandFacts = {
  id: "chat.saved",
  title: "Go on with a saved chat",
  group: "Chat",
  keys: ["Alt+S"],
  slash: ["/sessions"],
};

const nobodyLines = [
  "There is nobody to chat with yet.",
  "5 opens the console; Enter on a deployment there opens a chat with it.",
  "Alt+S goes on with a saved chat.",
];

export class ChatPlaces implements PaintedScreen {
  readonly id = "chat";
  readonly title = "Chat";
  readonly #own: ChatPlace | undefined;
  readonly #others = new Map<string, ChatPlace>();
  readonly #listeners = new Set<() => void>();
  #deployments: DeploymentPlaces | undefined;
  #current: ChatPlace | undefined;
  #isActive = false;

  constructor(own: ChatPlace | undefined) {
    this.#own = own;
    this.#current = own;
    own?.screen.subscribe(() => this.#tell());
  }

  /** Of the chat in sight. */
  get transcript(): ClientMessage[] {
    return this.#current?.chat.transcript ?? [];
  }

  serverLabel(): string {
    return this.#current?.serverLabel() ?? "";
  }

  set deployments(deployments: DeploymentPlaces) {
    this.#deployments = deployments;
  }

  /**
   * Goes on with a saved chat where it belongs.
   * @returns false: there is no such place
   */
  async goElsewhere(saved: SessionHead): Promise<boolean> {
    const { deployment } = saved;
    if (deployment !== undefined) {
      await this.#deployments?.goOnWith(saved, deployment);
      return this.#deployments !== undefined;
    }
    if (this.#own === undefined) return false;
    this.#turnTo(this.#own);
    await this.#own.chat.goOnWith(saved);
    return true;
  }

  /** Shows a chat; one that was begun under this name goes on. */
  async show(name: string, create: () => Promise<ChatPlace>): Promise<ChatPlace> {
    const known = this.#others.get(name);
    const place = known ?? (await create());
    if (known === undefined) {
      this.#others.set(name, place);
      place.screen.subscribe(() => this.#tell());
    }
    this.#turnTo(place);
    return place;
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
    return [...(this.#current?.screen.commands() ?? [saved]), here];
  }

  picture(size: BodySize): ScreenPicture {
    return (
      this.#current?.screen.picture(size) ?? {
        rows: nobodyLines.map((line) => textRow(` ${line}`, "dim")),
      }
    );
  }

  status(): string {
    return this.#current?.screen.status() ?? "";
  }

  isTyping(): boolean {
    return this.#current?.screen.isTyping() ?? false;
  }

  type(text: string): void {
    this.#current?.screen.type(text);
  }

  paste(text: string): void {
    this.#current?.screen.paste(text);
  }

  readerLines(): readonly string[] {
    return this.#current?.screen.readerLines() ?? nobodyLines;
  }

  readerFooter(): readonly string[] {
    return this.#current?.screen.readerFooter?.() ?? [];
  }

  /** What other screens name is a model of this machine. */
  accept(argument: string): void {
    if (this.#own === undefined) return;
    this.#turnTo(this.#own);
    this.#own.screen.accept?.(argument);
  }

  aside(size: BodySize): readonly StyledRow[] {
    return this.#current?.screen.aside?.(size) ?? [];
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  activate(): void {
    this.#isActive = true;
    this.#current?.screen.activate();
  }

  deactivate(): void {
    this.#isActive = false;
    this.#current?.screen.deactivate();
  }

  async close(): Promise<void> {
    const places = [...(this.#own === undefined ? [] : [this.#own]), ...this.#others.values()];
    await Promise.all(places.map(({ screen }) => screen.close()));
  }

  #here(): string | undefined {
    if (this.#own === undefined) return "No model of this machine is behind this chat";
    this.#turnTo(this.#own);
    return undefined;
  }

  #turnTo(place: ChatPlace): void {
    if (place === this.#current) return;
    if (this.#isActive) this.#current?.screen.deactivate();
    this.#current = place;
    if (this.#isActive) place.screen.activate();
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
