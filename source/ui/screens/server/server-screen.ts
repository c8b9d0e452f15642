// The Server screen: how the server does, what is asked of it, and what can be done about it.

import type { ApiClient } from "../../../client/api-client.ts";
import type { RequestView } from "../../../client/requests.ts";
import { createEditorState, type EditorState } from "../../editor/editor-state.ts";
import type {
  BodySize,
  BoundCommand,
  FrameServices,
  PaintedScreen,
  ScreenPicture,
  StyledRow,
} from "../../frame/screen.ts";
import type { RequestFeed } from "../../live/request-feed.ts";
import { type RequestFigures, requestFigures } from "../../live/request-figures.ts";
import type { ServerWatch } from "../../live/server-watch.ts";
import { innerWidth } from "../../panes/box.ts";
import { plainText } from "../../panes/styled-row.ts";
import { fieldAfterText, fieldCommands, fieldWith } from "../../panes/text-field.ts";
import { rate, span } from "../../text/quantities.ts";
import { asciiGlyphs, type Glyphs } from "../../theme.ts";
import { OpenRequest } from "./open-request.ts";
import { RequestActions } from "./request-actions.ts";
import { detailText } from "./request-detail.ts";
import { type ReadFilter, RequestList } from "./request-list.ts";
import { type ServerActions, serverCommands } from "./server-commands.ts";
import { type ServerControl, ServerKeeper } from "./server-control.ts";
import { bannerOf, detailHeight, exampleCall, serverPicture, tableRows } from "./server-picture.ts";
import { spokenRequestLines, spokenServerFooter } from "./spoken-requests.ts";

export interface ServerScreenOptions {
  readonly watch: ServerWatch;
  readonly feed: RequestFeed;
  readonly client: () => ApiClient;
  readonly readFilter: ReadFilter;
  /** Undefined where another program hosts the server. */
  readonly control: ServerControl | undefined;
  readonly glyphs: Glyphs;
  readonly frame: FrameServices;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export class ServerScreen implements PaintedScreen {
  readonly id = "server";
  readonly title = "Server";
  readonly #options: ServerScreenOptions;
  readonly #list: RequestList;
  readonly #requests: RequestActions;
  readonly #open: OpenRequest;
  readonly #keeper: ServerKeeper;
  readonly #listeners = new Set<() => void>();
  #size: BodySize = { columns: 100, rows: 28 };
  #field: EditorState | undefined;
  #textBefore = "";
  #isRelative = false;
  #figures: { at: number; value: RequestFigures } | undefined;
  #leave: (() => void)[] = [];

  constructor(options: ServerScreenOptions) {
    this.#options = options;
    this.#list = new RequestList(options.readFilter);
    this.#requests = new RequestActions({ ...options, onChange: () => this.#tell() });
    this.#keeper = new ServerKeeper({ ...options, onChange: () => this.#tell() });
    this.#open = new OpenRequest({
      glyphs: options.glyphs,
      find: (key) => options.feed.find(key),
      textsOf: (view) => this.#requests.textsOf(view),
    });
  }

  commands(): readonly BoundCommand[] {
    return [
      ...serverCommands(this.#actions()),
      ...fieldCommands(
        () => this.#field !== undefined,
        (edit) => this.#setField(edit(this.#field ?? createEditorState())),
      ),
    ];
  }

  picture(size: BodySize): ScreenPicture {
    this.#size = size;
    const { watch, glyphs } = this.#options;
    this.#list.setSource(this.#options.feed.entries);
    return serverPicture(
      {
        panes: this.#paneFacts(),
        link: watch.state,
        url: watch.url,
        keeper: this.#keeper,
        list: this.#list,
        field: this.#field,
        isRelative: this.#isRelative,
        detail: this.#open.isOpen ? { rows: this.#detailRows(), top: this.#open.top } : undefined,
        glyphs,
      },
      size,
    );
  }

  status(): string {
    const { sample, staleMs } = this.#options.watch;
    if (sample === undefined || staleMs !== undefined) return "";
    return `up ${span(sample.uptimeMs)}  ${rate(sample.tokensPerSecond)} tok/s`;
  }

  isTyping(): boolean {
    return this.#field !== undefined;
  }

  type(text: string): void {
    if (this.#field !== undefined) this.#setField(fieldAfterText(this.#field, text));
  }

  paste(text: string): void {
    this.type(text);
  }

  readerLines(): readonly string[] {
    this.#list.setSource(this.#options.feed.entries);
    if (this.#open.isOpen) return this.#detailRows().map(plainText);
    return spokenRequestLines(this.#list, this.#options.now());
  }

  readerFooter(): readonly string[] {
    const filter = this.#field?.text ?? this.#list.filters.text;
    const { watch } = this.#options;
    const { text: banner } =
      bannerOf({
        keeper: this.#keeper,
        link: watch.state,
        url: watch.url,
        glyphs: asciiGlyphs,
        panes: { now: this.#options.now() },
      }) ?? {};
    return spokenServerFooter(watch, this.#list, filter, banner);
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  activate(): void {
    const { watch, feed } = this.#options;
    watch.start();
    feed.start();
    this.#leave = [watch.subscribe(() => this.#tell()), feed.subscribe(() => this.#tell())];
  }

  deactivate(): void {
    for (const leave of this.#leave.splice(0)) leave();
    this.#options.feed.stop();
  }

  async close(): Promise<void> {
    this.deactivate();
    this.#requests.close();
  }

  #actions(): ServerActions {
    const list = this.#list;
    const { selected, filters } = list;
    const requests = this.#requests;
    const changed = (change: () => void) => (): undefined => {
      change();
      this.#tell();
    };
    const onSelected = async <T>(act: (view: RequestView) => Promise<T>, otherwise: T) =>
      selected === undefined ? otherwise : await act(selected);
    return {
      isFieldOpen: this.#field !== undefined,
      isDetailOpen: this.#open.isOpen,
      hasRequests: selected !== undefined,
      hasFilters: filters.text !== "" || filters.status !== "all" || filters.model !== undefined,
      isPaused: list.isPaused,
      isFollowing: list.isFollowing,
      isRunning: selected?.state === "running",
      hasExample: list.total === 0,
      control: this.#keeper.state,
      remedy: this.#keeper.problem?.remedy,
      openField: changed(() => {
        this.#textBefore = filters.text;
        this.#field = fieldWith(createEditorState(), filters.text);
      }),
      closeField: (isKept) => {
        if (!isKept) list.setFilters({ text: this.#textBefore });
        this.#field = undefined;
        return this.#tell();
      },
      clearFilters: changed(() => list.setFilters({ text: "", status: "all", model: undefined })),
      nextStatus: changed(() => list.nextStatusClass()),
      chooseModel: () => this.#chooseModel(),
      togglePause: changed(() => list.togglePause()),
      follow: changed(() => this.#follow()),
      move: (rows) => this.#move(rows),
      movePage: (direction) => this.#movePage(direction),
      moveToStart: () => this.#move(Number.NEGATIVE_INFINITY),
      openDetail: changed(() => this.#openDetail()),
      closeDetail: changed(() => this.#open.close()),
      cancel: () => onSelected((view) => requests.cancel(view), undefined),
      copyCurl: () =>
        selected === undefined
          ? this.#options.frame.copy(exampleCall(this.#options.watch.url))
          : requests.copyCurl(selected),
      copyJson: () => onSelected((view) => requests.copyJson(view), ""),
      replay: () => onSelected((view) => requests.replay(view), undefined),
      exportShown: () => requests.exportAll(list.shown),
      toggleTime: changed(() => {
        this.#isRelative = !this.#isRelative;
      }),
      toggleWrap: changed(() => this.#open.toggleWrap()),
      page: () => this.#page(),
      toggleServer: () => this.#keeper.toggle(),
      startOnNextPort: () => this.#keeper.startOnNextPort(),
      makeKey: () => this.#keeper.makeKey(),
      changeSettings: () => this.#keeper.changeSettings(),
    };
  }

  #setField(field: EditorState): void {
    this.#field = field;
    this.#list.setFilters({ text: field.text });
    this.#tell();
  }

  async #chooseModel(): Promise<undefined> {
    const all = "";
    const choices = [
      { value: all, title: "all models" },
      ...this.#list.models.map((name) => ({ value: name, title: name })),
    ];
    const chosen = await this.#options.frame.choose("Requests to", choices);
    if (chosen === undefined) return undefined;
    this.#list.setFilters({ model: chosen === all ? undefined : chosen });
    this.#tell();
    return undefined;
  }

  #openDetail(): void {
    const { selected } = this.#list;
    if (selected === undefined) return;
    // New requests must not take the place of the one that is read.
    this.#list.anchor();
    this.#open.open(selected);
    this.#requests.read(selected);
  }

  #detailRows(): StyledRow[] {
    return this.#open.rows(innerWidth(this.#size.columns));
  }

  #follow(): void {
    if (this.#open.isOpen) this.#move(Number.POSITIVE_INFINITY);
    else this.#list.follow();
  }

  #move(rows: number): undefined {
    const { columns } = this.#size;
    const size = { width: innerWidth(columns), height: detailHeight(this.#size) };
    if (this.#open.isOpen) this.#open.scroll(rows, size);
    else this.#list.move(rows);
    return this.#tell();
  }

  #movePage(direction: -1 | 1): undefined {
    const height = this.#open.isOpen ? detailHeight(this.#size) : tableRows(this.#size);
    return this.#move(direction * Math.max(1, height - 1));
  }

  async #page(): Promise<undefined> {
    const { selected } = this.#list;
    if (selected === undefined) return undefined;
    await this.#requests.whenRead(selected);
    const texts = this.#requests.textsOf(selected);
    await this.#options.frame.page(detailText(selected, texts, this.#options.glyphs));
    return undefined;
  }

  #paneFacts() {
    const { watch, feed } = this.#options;
    const now = this.#options.now();
    const second = Math.floor(now / 1000);
    // Once a second is enough for what is drawn over a minute.
    if (this.#figures?.at !== second) {
      this.#figures = { at: second, value: requestFigures(feed.entries, now) };
    }
    return {
      samples: watch.samples,
      figures: this.#figures.value,
      isStale: watch.state.kind === "down",
      now,
    };
  }

  #tell(): undefined {
    for (const listener of this.#listeners) listener();
    return undefined;
  }
}
