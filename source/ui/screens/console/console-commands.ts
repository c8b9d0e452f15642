// The commands of the console: their names and keys, when they are valid, and the action behind each.

import type { BoundCommand, CommandFacts } from "../../frame/screen.ts";
import type { AppActions } from "./app-actions.ts";
import {
  type ConsoleState,
  canStart,
  goBack,
  type Pane,
  selectedApp,
  shownApps,
  shownReplicas,
} from "./console-state.ts";
import type { KeyActions } from "./key-actions.ts";
import type { LogBuffer } from "./log-buffer.ts";
import { clearsLogFilters, type PaneActions } from "./pane-actions.ts";

export interface ConsoleActions {
  readonly panes: PaneActions;
  readonly apps: AppActions;
  readonly keys: KeyActions;
}

type Outcome = string | undefined | Promise<string | undefined>;

interface Definition extends CommandFacts {
  readonly hint?: string | ((state: ConsoleState) => string | undefined);
  readonly isValid: (state: ConsoleState, log: LogBuffer) => boolean;
  readonly run: (actions: ConsoleActions, argument: string) => Outcome;
}

const isTyping = ({ field }: ConsoleState) => field !== undefined;
const hasNewKey = ({ made }: ConsoleState) => made !== undefined;
const isFree = (state: ConsoleState) => !isTyping(state) && !hasNewKey(state);
const isDown = ({ cloud }: ConsoleState) => cloud.link.kind === "down";
const inPanes = (state: ConsoleState) => isFree(state) && state.details === undefined;
const inPane = (pane: Pane) => (state: ConsoleState) => inPanes(state) && state.pane === pane;
const onApp = (state: ConsoleState) => isFree(state) && shownApps(state).length > 0;
/** Keys that mean something else in the panes of replicas and keys. */
const onAppPane = (state: ConsoleState) =>
  onApp(state) && (state.pane === "apps" || state.pane === "logs");
const onKey = (state: ConsoleState) => inPane("keys")(state) && state.cloud.keys.length > 0;
const hintIn =
  (pane: Pane, word: string) =>
  (state: ConsoleState): string | undefined =>
    state.pane === pane ? word : undefined;

const definitions: readonly Definition[] = [
  {
    ...facts("keepFilter", "Keep the filter and go back to the rows", ["Enter"]),
    hint: "keep",
    isValid: isTyping,
    run: ({ panes }) => panes.keepFilter(),
  },
  {
    ...facts("dropFilter", "Leave the filter as it was before", ["Esc"]),
    hint: "drop",
    isValid: isTyping,
    run: ({ panes }) => panes.dropFilter(),
  },
  {
    ...facts("copyMadeKey", "Copy the new key", ["y"]),
    hint: "copy the key",
    isValid: hasNewKey,
    run: ({ keys }) => keys.copyMade(),
  },
  {
    ...facts("closeMadeKey", "Close the new key, which is not shown again", ["Enter", "Esc"]),
    hint: "close",
    isValid: hasNewKey,
    run: ({ keys }) => keys.closeMade(),
  },
  {
    ...facts("start", "Start this machine's control plane", ["S"]),
    hint: "start it",
    isValid: (state) => isFree(state) && canStart(state.cloud),
    run: ({ panes }) => panes.startServer(),
  },
  {
    ...facts("retry", "Ask the control plane again, now", ["r"]),
    hint: (state) => (isDown(state) ? "ask again" : undefined),
    isValid: (state) => isFree(state) && (isDown(state) || state.pane !== "keys"),
    run: ({ panes }) => panes.retry(),
  },
  {
    ...facts("back", "Back: out of details, of a large pane, of a filter", ["Esc"]),
    hint: ({ details }) => (details === undefined ? undefined : "back"),
    isValid: (state, log) =>
      isFree(state) && (clearsLogFilters(state, log) || goBack(state) !== undefined),
    run: ({ panes }) => panes.back(),
  },
  {
    ...facts("chat", "Chat with the deployment", ["Enter"]),
    hint: "chat",
    isValid: (state) => inPane("apps")(state) && onApp(state),
    run: ({ apps }) => apps.chat(),
  },
  {
    ...facts("enter", "Give the pane the whole screen", ["Enter"]),
    isValid: (state) => inPanes(state) && state.pane !== "apps",
    run: ({ panes }) => panes.zoom(),
  },
  {
    ...facts("pane", "The next pane", ["Tab"]),
    hint: "pane",
    isValid: inPanes,
    run: ({ panes }) => panes.changePane(1),
  },
  {
    ...facts("paneBefore", "The pane before", ["Shift+Tab"]),
    isValid: inPanes,
    run: ({ panes }) => panes.changePane(-1),
  },
  {
    ...facts("makeKey", "Make a key for callers", ["n"]),
    hint: hintIn("keys", "new key"),
    slash: ["/new-key"],
    isValid: isFree,
    run: ({ keys }) => keys.make(),
  },
  {
    ...facts("rotateKey", "In the keys: replace the key by a new one", ["r"]),
    hint: "rotate",
    isValid: onKey,
    run: ({ keys }) => keys.rotate(),
  },
  {
    ...facts("revokeKey", "In the keys: revoke the key", ["x"]),
    hint: "revoke",
    isValid: onKey,
    run: ({ keys }) => keys.revoke(),
  },
  {
    ...facts("copyKeyId", "In the keys: copy the key's id", ["y"]),
    isValid: onKey,
    run: ({ keys }) => keys.copyId(),
  },
  {
    ...facts("stopReplica", "In the replicas: stop the replica", ["x"]),
    hint: "stop it",
    isValid: (state) => inPane("replicas")(state) && shownReplicas(state).length > 0,
    run: ({ apps }) => apps.stopReplica(),
  },
  {
    ...facts("logs", "Show the log; of a replica where one is selected", ["l"]),
    hint: ({ pane }) => (pane === "apps" || pane === "replicas" ? "log" : undefined),
    slash: ["/logs"],
    slashArguments: "[APP] [REPLICA|FILTER]",
    isValid: onApp,
    run: ({ panes }, words) => panes.showLog(words),
  },
  {
    ...facts("filter", "Filter the deployments, or the log: replica:, rev:, stream:, !word", ["/"]),
    hint: "filter",
    isValid: (state) => inPanes(state) && (state.pane === "apps" || state.pane === "logs"),
    run: ({ panes }) => panes.openFilter(),
  },
  {
    ...facts("stream", "In the log: all lines, those of one stream", ["f"]),
    hint: "stream",
    isValid: inPane("logs"),
    run: ({ panes }) => panes.nextStream(),
  },
  {
    ...facts("wrap", "In the log: break long lines", ["w"]),
    isValid: inPane("logs"),
    run: ({ panes }) => panes.wrapLog(),
  },
  {
    ...facts("pageLog", "Read the log in the pager", ["Ctrl+O"]),
    isValid: onApp,
    run: ({ panes }) => panes.pageLog(),
  },
  {
    ...facts("scale", "Change how many replicas there may be", ["s"]),
    hint: hintIn("apps", "scale"),
    slash: ["/scale"],
    slashArguments: "[APP] [MIN..MAX]",
    isValid: onApp,
    run: ({ apps }, words) => apps.scale(words),
  },
  {
    ...facts("rollBack", "Go back to another revision", ["u"]),
    hint: hintIn("apps", "roll back"),
    slash: ["/rollback"],
    slashArguments: "[APP] [REVISION]",
    isValid: onApp,
    run: ({ apps }, words) => apps.rollBack(words),
  },
  {
    ...facts("stop", "Stop the deployment, or let it run again", ["x"]),
    hint: (state) => {
      if (state.pane !== "apps") return undefined;
      return selectedApp(state)?.state === "PAUSED" ? "resume" : "stop";
    },
    slash: ["/stop-app"],
    slashArguments: "[APP]",
    isValid: onAppPane,
    run: ({ apps }, words) => apps.stopOrResume(words),
  },
  {
    ...facts("delete", "Delete the deployment, by typing its name", ["D"]),
    hint: hintIn("apps", "delete"),
    slash: ["/delete-app"],
    slashArguments: "[APP]",
    isValid: onApp,
    run: ({ apps }, words) => apps.remove(words),
  },
  {
    ...facts("details", "Everything about the deployment", ["i"]),
    hint: ({ pane, details }) => (pane === "apps" && details === undefined ? "info" : undefined),
    isValid: onApp,
    run: ({ apps }) => apps.showDetails(),
  },
  {
    ...facts("copyUrl", "Copy the deployment's address", ["y"]),
    isValid: onAppPane,
    run: ({ apps }) => apps.copyUrl(),
  },
  {
    ...facts("copyCalls", "Copy the lines that call the deployment", ["Y"]),
    isValid: onApp,
    run: ({ apps }) => apps.copyCalls(),
  },
  {
    ...facts("zoom", "Give the pane the whole screen, or take it back", ["z"]),
    isValid: inPanes,
    run: ({ panes }) => panes.zoom(),
  },
  {
    ...facts("server", "Another server", ["p"]),
    slash: ["/profile"],
    isValid: isFree,
    run: ({ panes }) => panes.chooseServer(),
  },
  scroll("up", "Row up", ["Up", "k"], (panes) => panes.move(-1)),
  scroll("down", "Row down", ["Down", "j"], (panes) => panes.move(1)),
  scroll("pageUp", "Page up", ["PgUp"], (panes) => panes.movePage(-1)),
  scroll("pageDown", "Page down", ["PgDn"], (panes) => panes.movePage(1)),
  scroll("first", "To the first row", ["Home"], (panes) => panes.move(-Infinity)),
  scroll("last", "To the last row; in the log, follow", ["End"], (panes) => panes.move(Infinity)),
];

/** For the documentation. */
export const consoleCommandFacts: readonly CommandFacts[] = definitions;

export function consoleCommands(
  actions: ConsoleActions,
  state: () => ConsoleState,
  log: LogBuffer,
): BoundCommand[] {
  return definitions.map(({ hint, isValid, run, ...more }) => ({
    ...more,
    hint: () => (typeof hint === "function" ? hint(state()) : hint),
    isValid: () => isValid(state(), log),
    run: (argument) => run(actions, argument),
  }));
}

function facts(name: string, title: string, keys: readonly string[]): CommandFacts {
  return { id: `console.${name}`, title, group: "Console", keys };
}

function scroll(
  name: string,
  title: string,
  keys: readonly string[],
  act: (panes: PaneActions) => undefined,
): Definition {
  return {
    ...facts(name, title, keys),
    group: "Scrolling",
    isValid: isFree,
    run: ({ panes }) => act(panes),
  };
}
