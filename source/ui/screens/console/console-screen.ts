// The Console screen: what is deployed, how it does, and what can be done about it.

import type { Clock } from "../../../base/clock.ts";
import type { AppDocument } from "../../../cloud/admin/documents.ts";
import type {
  BodySize,
  BoundCommand,
  FrameServices,
  PaintedScreen,
  ScreenPicture,
} from "../../frame/screen.ts";
import { fieldAfterText, fieldCommands } from "../../panes/text-field.ts";
import type { Glyphs } from "../../theme.ts";
import type { CloudAccess, CloudServer } from "../cloud-access.ts";
import { consoleCommands } from "./console-commands.ts";
import { ConsoleController } from "./console-controller.ts";
import { ConsoleModel } from "./console-model.ts";
import { consolePicture } from "./console-picture.ts";
import { spokenApp, spokenEvent, spokenLog } from "./spoken-console.ts";

export interface ConsoleScreenOptions {
  readonly cloud: CloudAccess;
  readonly glyphs: Glyphs;
  readonly clock: Clock;
  readonly frame: FrameServices;
  readonly chatWith: (server: CloudServer, app: AppDocument) => Promise<void>;
}

/** Ages are told in seconds. */
const tickMs = 1000;
/** Events that are read out when one comes. */
const spokenEvents = 20;

export class ConsoleScreen implements PaintedScreen {
  readonly id = "console";
  readonly title = "Console";
  readonly tabNumber = 5;
  readonly #model: ConsoleModel;
  readonly #controller: ConsoleController;
  readonly #listeners = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ConsoleScreenOptions) {
    this.#model = new ConsoleModel({ ...options, onChange: () => this.#tell() });
    this.#controller = new ConsoleController({ ...options, model: this.#model });
  }

  commands(): readonly BoundCommand[] {
    const controller = this.#controller;
    return [
      ...consoleCommands(controller),
      ...fieldCommands(
        () => controller.isTyping,
        (edit) => controller.editField(edit),
      ),
    ];
  }

  picture(size: BodySize): ScreenPicture {
    return consolePicture(this.#model.facts(size), size);
  }

  status(): string {
    const { link, status } = this.#model.feed;
    if (link.kind === "connecting") return "control plane ◐";
    if (link.kind === "down") return "control plane ✗";
    return `control plane ● ${status === undefined ? "" : hostOf(status.baseUrl)}`;
  }

  isTyping(): boolean {
    return this.#controller.isTyping;
  }

  type(text: string): void {
    this.#controller.editField((field) => fieldAfterText(field, text));
  }

  paste(text: string): void {
    this.type(text);
  }

  readerLines(): readonly string[] {
    const { feed, state, apps, log } = this.#model;
    if (state.details !== undefined) return this.#model.detailsText();
    return [
      ...apps.map((app) => spokenApp(app, feed.status?.organisation)),
      ...feed.events.slice(-spokenEvents).map(spokenEvent),
      ...(state.pane === "logs" ? spokenLog(log) : []),
    ];
  }

  readerFooter(): readonly string[] {
    const { feed, state, app, log } = this.#model;
    const { pane } = state;
    const place = feed.server.target.place;
    const { link } = feed;
    const told =
      link.kind === "down" ? link.sentence : link.kind === "up" ? "answers" : "is being asked";
    const filter = pane === "logs" ? log.text : state.filter;
    return [
      `Control plane, ${place}: ${told}`,
      `Pane: ${pane}${filter === "" ? "" : `, filter ${filter}`}`,
      ...(app === undefined ? [] : [`Selected: ${spokenApp(app, feed.status?.organisation)}`]),
      ...(state.made === undefined
        ? []
        : [`New key, shown this once: ${state.made.document.token}`]),
    ];
  }

  /** An app's name, `local/tiny`: it is selected. */
  accept(argument: string): void {
    this.#controller.selectApp(argument);
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  activate(): void {
    this.#model.watch();
    this.#timer = setInterval(() => this.#tell(), tickMs);
  }

  deactivate(): void {
    clearInterval(this.#timer);
    this.#model.unwatch();
  }

  async close(): Promise<void> {
    this.deactivate();
    this.#controller.close();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}
