// State of the console: the last data of the control plane, the user's choices, and how keys change them.

import type { LinkState } from "../../../client/live/follow.ts";
import type {
  AppDocument,
  EventDocument,
  KeyDocument,
  NewKeyDocument,
  NodeDocument,
  ReplicaDocument,
  ServerStatus,
} from "../../../cloud/admin/documents.ts";
import type { CloudTarget } from "../../app/cloud-access.ts";
import {
  type FilterField,
  firstRow,
  movedSelection,
  type Selection,
  selectedIndex,
} from "../../components/list-state.ts";
import { type AppFigures, noFigures } from "./app-figures.ts";
import { nameOf, stateWord } from "./console-texts.ts";
import type { DetailsFacts } from "./detail-lines.ts";

export type Pane = "apps" | "replicas" | "keys" | "nodes" | "logs";
/** Panes in the order of Tab. The nodes of a cluster are shown on request. */
export const panes: readonly Pane[] = ["apps", "replicas", "keys", "logs"];
/** Panes with a selected row. */
type List = Exclude<Pane, "logs">;

/** The last data of a control plane; it stays visible when the server stops responding. */
export interface CloudState {
  readonly target: CloudTarget;
  /** Unreachable means that nothing listens there, so the local server can be started. */
  readonly link: LinkState<{ readonly isUnreachable: boolean }>;
  readonly status: ServerStatus | undefined;
  /** By name. */
  readonly apps: readonly AppDocument[];
  /** Living ones first, the newest of them first. */
  readonly replicas: readonly ReplicaDocument[];
  /** Active ones first. */
  readonly keys: readonly KeyDocument[];
  /** Oldest first. */
  readonly events: readonly EventDocument[];
  readonly figuresOf: (app: string) => AppFigures;
  /** Time of the last data, in milliseconds since 1970; undefined before the first. */
  readonly readAtMs: number | undefined;
}

export interface ConsoleState {
  readonly cloud: CloudState;
  readonly pane: Pane;
  /** True if the pane fills the screen. */
  readonly isZoomed: boolean;
  readonly selected: Readonly<Record<List, Selection>>;
  /** Only deployments with this in their name or state are shown. */
  readonly filter: string;
  /** The filter, while it is typed. */
  readonly field: FilterField | undefined;
  /** True if long log lines are wrapped. */
  readonly isWrapped: boolean;
  /** Details of a deployment in place of the panes, scrolled to row `top`. */
  readonly details: { readonly facts: DetailsFacts; readonly top: number } | undefined;
  /** A new key: its token is shown only once. */
  readonly made: { readonly document: NewKeyDocument; readonly isCopied: boolean } | undefined;
  /** Progress of rollbacks started here, by deployment; undefined once they have ended. */
  readonly works: Readonly<Record<string, string | undefined>>;
}

/** Age from which data counts as outdated. */
const staleMs = 4000;

export function initialState(target: CloudTarget): ConsoleState {
  return {
    cloud: {
      target,
      link: { kind: "connecting" },
      status: undefined,
      apps: [],
      replicas: [],
      keys: [],
      events: [],
      figuresOf: () => noFigures,
      readAtMs: undefined,
    },
    pane: "apps",
    isZoomed: false,
    selected: { apps: firstRow, replicas: firstRow, keys: firstRow, nodes: firstRow },
    filter: "",
    field: undefined,
    isWrapped: false,
    details: undefined,
    made: undefined,
    works: {},
  };
}

/** Updates the data; the first deployment stays selected when others appear before it. */
export function withCloud(state: ConsoleState, cloud: CloudState): ConsoleState {
  const next = { ...state, cloud };
  const [app] = shownApps(next);
  if (app === undefined || state.selected.apps.name !== undefined) return next;
  return select(next, "apps", { name: nameOf(app), index: 0 });
}

/** True if the data may be wrong by now. @param now milliseconds since 1970 */
export function isOutdated({ link, readAtMs }: CloudState, now: number): boolean {
  return link.kind === "down" || (readAtMs !== undefined && now - readAtMs > staleMs);
}

/** True if there is no deployment to show; the console then explains why. */
export function isEmpty({ cloud, details, pane }: ConsoleState): boolean {
  return details === undefined && cloud.apps.length === 0 && !["keys", "nodes"].includes(pane);
}

/** True if a banner says that the data may be wrong; an empty console says so itself. */
export function hasBanner(state: ConsoleState, now: number): boolean {
  const isExplained = state.cloud.link.kind === "down" && isEmpty(state);
  return isOutdated(state.cloud, now) && !isExplained;
}

/** True if the local control plane is not running. */
export function canStart({ link, target }: CloudState): boolean {
  return target.isLocal && link.kind === "down" && link.isUnreachable;
}

/** Returns the deployments that pass the filter. */
export function shownApps({ filter, cloud }: ConsoleState): readonly AppDocument[] {
  const text = filter.trim().toLowerCase();
  if (text === "") return cloud.apps;
  return cloud.apps.filter(
    (app) => nameOf(app).includes(text) || stateWord(app.state).includes(text),
  );
}

export function selectedApp(state: ConsoleState): AppDocument | undefined {
  return shownApps(state)[selectedRow(state, "apps")];
}

/** True if a verified revision serves OpenAI's API. */
export function canChat({ activeRevision, api }: AppDocument): boolean {
  return activeRevision !== undefined && api.kind === "openai";
}

/** Returns the replicas of the selected deployment. */
export function shownReplicas(state: ConsoleState): readonly ReplicaDocument[] {
  const app = selectedApp(state);
  if (app === undefined) return [];
  return state.cloud.replicas.filter((replica) => nameOf(replica) === nameOf(app));
}

export function selectedReplica(state: ConsoleState): ReplicaDocument | undefined {
  return shownReplicas(state)[selectedRow(state, "replicas")];
}

export function selectedKey(state: ConsoleState): KeyDocument | undefined {
  return state.cloud.keys[selectedRow(state, "keys")];
}

/** Returns the nodes of the engine's cluster; none for processes of one machine. */
export function shownNodes({ cloud }: ConsoleState): readonly NodeDocument[] {
  return cloud.status?.nodes ?? [];
}

/** Names that the rows of each list are selected by. */
const rowNames: Readonly<Record<List, (state: ConsoleState) => string[]>> = {
  apps: (state) => shownApps(state).map(nameOf),
  replicas: (state) => shownReplicas(state).map(({ replica }) => replica),
  keys: ({ cloud }) => cloud.keys.map(({ id }) => id),
  nodes: (state) => shownNodes(state).map(({ id }) => id),
};

/** Returns the index of the selected row; -1 in an empty list. */
export function selectedRow(state: ConsoleState, list: List): number {
  return selectedIndex(state.selected[list], rowNames[list](state));
}

export function select(state: ConsoleState, list: List, selection: Selection): ConsoleState {
  return { ...state, selected: { ...state.selected, [list]: selection } };
}

/** Moves the selection of a list. @param rows down where positive; infinities are the ends */
export function moveSelection(state: ConsoleState, list: List, rows: number): ConsoleState {
  return select(state, list, movedSelection(state.selected[list], rowNames[list](state), rows));
}

/**
 * Selects the deployment that a typed line starts with, if it names one.
 *
 * @returns also the words after the name, or all words without one
 */
export function selectNamed(
  state: ConsoleState,
  words: string,
): { readonly state: ConsoleState; readonly rest: string } {
  const line = words.trim();
  const [word = ""] = line.split(/\s+/, 1);
  const app = state.cloud.apps.find((one) => [one.app, nameOf(one)].includes(word));
  if (app === undefined) return { state, rest: line };
  const shown = shownApps(state).includes(app) ? state : { ...state, filter: "" };
  const index = shownApps(shown).indexOf(app);
  const next = select(shown, "apps", { name: nameOf(app), index });
  return { state: next, rest: line.slice(word.length).trim() };
}

/** Returns the next or previous pane. */
export function nextPane(pane: Pane, step: -1 | 1): Pane {
  return panes[(panes.indexOf(pane) + step + panes.length) % panes.length] ?? "apps";
}

/** Closes the details, the large pane, the pane or the filter, in this order. Undefined if none is open. */
export function goBack(state: ConsoleState): ConsoleState | undefined {
  if (state.details !== undefined) return { ...state, details: undefined };
  if (state.isZoomed) return { ...state, isZoomed: false };
  if (state.pane !== "apps") return { ...state, pane: "apps" };
  if (state.filter !== "") return { ...state, filter: "" };
  return undefined;
}
