// The Server screen: how the server does, what is asked of it, and what can be done about it.

import { describeError } from "../../../base/product-error.ts";
import type { ApiClient } from "../../../client/api-client.ts";
import type { RequestView } from "../../../client/requests.ts";
import { createEditorState, type EditorState } from "../../editor/editor-state.ts";
import type {
  BodySize,
  BoundCommand,
  FrameServices,
  Screen,
  ScreenPicture,
  StyledRow,
} from "../../frame/screen.ts";
import { keyOf, type RequestFeed } from "../../live/request-feed.ts";
import { type RequestFigures, requestFigures } from "../../live/request-figures.ts";
import type { ServerWatch } from "../../live/server-watch.ts";
import { innerWidth } from "../../panes/box.ts";
import { rate, span } from "../../panes/quantities.ts";
import { plainText } from "../../panes/styled-row.ts";
import { fieldAfterText, fieldCommands, fieldWith } from "../../panes/text-field.ts";
import { asciiGlyphs, type Glyphs } from "../../theme.ts";
import { RequestActions } from "./request-actions.ts";
import { requestColumns, requestRow } from "./request-columns.ts";
import { detailRows, detailText } from "./request-detail.ts";
import { type ReadFilter, RequestList } from "./request-list.ts";
import { type ServerActions, serverCommands } from "./server-commands.ts";
import { detailHeight, serverPicture, tableRows } from "./server-picture.ts";

/** Stops and starts the server that this program hosts. */
export interface ServerControl {
  readonly isRunning: () => boolean;
  /** @throws with a sentence */
  stop(): Promise<void>;
  /** @throws with a sentence, such as that the port is taken */
  start(): Promise<void>;
}

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

const spokenWidth = 160;
/** Lines of the table that are read out. */
const spokenRequests = 20;

export class ServerScreen implements Screen {
  readonly id = "server";
  readonly title = "Server";
  readonly #options: ServerScreenOptions;
  readonly #list: RequestList;
  readonly #requests: RequestActions;
  readonly #listeners = new Set<() => void>();
  #size: BodySize = { columns: 100, rows: 28 };
  #field: EditorState | undefined;
  #textBefore = "";
  #isRelative = false;
  #isWrapped = true;
  #detail: { key: string; top: number } | undefined;
  #figures: { at: number; value: RequestFigures } | undefined;
  #leave: (() => void)[] = [];

  constructor(options: ServerScreenOptions) {
    this.#options = options;
    this.#list = new RequestList(options.readFilter);
    this.#requests = new RequestActions({ ...options, onChange: () => this.#tell() });
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
        isStopped: this.#options.control?.isRunning() === false,
        list: this.#list,
        field: this.#field,
        isRelative: this.#isRelative,
        detail:
          this.#detail === undefined
            ? undefined
            : { rows: this.#detailRows(), top: this.#detail.top },
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
    if (this.#detail !== undefined) return this.#detailRows().map(plainText);
    const options = { glyphs: asciiGlyphs, isRelative: false, now: this.#options.now() };
    const columns = requestColumns(options);
    // A running one changes all the time: it is read out when it has ended.
    return this.#list.shown
      .filter(({ state }) => state === "done")
      .slice(-spokenRequests)
      .map((view) => plainText(requestRow(columns, view, spokenWidth, asciiGlyphs)).trim())
      .map((line) => line.replaceAll(/\s{2,}/g, " "));
  }

  readerFooter(): readonly string[] {
    const { sample, state } = this.#options.watch;
    const { selected, filters } = this.#list;
    return [
      state.kind === "down" ? `Server: ${state.sentence}` : `Server: ${this.#options.watch.url}`,
      ...(sample === undefined
        ? []
        : [
            `${sample.running} running, ${sample.waiting} waiting, ${rate(sample.tokensPerSecond)} tok/s`,
          ]),
      `Filter: ${this.#field?.text ?? filters.text}`,
      ...(selected === undefined
        ? []
        : [`Selected: ${selected.id} ${selected.method} ${selected.path}`]),
    ];
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
    const { control } = this.#options;
    const requests = this.#requests;
    const changed = (change: () => void) => (): undefined => {
      change();
      this.#tell();
    };
    const onSelected = async <T>(act: (view: RequestView) => Promise<T>, otherwise: T) =>
      selected === undefined ? otherwise : await act(selected);
    return {
      isFieldOpen: this.#field !== undefined,
      isDetailOpen: this.#detail !== undefined,
      hasRequests: selected !== undefined,
      hasFilters: filters.text !== "" || filters.status !== "all" || filters.model !== undefined,
      isPaused: list.isPaused,
      isFollowing: list.isFollowing,
      isRunning: selected?.state === "running",
      control: control === undefined ? undefined : control.isRunning() ? "running" : "stopped",
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
      closeDetail: changed(() => {
        this.#detail = undefined;
      }),
      cancel: () => onSelected((view) => requests.cancel(view), undefined),
      copyCurl: () => onSelected((view) => requests.copyCurl(view), ""),
      copyJson: () => onSelected((view) => requests.copyJson(view), ""),
      replay: () => onSelected((view) => requests.replay(view), undefined),
      exportShown: () => requests.exportAll(list.shown),
      toggleTime: changed(() => {
        this.#isRelative = !this.#isRelative;
      }),
      toggleWrap: changed(() => {
        this.#isWrapped = !this.#isWrapped;
      }),
      page: () => this.#page(),
      toggleServer: () => this.#toggleServer(),
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
    this.#detail = { key: keyOf(selected), top: 0 };
    this.#requests.read(selected);
  }

  #detailRows(): StyledRow[] {
    const view = this.#options.feed.find(this.#detail?.key ?? "") ?? this.#list.selected;
    if (view === undefined) return [];
    const texts = this.#requests.textsOf(view);
    return detailRows(
      view,
      texts,
      innerWidth(this.#size.columns),
      this.#options.glyphs,
      this.#isWrapped,
    );
  }

  #follow(): void {
    if (this.#detail === undefined) this.#list.follow();
    else this.#move(Number.POSITIVE_INFINITY);
  }

  #move(rows: number): undefined {
    if (this.#detail === undefined) {
      this.#list.move(rows);
    } else {
      const last = Math.max(0, this.#detailRows().length - detailHeight(this.#size));
      const top = Math.min(last, Math.max(0, this.#detail.top + rows));
      this.#detail = { ...this.#detail, top };
    }
    return this.#tell();
  }

  #movePage(direction: -1 | 1): undefined {
    const height = this.#detail === undefined ? tableRows(this.#size) : detailHeight(this.#size);
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

  async #toggleServer(): Promise<string | undefined> {
    const { control, frame, watch } = this.#options;
    if (control === undefined) return "Another program hosts this server";
    try {
      if (!control.isRunning()) {
        await control.start();
        return `The server is listening on ${watch.url}`;
      }
      const running = watch.sample?.running ?? 0;
      const effect = running > 0 ? ` ${running} running requests are finished first.` : "";
      if (!(await frame.confirm(`Stop the server on ${watch.url}?${effect}`))) return undefined;
      await control.stop();
      return "The server is stopped";
    } catch (error) {
      return describeError(error);
    } finally {
      this.#tell();
    }
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
