// What happens on a key of the console: the one place that changes its state.

import type { Clock } from "../../../base/clock.ts";
import { describeError } from "../../../base/product-error.ts";
import type {
  AppDocument,
  KeyDocument,
  NewKeyDocument,
  ReplicaDocument,
} from "../../../cloud/admin/documents.ts";
import { createEditorState, type EditorState } from "../../editor/editor-state.ts";
import type { BodySize, FrameServices, StyledRow } from "../../frame/screen.ts";
import { innerHeight, innerWidth } from "../../panes/box.ts";
import { plainText } from "../../panes/styled-row.ts";
import { fieldWith } from "../../panes/text-field.ts";
import { asciiGlyphs, type Glyphs } from "../../theme.ts";
import type { CloudAccess, CloudServer } from "../cloud-access.ts";
import { AppActions } from "./app-actions.ts";
import { type DetailsFacts, detailsRows } from "./app-details.ts";
import { nameOf } from "./app-figures.ts";
import type { ConsoleActions } from "./console-commands.ts";
import { ConsoleFeed } from "./console-feed.ts";
import { type ConsoleFacts, paneRows } from "./console-picture.ts";
import {
  type ConsoleState,
  changePane,
  goBack,
  initialState,
  moveSelection,
  noteWork,
  type Pane,
  select,
  selectedIndex,
} from "./console-state.ts";
import { KeyActions } from "./key-actions.ts";
import { LogFollower } from "./log-follower.ts";
import { logLineText } from "./log-rows.ts";
import { LogView } from "./log-view.ts";
import { appStateWord } from "./state-words.ts";

export interface ConsoleControllerOptions {
  readonly cloud: CloudAccess;
  readonly glyphs: Glyphs;
  readonly clock: Clock;
  readonly frame: FrameServices;
  readonly chatWith: (server: CloudServer, app: AppDocument) => Promise<void>;
  readonly onChange: () => void;
}

const spokenWidth = 160;

export class ConsoleController implements ConsoleActions {
  readonly log = new LogView();
  readonly #options: ConsoleControllerOptions;
  readonly #apps: AppActions;
  readonly #keys: KeyActions;
  readonly #follower: LogFollower;
  #feed: ConsoleFeed;
  #state: ConsoleState = initialState;
  #details: DetailsFacts | undefined;
  #size: BodySize = { columns: 100, rows: 28 };
  #isActive = false;

  constructor(options: ConsoleControllerOptions) {
    this.#options = options;
    const { frame, onChange } = options;
    const now = () => options.clock.wallMs();
    const server = () => this.#feed.server;
    const onDone = () => void this.#feed.refresh();
    this.#feed = this.#feedOf(undefined);
    this.#apps = new AppActions({
      server,
      frame,
      now,
      onDone,
      onWork: (app, sentence) => this.#set(noteWork(this.#state, app, sentence)),
    });
    this.#keys = new KeyActions({ server, frame, onDone, onMade: (made) => this.#showMade(made) });
    this.#follower = new LogFollower({ server, view: this.log, now, onChange });
  }

  get feed(): ConsoleFeed {
    return this.#feed;
  }

  get state(): ConsoleState {
    return this.#state;
  }

  get pane(): Pane {
    return this.#state.pane;
  }

  get isTyping(): boolean {
    return this.#state.field !== undefined;
  }

  get hasDetails(): boolean {
    return this.#state.details !== undefined;
  }

  get hasMadeKey(): boolean {
    return this.#state.made !== undefined;
  }

  get hasApp(): boolean {
    return this.app !== undefined;
  }

  get hasReplica(): boolean {
    return this.#replica !== undefined;
  }

  get hasKey(): boolean {
    return this.#key !== undefined;
  }

  get isStopped(): boolean {
    return this.app?.state === "PAUSED";
  }

  get canGoBack(): boolean {
    return goBack(this.#state) !== undefined || this.#clearsLog;
  }

  get isDown(): boolean {
    return this.#feed.link.kind === "down";
  }

  get canStart(): boolean {
    const { link, server } = this.#feed;
    return server.target.isLocal && link.kind === "down" && link.isUnreachable;
  }

  /** The selected one. */
  get app(): AppDocument | undefined {
    const apps = this.shownApps();
    return apps[selectedIndex(this.#state.selected.apps, apps.map(nameOf))];
  }

  /** Those whose name has the filter in it. */
  shownApps(): readonly AppDocument[] {
    const filter = this.#state.filter.trim().toLowerCase();
    const { apps } = this.#feed;
    if (filter === "") return apps;
    return apps.filter(
      (app) => nameOf(app).includes(filter) || appStateWord(app.state).includes(filter),
    );
  }

  facts(size: BodySize): ConsoleFacts {
    this.#size = size;
    const { glyphs, clock } = this.#options;
    const feed = this.#feed;
    const apps = this.shownApps();
    const appIndex = selectedIndex(this.#state.selected.apps, apps.map(nameOf));
    const app = apps[appIndex];
    const replicas = app === undefined ? [] : feed.replicasOf(nameOf(app));
    this.#follower.turnTo(this.#isActive && app !== undefined ? nameOf(app) : undefined);
    return {
      state: this.#state,
      target: feed.server.target,
      link: feed.link,
      ageMs: feed.ageMs,
      organisation: feed.status?.organisation,
      apps,
      appCount: feed.apps.length,
      appIndex,
      figuresOf: (name) => feed.figures.of(name),
      replicas,
      replicaIndex: selectedIndex(this.#state.selected.replicas, replicas.map(replicaId)),
      events: app === undefined ? [] : feed.eventsOf(nameOf(app)),
      keys: feed.keys,
      keyIndex: selectedIndex(this.#state.selected.keys, feed.keys.map(keyId)),
      log: this.log,
      detailsRows: this.#detailsRows(innerWidth(size.columns)),
      now: clock.wallMs(),
      glyphs,
    };
  }

  detailsText(): string[] {
    return this.#detailsRows(spokenWidth, asciiGlyphs).map(plainText);
  }

  /** Somebody looks. */
  watch(): void {
    this.#isActive = true;
    this.#feed.start();
  }

  unwatch(): void {
    this.#isActive = false;
    this.#feed.stop();
    this.#follower.close();
  }

  close(): void {
    this.unwatch();
    this.#apps.close();
  }

  selectApp(name: string): void {
    const state = { ...this.#state, pane: "apps", filter: "", details: undefined } as const;
    this.#set(select(state, "apps", { name, index: 0 }));
    void this.#feed.refresh();
  }

  editField(edit: (field: EditorState | undefined) => EditorState): void {
    const { field } = this.#state;
    if (field === undefined) return;
    const editor = edit(field.editor);
    this.#setFilter(editor.text);
    this.#set({ ...this.#state, field: { ...field, editor } });
  }

  openFilter(): undefined {
    const before = this.pane === "logs" ? this.log.text : this.#state.filter;
    const editor = fieldWith(createEditorState(), before);
    this.#set({ ...this.#state, field: { editor, before } });
  }

  keepFilter(): undefined {
    this.#set({ ...this.#state, field: undefined });
  }

  dropFilter(): undefined {
    this.#setFilter(this.#state.field?.before ?? "");
    this.keepFilter();
  }

  copyMadeKey = async (): Promise<string | undefined> => {
    const { made } = this.#state;
    if (made === undefined) return undefined;
    const told = await this.#options.frame.copy(made.document.token);
    this.#set({ ...this.#state, made: { ...made, isCopied: true } });
    return told;
  };

  closeMadeKey(): undefined {
    this.#set({ ...this.#state, made: undefined });
  }

  back(): undefined {
    if (this.#clearsLog) this.log.clearFilters();
    else this.#state = goBack(this.#state) ?? this.#state;
    this.#tell();
  }

  async enter(): Promise<string | undefined> {
    if (this.pane !== "apps") return this.zoom();
    const { app } = this;
    if (app === undefined) return undefined;
    if (app.state === "PAUSED") return `${nameOf(app)} is stopped; x lets it run again`;
    await this.#options.chatWith(this.#feed.server, app);
    return undefined;
  }

  changePane(step: -1 | 1): undefined {
    this.#set(changePane(this.#state, step));
  }

  zoom(): undefined {
    this.#set({ ...this.#state, isZoomed: !this.#state.isZoomed });
  }

  move(rows: number): undefined {
    const { details, pane } = this.#state;
    if (details !== undefined) this.#scrollDetails(rows);
    else if (pane === "logs") this.log.scroll(rows, paneRows(this.#state, this.#size));
    else {
      const names = this.#namesIn(pane);
      this.#state = select(
        this.#state,
        pane,
        moveSelection(this.#state.selected[pane], names, rows),
      );
    }
    this.#tell();
  }

  movePage(direction: -1 | 1): undefined {
    this.move(direction * paneRows(this.#state, this.#size));
  }

  moveToEnd(): undefined {
    this.move(Number.POSITIVE_INFINITY);
  }

  async details(): Promise<string | undefined> {
    const { app } = this;
    if (app === undefined) return undefined;
    const { server } = this.#feed;
    const name = nameOf(app);
    const [details, revisions, replicas] = await Promise.all([
      server.app(name),
      server.revisions(name),
      server.replicas(name),
    ]);
    const callLines = server.callLines(app, undefined);
    this.#details = { details, revisions, replicas, callLines };
    this.#set({ ...this.#state, details: { app: name, top: 0 } });
    return undefined;
  }

  logs(filter: string): undefined {
    const replica = this.pane === "replicas" ? this.#replica?.replica : undefined;
    this.log.setReplica(replica);
    if (filter.trim() !== "") this.log.setText(filter.trim());
    this.#set({ ...this.#state, pane: "logs", details: undefined });
  }

  nextStream(): undefined {
    this.log.nextStream();
    this.#tell();
  }

  wrap(): undefined {
    this.#set({ ...this.#state, isWrapped: !this.#state.isWrapped });
  }

  async pageLog(): Promise<undefined> {
    const lines = this.log.shownLines().map(logLineText);
    await this.#options.frame.page(`${lines.join("\n")}\n`);
  }

  scale = async (range: string) => await this.#onApp((app) => this.#apps.scale(app, range));
  rollBack = async () => await this.#onApp((app) => this.#apps.rollBack(app));
  stopOrResume = async () => await this.#onApp((app) => this.#apps.stopOrResume(app));
  remove = async () => await this.#onApp((app) => this.#apps.remove(app));
  copyUrl = async () => await this.#onApp((app) => this.#options.frame.copy(app.url));
  copyCalls = async () =>
    await this.#onApp(async (app) => {
      const lines = this.#feed.server.callLines(app, undefined);
      return await this.#options.frame.copy(lines.join("\n"));
    });

  stopReplica = async () =>
    this.#replica === undefined ? undefined : await this.#apps.stopReplica(this.#replica);

  makeKey = async () => await this.#keys.make(this.app);
  rotateKey = async () =>
    this.#key === undefined ? undefined : await this.#keys.rotate(this.#key);
  revokeKey = async () =>
    this.#key === undefined ? undefined : await this.#keys.revoke(this.#key);
  copyKeyId = async () =>
    this.#key === undefined ? undefined : await this.#options.frame.copy(this.#key.id);

  async retry(): Promise<undefined> {
    await this.#feed.refresh();
  }

  async startServer(): Promise<string> {
    this.#options.frame.notify("Starting the control plane…");
    const { baseUrl } = await this.#feed.server.start();
    await this.#feed.refresh();
    return `The control plane runs in the background, at ${baseUrl}`;
  }

  async chooseServer(): Promise<string | undefined> {
    const { cloud, frame } = this.#options;
    const targets = await cloud.targets();
    const chosen = await frame.choose(
      "Server",
      targets.map(({ profile, place }) => ({ value: profile, title: profile, note: place })),
    );
    if (chosen === undefined || chosen === this.#feed.server.target.profile) return undefined;
    this.unwatch();
    this.#state = { ...initialState };
    this.#feed = this.#feedOf(chosen);
    this.watch();
    this.#tell();
    return undefined;
  }

  get #replica(): ReplicaDocument | undefined {
    const { app } = this;
    if (app === undefined) return undefined;
    const replicas = this.#feed.replicasOf(nameOf(app));
    return replicas[selectedIndex(this.#state.selected.replicas, replicas.map(replicaId))];
  }

  get #key(): KeyDocument | undefined {
    const { keys } = this.#feed;
    return keys[selectedIndex(this.#state.selected.keys, keys.map(keyId))];
  }

  /** In the log Esc shows all lines first. */
  get #clearsLog(): boolean {
    return this.pane === "logs" && !this.hasDetails && this.log.hasFilters;
  }

  #feedOf(profile: string | undefined): ConsoleFeed {
    const { cloud, clock, onChange } = this.#options;
    const server = cloud.server(profile);
    return new ConsoleFeed({ server, now: () => clock.wallMs(), onChange });
  }

  #namesIn(pane: "apps" | "replicas" | "keys"): string[] {
    if (pane === "keys") return this.#feed.keys.map(keyId);
    if (pane === "apps") return this.shownApps().map(nameOf);
    const { app } = this;
    return app === undefined ? [] : this.#feed.replicasOf(nameOf(app)).map(replicaId);
  }

  #setFilter(text: string): void {
    if (this.pane === "logs") this.log.setText(text);
    else this.#state = { ...this.#state, filter: text };
  }

  #showMade(document: NewKeyDocument): void {
    this.#set({ ...this.#state, made: { document, isCopied: false } });
  }

  #detailsRows(width: number, glyphs = this.#options.glyphs): readonly StyledRow[] {
    if (this.#state.details === undefined || this.#details === undefined) return [];
    return detailsRows(this.#details, { width, glyphs, now: this.#options.clock.wallMs() });
  }

  #scrollDetails(rows: number): void {
    const { details } = this.#state;
    if (details === undefined) return;
    const count = this.#detailsRows(innerWidth(this.#size.columns)).length;
    const last = Math.max(0, count - innerHeight(this.#size.rows));
    const top = Math.max(0, Math.min(last, details.top + rows));
    this.#state = { ...this.#state, details: { ...details, top } };
  }

  async #onApp(
    act: (app: AppDocument) => Promise<string | undefined>,
  ): Promise<string | undefined> {
    const { app } = this;
    if (app === undefined) return undefined;
    return await act(app).catch(describeError);
  }

  #set(state: ConsoleState): undefined {
    this.#state = state;
    this.#tell();
  }

  #tell(): void {
    this.#options.onChange();
  }
}

function replicaId({ replica }: ReplicaDocument): string {
  return replica;
}

function keyId({ id }: KeyDocument): string {
  return id;
}
