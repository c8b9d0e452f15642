// What the console shows, and which of it is selected: the feed, the log, and what the person has chosen.

import type { Clock } from "../../../base/clock.ts";
import type { AppDocument, KeyDocument, ReplicaDocument } from "../../../cloud/admin/documents.ts";
import type { BodySize, StyledRow } from "../../frame/screen.ts";
import { innerHeight, innerWidth } from "../../panes/box.ts";
import { plainText } from "../../panes/styled-row.ts";
import { asciiGlyphs, type Glyphs } from "../../theme.ts";
import type { CloudAccess } from "../cloud-access.ts";
import { type DetailsFacts, detailsRows } from "./app-details.ts";
import { nameOf } from "./app-figures.ts";
import type { ConsoleFacts } from "./console-facts.ts";
import { ConsoleFeed } from "./console-feed.ts";
import { listRows } from "./console-picture.ts";
import {
  type ConsoleState,
  initialState,
  moveSelection,
  type Pane,
  select,
  selectedIndex,
} from "./console-state.ts";
import { LogFollower } from "./log-follower.ts";
import { LogView } from "./log-view.ts";
import { shortReplica } from "./replica-rows.ts";
import { appStateWord } from "./state-words.ts";

export interface ConsoleModelOptions {
  readonly cloud: CloudAccess;
  readonly glyphs: Glyphs;
  readonly clock: Clock;
  readonly onChange: () => void;
}

const spokenWidth = 160;

export class ConsoleModel {
  readonly log = new LogView();
  readonly #options: ConsoleModelOptions;
  readonly #follower: LogFollower;
  #feed: ConsoleFeed;
  #state: ConsoleState = initialState;
  #details: DetailsFacts | undefined;
  #size: BodySize = { columns: 100, rows: 28 };
  #isWatched = false;

  constructor(options: ConsoleModelOptions) {
    this.#options = options;
    const { onChange } = options;
    this.#feed = this.#feedOf(undefined);
    this.#follower = new LogFollower({
      server: () => this.#feed.server,
      view: this.log,
      now: () => this.now,
      onChange,
    });
  }

  /** Milliseconds since 1970. */
  get now(): number {
    return this.#options.clock.wallMs();
  }

  get feed(): ConsoleFeed {
    return this.#feed;
  }

  get state(): ConsoleState {
    return this.#state;
  }

  change(change: Partial<ConsoleState>): void {
    this.#state = { ...this.#state, ...change };
    this.#options.onChange();
  }

  /** Those whose name or state has the filter in it. */
  get apps(): readonly AppDocument[] {
    const filter = this.#state.filter.trim().toLowerCase();
    const { apps } = this.#feed;
    if (filter === "") return apps;
    return apps.filter(
      (app) => nameOf(app).includes(filter) || appStateWord(app.state).includes(filter),
    );
  }

  /** The selected one, as the next. */
  get app(): AppDocument | undefined {
    const { apps } = this;
    return apps[selectedIndex(this.#state.selected.apps, apps.map(nameOf))];
  }

  get replica(): ReplicaDocument | undefined {
    const replicas = this.#replicas;
    return replicas[selectedIndex(this.#state.selected.replicas, replicas.map(replicaId))];
  }

  get key(): KeyDocument | undefined {
    const { keys } = this.#feed;
    return keys[selectedIndex(this.#state.selected.keys, keys.map(keyId))];
  }

  facts(size: BodySize): ConsoleFacts {
    this.#size = size;
    const { glyphs } = this.#options;
    const { apps, now } = this;
    const feed = this.#feed;
    const { selected } = this.#state;
    const appIndex = selectedIndex(selected.apps, apps.map(nameOf));
    const app = apps[appIndex];
    const name = app === undefined ? undefined : nameOf(app);
    this.#follower.turnTo(this.#isWatched ? name : undefined);
    const replicas = name === undefined ? [] : feed.replicasOf(name);
    return {
      state: this.#state,
      target: feed.server.target,
      link: feed.link,
      ageMs: feed.ageMs,
      organisation: feed.status?.organisation,
      apps,
      appCount: feed.apps.length,
      appIndex,
      figuresOf: (of) => feed.figures.of(of),
      replicas,
      replicaIndex: selectedIndex(selected.replicas, replicas.map(replicaId)),
      events: name === undefined ? [] : feed.eventsOf(name),
      keys: feed.keys,
      keyIndex: selectedIndex(selected.keys, feed.keys.map(keyId)),
      log: this.log,
      detailsRows: this.#detailsRows(innerWidth(size.columns), glyphs),
      now,
      glyphs,
    };
  }

  detailsText(): string[] {
    return this.#detailsRows(spokenWidth, asciiGlyphs).map(plainText);
  }

  showDetails(details: DetailsFacts): void {
    this.#details = details;
    this.change({ details: { app: nameOf(details.details), top: 0 } });
  }

  /** Of the pane, or of the details in its place. @param rows down where positive */
  move(rows: number): void {
    const { details, pane } = this.#state;
    if (details !== undefined) this.#scrollDetails(details.app, details.top + rows);
    else if (pane === "logs") this.log.scroll(rows, this.#listRows());
    else {
      const moved = moveSelection(this.#state.selected[pane], this.#namesIn(pane), rows);
      this.#state = select(this.#state, pane, moved);
    }
    this.#options.onChange();
  }

  movePage(direction: -1 | 1): void {
    this.move(direction * this.#listRows());
  }

  /**
   * Selects the deployment that a typed line begins with, where it names one.
   * @returns the words behind the name; all of them where there is none
   */
  selectNamed(words: string): string {
    const [first = ""] = words.trim().split(/\s+/, 1);
    const named = this.#feed.apps.find((app) => [app.app, nameOf(app)].includes(first));
    if (named === undefined) return words;
    const name = nameOf(named);
    if (!this.#namesIn("apps").includes(name)) this.#state = { ...this.#state, filter: "" };
    const index = this.#namesIn("apps").indexOf(name);
    this.#state = select(this.#state, "apps", { name, index });
    this.#options.onChange();
    return words.trim().slice(first.length).trim();
  }

  /** Of the selected deployment, by its name or as it is shown; undefined where there is none of it. */
  replicaNamed(name: string): string | undefined {
    return this.#replicas.map(replicaId).find((id) => [id, shortReplica(id)].includes(name));
  }

  /** Somebody looks. */
  watch(): void {
    this.#isWatched = true;
    this.#feed.start();
  }

  unwatch(): void {
    this.#isWatched = false;
    this.#feed.stop();
    this.#follower.close();
  }

  /** Another server; nothing of the one before is kept. */
  turnTo(profile: string): void {
    this.unwatch();
    this.#state = initialState;
    this.#feed = this.#feedOf(profile);
    this.watch();
    this.#options.onChange();
  }

  get #replicas(): readonly ReplicaDocument[] {
    const { app } = this;
    return app === undefined ? [] : this.#feed.replicasOf(nameOf(app));
  }

  #feedOf(profile: string | undefined): ConsoleFeed {
    const server = this.#options.cloud.server(profile);
    const onChange = () => this.#pinApp();
    return new ConsoleFeed({ server, now: () => this.now, onChange });
  }

  /** The first app stays selected when others come that stand before it. */
  #pinApp(): void {
    const [first] = this.apps;
    if (first !== undefined && this.#state.selected.apps.name === undefined) {
      this.#state = select(this.#state, "apps", { name: nameOf(first), index: 0 });
    }
    this.#options.onChange();
  }

  #namesIn(pane: Exclude<Pane, "logs">): string[] {
    if (pane === "keys") return this.#feed.keys.map(keyId);
    return pane === "apps" ? this.apps.map(nameOf) : this.#replicas.map(replicaId);
  }

  #listRows(): number {
    if (this.#state.details !== undefined) return Math.max(1, innerHeight(this.#size.rows) - 1);
    return listRows(this.#state, this.#size, this.apps.length);
  }

  #detailsRows(width: number, glyphs: Glyphs): readonly StyledRow[] {
    if (this.#state.details === undefined || this.#details === undefined) return [];
    return detailsRows(this.#details, { width, glyphs, now: this.now });
  }

  #scrollDetails(app: string, wanted: number): void {
    const count = this.#detailsRows(innerWidth(this.#size.columns), this.#options.glyphs).length;
    const last = Math.max(0, count - innerHeight(this.#size.rows));
    const top = Math.max(0, Math.min(last, wanted));
    this.#state = { ...this.#state, details: { app, top } };
  }
}

function replicaId({ replica }: ReplicaDocument): string {
  return replica;
}

function keyId({ id }: KeyDocument): string {
  return id;
}
