// What happens on a key of the console.

import { describeError } from "../../../base/product-error.ts";
import { showControls } from "../../../base/seen-text.ts";
import type { AppDocument, NewKeyDocument } from "../../../cloud/admin/documents.ts";
import { createEditorState, type EditorState } from "../../editor/editor-state.ts";
import type { FrameServices } from "../../frame/screen.ts";
import { fieldWith } from "../../panes/text-field.ts";
import type { CloudAccess, CloudServer } from "../cloud-access.ts";
import { AppActions } from "./app-actions.ts";
import { nameOf } from "./app-figures.ts";
import type { ConsoleActions } from "./console-commands.ts";
import type { ConsoleModel } from "./console-model.ts";
import { changePane, goBack, noteWork, type Pane } from "./console-state.ts";
import { KeyActions } from "./key-actions.ts";
import { logLineText } from "./log-rows.ts";

export interface ConsoleControllerOptions {
  readonly model: ConsoleModel;
  readonly cloud: CloudAccess;
  readonly frame: FrameServices;
  readonly chatWith: (server: CloudServer, app: AppDocument) => Promise<void>;
}

export class ConsoleController implements ConsoleActions {
  readonly #options: ConsoleControllerOptions;
  readonly #model: ConsoleModel;
  readonly #apps: AppActions;
  readonly #keys: KeyActions;

  constructor(options: ConsoleControllerOptions) {
    this.#options = options;
    const { model, frame } = options;
    this.#model = model;
    const server = () => model.feed.server;
    const onDone = () => void model.feed.refresh();
    const onWork = (app: string, sentence: string | undefined) =>
      model.change(noteWork(model.state, app, sentence));
    this.#apps = new AppActions({ server, frame, now: () => model.now, onDone, onWork });
    this.#keys = new KeyActions({ server, frame, onDone, onMade: (made) => this.#showMade(made) });
  }

  get pane(): Pane {
    return this.#model.state.pane;
  }

  get isTyping(): boolean {
    return this.#model.state.field !== undefined;
  }

  get hasDetails(): boolean {
    return this.#model.state.details !== undefined;
  }

  get hasMadeKey(): boolean {
    return this.#model.state.made !== undefined;
  }

  get hasApp(): boolean {
    return this.#model.app !== undefined;
  }

  get hasReplica(): boolean {
    return this.#model.replica !== undefined;
  }

  get hasKey(): boolean {
    return this.#model.key !== undefined;
  }

  get isStopped(): boolean {
    return this.#model.app?.state === "PAUSED";
  }

  get canGoBack(): boolean {
    return goBack(this.#model.state) !== undefined || this.#clearsLog;
  }

  get isDown(): boolean {
    return this.#model.feed.link.kind === "down";
  }

  get canStart(): boolean {
    const { link, server } = this.#model.feed;
    return server.target.isLocal && link.kind === "down" && link.isUnreachable;
  }

  close(): void {
    this.#apps.close();
  }

  selectApp(name: string): void {
    const { selected } = this.#model.state;
    const apps = { name, index: 0 };
    this.#model.change({
      pane: "apps",
      filter: "",
      details: undefined,
      selected: { ...selected, apps },
    });
    void this.#model.feed.refresh();
  }

  editField(edit: (field: EditorState) => EditorState): void {
    const { field } = this.#model.state;
    if (field === undefined) return;
    const editor = edit(field.editor);
    this.#setFilter(editor.text);
    this.#model.change({ field: { ...field, editor } });
  }

  openFilter(): undefined {
    const before = this.pane === "logs" ? this.#model.log.text : this.#model.state.filter;
    this.#model.change({ field: { editor: fieldWith(createEditorState(), before), before } });
  }

  keepFilter(): undefined {
    this.#model.change({ field: undefined });
  }

  dropFilter(): undefined {
    this.#setFilter(this.#model.state.field?.before ?? "");
    this.keepFilter();
  }

  async copyMadeKey(): Promise<string | undefined> {
    const { made } = this.#model.state;
    if (made === undefined) return undefined;
    const told = await this.#options.frame.copy(made.document.token);
    this.#model.change({ made: { ...made, isCopied: true } });
    return told;
  }

  closeMadeKey(): undefined {
    this.#model.change({ made: undefined });
  }

  back(): undefined {
    const { log, state } = this.#model;
    if (this.#clearsLog) {
      log.clearFilters();
      this.#model.change({});
    } else this.#model.change(goBack(state) ?? {});
  }

  async enter(): Promise<string | undefined> {
    if (this.pane !== "apps") return this.zoom();
    return await this.#onApp(async (app) => {
      if (app.state === "PAUSED") return `${nameOf(app)} is stopped; x lets it run again`;
      await this.#options.chatWith(this.#model.feed.server, app);
      return undefined;
    });
  }

  changePane(step: -1 | 1): undefined {
    this.#model.change(changePane(this.#model.state, step));
  }

  zoom(): undefined {
    this.#model.change({ isZoomed: !this.#model.state.isZoomed });
  }

  move(rows: number): undefined {
    this.#model.move(rows);
  }

  movePage(direction: -1 | 1): undefined {
    this.#model.movePage(direction);
  }

  async details(): Promise<string | undefined> {
    return await this.#onApp(async (app) => {
      const { server } = this.#model.feed;
      const name = nameOf(app);
      const [details, revisions, replicas] = await Promise.all([
        server.app(name),
        server.revisions(name),
        server.replicas(name),
      ]);
      const callLines = server.callLines(app, undefined);
      this.#model.showDetails({ details, revisions, replicas, callLines });
      return undefined;
    });
  }

  /** @param words a deployment's name, a replica's, a filter: as much of them as is wanted */
  logs(words: string): undefined {
    const filter = this.#model.selectNamed(words).trim();
    const { log, replica } = this.#model;
    const named = this.#model.replicaNamed(filter);
    log.setReplica(named ?? (this.pane === "replicas" ? replica?.replica : undefined));
    if (filter !== "" && named === undefined) log.setText(filter);
    this.#model.change({ pane: "logs", details: undefined });
  }

  nextStream(): undefined {
    this.#model.log.nextStream();
    this.#model.change({});
  }

  wrap(): undefined {
    this.#model.change({ isWrapped: !this.#model.state.isWrapped });
  }

  async pageLog(): Promise<undefined> {
    const lines = this.#model.log.shownLines().map((line) => showControls(logLineText(line)));
    await this.#options.frame.page(`${lines.join("\n")}\n`);
  }

  /** @param words a range, with or without a deployment's name in front */
  async scale(words: string): Promise<string | undefined> {
    const range = this.#model.selectNamed(words);
    return await this.#onApp((app) => this.#apps.scale(app, range));
  }

  /** @param words a revision, with or without a deployment's name in front */
  async rollBack(words: string): Promise<string | undefined> {
    const revision = this.#model.selectNamed(words).trim();
    return await this.#onApp((app) => this.#apps.rollBack(app, revision));
  }

  /** @param name of a deployment; empty: the selected one */
  async stopOrResume(name: string): Promise<string | undefined> {
    return await this.#onNamed(name, (app) => this.#apps.stopOrResume(app));
  }

  /** @param name as above */
  async remove(name: string): Promise<string | undefined> {
    return await this.#onNamed(name, (app) => this.#apps.remove(app));
  }

  async copyUrl(): Promise<string | undefined> {
    return await this.#onApp((app) => this.#options.frame.copy(app.url));
  }

  async copyCalls(): Promise<string | undefined> {
    const { server } = this.#model.feed;
    return await this.#onApp(async (app) => {
      return await this.#options.frame.copy(server.callLines(app, undefined).join("\n"));
    });
  }

  async stopReplica(): Promise<string | undefined> {
    const { replica } = this.#model;
    return replica === undefined ? undefined : await this.#apps.stopReplica(replica);
  }

  async makeKey(): Promise<string | undefined> {
    return await this.#keys.make(this.#model.app);
  }

  async rotateKey(): Promise<string | undefined> {
    const { key } = this.#model;
    return key === undefined ? undefined : await this.#keys.rotate(key);
  }

  async revokeKey(): Promise<string | undefined> {
    const { key } = this.#model;
    return key === undefined ? undefined : await this.#keys.revoke(key);
  }

  async copyKeyId(): Promise<string | undefined> {
    const { key } = this.#model;
    return key === undefined ? undefined : await this.#options.frame.copy(key.id);
  }

  async retry(): Promise<undefined> {
    await this.#model.feed.refresh();
  }

  async startServer(): Promise<string> {
    this.#options.frame.notify("Starting the control plane");
    const { baseUrl } = await this.#model.feed.server.start();
    await this.#model.feed.refresh();
    return `The control plane runs in the background, at ${baseUrl}`;
  }

  async chooseServer(): Promise<string | undefined> {
    const { cloud, frame } = this.#options;
    const targets = await cloud.targets();
    const choices = targets.map(({ profile, place }) => ({
      value: profile,
      title: profile,
      note: place,
    }));
    const chosen = await frame.choose("Server", choices);
    const { profile } = this.#model.feed.server.target;
    if (chosen !== undefined && chosen !== profile) this.#model.turnTo(chosen);
    return undefined;
  }

  /** In the log Esc shows all lines first. */
  get #clearsLog(): boolean {
    return this.pane === "logs" && !this.hasDetails && this.#model.log.hasFilters;
  }

  #setFilter(text: string): void {
    if (this.pane === "logs") this.#model.log.setText(text);
    else this.#model.change({ filter: text });
  }

  #showMade(document: NewKeyDocument): void {
    this.#model.change({ made: { document, isCopied: false } });
  }

  /** Who names one that is not there does not mean the selected one. */
  async #onNamed(
    name: string,
    act: (app: AppDocument) => Promise<string | undefined>,
  ): Promise<string | undefined> {
    const unknown = this.#model.selectNamed(name).trim();
    if (unknown !== "") return `There is no deployment called '${unknown}'`;
    return await this.#onApp(act);
  }

  async #onApp(
    act: (app: AppDocument) => Promise<string | undefined>,
  ): Promise<string | undefined> {
    const { app } = this.#model;
    return app === undefined ? undefined : await act(app).catch(describeError);
  }
}
