// The commands of the console: what they are called, and how they are bound to it.

import type { BoundCommand, CommandFacts } from "../../frame/screen.ts";
import type { Pane } from "./console-state.ts";

export type Outcome = string | undefined | Promise<string | undefined>;

/** What decides which keys are valid now, and what they act on. */
export interface ConsoleActions {
  readonly isTyping: boolean;
  readonly pane: Pane;
  readonly hasDetails: boolean;
  readonly hasMadeKey: boolean;
  readonly hasApp: boolean;
  readonly hasReplica: boolean;
  readonly hasKey: boolean;
  readonly isStopped: boolean;
  readonly canGoBack: boolean;
  readonly isDown: boolean;
  /** This machine's control plane does not run. */
  readonly canStart: boolean;
  keepFilter(): Outcome;
  dropFilter(): Outcome;
  openFilter(): Outcome;
  closeMadeKey(): Outcome;
  copyMadeKey(): Outcome;
  back(): Outcome;
  enter(): Outcome;
  changePane(step: -1 | 1): Outcome;
  move(rows: number): Outcome;
  movePage(direction: -1 | 1): Outcome;
  details(): Outcome;
  zoom(): Outcome;
  scale(range: string): Outcome;
  rollBack(words: string): Outcome;
  stopOrResume(name: string): Outcome;
  remove(name: string): Outcome;
  copyUrl(): Outcome;
  copyCalls(): Outcome;
  stopReplica(): Outcome;
  logs(filter: string): Outcome;
  nextStream(): Outcome;
  wrap(): Outcome;
  pageLog(): Outcome;
  makeKey(): Outcome;
  rotateKey(): Outcome;
  revokeKey(): Outcome;
  copyKeyId(): Outcome;
  retry(): Outcome;
  startServer(): Outcome;
  chooseServer(): Outcome;
}

interface Definition extends CommandFacts {
  readonly hint?: string | ((actions: ConsoleActions) => string | undefined);
  readonly isValid: (actions: ConsoleActions) => boolean;
  readonly run: (actions: ConsoleActions, argument: string) => Outcome;
}

const group = "Console";
const scrolling = "Scrolling";

const isFree = ({ isTyping, hasMadeKey }: ConsoleActions) => !isTyping && !hasMadeKey;
const inPanes = (actions: ConsoleActions) => isFree(actions) && !actions.hasDetails;
const inPane = (pane: Pane) => (actions: ConsoleActions) =>
  inPanes(actions) && actions.pane === pane;
const onApp = (actions: ConsoleActions) => isFree(actions) && actions.hasApp;
/** Keys that mean something else in the panes of replicas and keys. */
const onAppPane = (actions: ConsoleActions) =>
  onApp(actions) && (actions.pane === "apps" || actions.pane === "logs");
const onKey = (actions: ConsoleActions) => inPane("keys")(actions) && actions.hasKey;

const definitions: readonly Definition[] = [
  {
    ...facts("keepFilter", "Keep the filter and go back to the rows", ["Enter"]),
    hint: "keep",
    isValid: ({ isTyping }) => isTyping,
    run: (actions) => actions.keepFilter(),
  },
  {
    ...facts("dropFilter", "Leave the filter as it was before", ["Esc"]),
    hint: "drop",
    isValid: ({ isTyping }) => isTyping,
    run: (actions) => actions.dropFilter(),
  },
  {
    ...facts("copyMadeKey", "Copy the new key", ["y"]),
    hint: "copy the key",
    isValid: ({ hasMadeKey }) => hasMadeKey,
    run: (actions) => actions.copyMadeKey(),
  },
  {
    ...facts("closeMadeKey", "Close the new key, which is not shown again", ["Enter", "Esc"]),
    hint: "close",
    isValid: ({ hasMadeKey }) => hasMadeKey,
    run: (actions) => actions.closeMadeKey(),
  },
  {
    ...facts("start", "Start this machine's control plane", ["S"]),
    hint: "start it",
    isValid: (actions) => isFree(actions) && actions.canStart,
    run: (actions) => actions.startServer(),
  },
  {
    ...facts("retry", "Ask the control plane again, now", ["r"]),
    hint: (actions) => (actions.isDown ? "ask again" : undefined),
    isValid: (actions) => isFree(actions) && (actions.isDown || actions.pane !== "keys"),
    run: (actions) => actions.retry(),
  },
  {
    ...facts("back", "Back: out of details, of a large pane, of a filter", ["Esc"]),
    hint: (actions) => (actions.hasDetails ? "back" : undefined),
    isValid: (actions) => isFree(actions) && actions.canGoBack,
    run: (actions) => actions.back(),
  },
  {
    ...facts("chat", "Chat with the deployment", ["Enter"]),
    hint: "chat",
    isValid: (actions) => onApp(actions) && actions.pane === "apps" && !actions.hasDetails,
    run: (actions) => actions.enter(),
  },
  {
    ...facts("enter", "Give the pane the whole screen", ["Enter"]),
    isValid: (actions) => inPanes(actions) && actions.pane !== "apps",
    run: (actions) => actions.enter(),
  },
  {
    ...facts("pane", "The next pane", ["Tab"]),
    hint: "pane",
    isValid: inPanes,
    run: (actions) => actions.changePane(1),
  },
  {
    ...facts("paneBefore", "The pane before", ["Shift+Tab"]),
    isValid: inPanes,
    run: (actions) => actions.changePane(-1),
  },
  {
    ...facts("makeKey", "Make a key for callers", ["n"]),
    hint: ({ pane }) => (pane === "keys" ? "new key" : undefined),
    slash: ["/new-key"],
    isValid: isFree,
    run: (actions) => actions.makeKey(),
  },
  {
    ...facts("rotateKey", "In the keys: replace the key by a new one", ["r"]),
    hint: "rotate",
    isValid: onKey,
    run: (actions) => actions.rotateKey(),
  },
  {
    ...facts("revokeKey", "In the keys: revoke the key", ["x"]),
    hint: "revoke",
    isValid: onKey,
    run: (actions) => actions.revokeKey(),
  },
  {
    ...facts("copyKeyId", "In the keys: copy the key's id", ["y"]),
    isValid: onKey,
    run: (actions) => actions.copyKeyId(),
  },
  {
    ...facts("stopReplica", "In the replicas: stop the replica", ["x"]),
    hint: "stop it",
    isValid: (actions) => inPane("replicas")(actions) && actions.hasReplica,
    run: (actions) => actions.stopReplica(),
  },
  {
    ...facts("logs", "Show the log; of a replica where one is selected", ["l"]),
    hint: ({ pane }) => (pane === "apps" || pane === "replicas" ? "log" : undefined),
    slash: ["/logs"],
    slashArguments: "[APP] [REPLICA|FILTER]",
    isValid: onApp,
    run: (actions, argument) => actions.logs(argument),
  },
  {
    ...facts("filter", "Filter the deployments, or the log: replica:, rev:, stream:, !word", ["/"]),
    hint: "filter",
    isValid: (actions) => inPanes(actions) && (actions.pane === "apps" || actions.pane === "logs"),
    run: (actions) => actions.openFilter(),
  },
  {
    ...facts("stream", "In the log: all lines, those of one stream", ["f"]),
    hint: "stream",
    isValid: inPane("logs"),
    run: (actions) => actions.nextStream(),
  },
  {
    ...facts("wrap", "In the log: break long lines", ["w"]),
    isValid: inPane("logs"),
    run: (actions) => actions.wrap(),
  },
  {
    ...facts("pageLog", "Read the log in the pager", ["Ctrl+O"]),
    isValid: onApp,
    run: (actions) => actions.pageLog(),
  },
  {
    ...facts("scale", "Change how many replicas there may be", ["s"]),
    hint: ({ pane }) => (pane === "apps" ? "scale" : undefined),
    slash: ["/scale"],
    slashArguments: "[APP] [MIN..MAX]",
    isValid: onApp,
    run: (actions, argument) => actions.scale(argument),
  },
  {
    ...facts("rollBack", "Go back to another revision", ["u"]),
    hint: ({ pane }) => (pane === "apps" ? "roll back" : undefined),
    slash: ["/rollback"],
    slashArguments: "[APP] [REVISION]",
    isValid: onApp,
    run: (actions, argument) => actions.rollBack(argument),
  },
  {
    ...facts("stop", "Stop the deployment, or let it run again", ["x"]),
    hint: ({ pane, isStopped }) => (pane === "apps" ? (isStopped ? "resume" : "stop") : undefined),
    slash: ["/stop-app"],
    slashArguments: "[APP]",
    isValid: onAppPane,
    run: (actions, argument) => actions.stopOrResume(argument),
  },
  {
    ...facts("delete", "Delete the deployment, by typing its name", ["D"]),
    hint: ({ pane }) => (pane === "apps" ? "delete" : undefined),
    slash: ["/delete-app"],
    slashArguments: "[APP]",
    isValid: onApp,
    run: (actions, argument) => actions.remove(argument),
  },
  {
    ...facts("details", "Everything about the deployment", ["i"]),
    hint: ({ pane, hasDetails }) => (pane === "apps" && !hasDetails ? "info" : undefined),
    isValid: onApp,
    run: (actions) => actions.details(),
  },
  {
    ...facts("copyUrl", "Copy the deployment's address", ["y"]),
    isValid: onAppPane,
    run: (actions) => actions.copyUrl(),
  },
  {
    ...facts("copyCalls", "Copy the lines that call the deployment", ["Y"]),
    isValid: onApp,
    run: (actions) => actions.copyCalls(),
  },
  {
    ...facts("zoom", "Give the pane the whole screen, or take it back", ["z"]),
    isValid: inPanes,
    run: (actions) => actions.zoom(),
  },
  {
    ...facts("server", "Another server", ["p"]),
    slash: ["/profile"],
    isValid: isFree,
    run: (actions) => actions.chooseServer(),
  },
  ...(
    [
      ["up", "Row up", ["Up", "k"], -1],
      ["down", "Row down", ["Down", "j"], 1],
    ] as const
  ).map(([name, title, keys, rows]) => ({
    ...scroll(name, title, keys),
    run: (actions: ConsoleActions) => actions.move(rows),
  })),
  {
    ...scroll("pageUp", "Page up", ["PgUp"]),
    run: (actions) => actions.movePage(-1),
  },
  {
    ...scroll("pageDown", "Page down", ["PgDn"]),
    run: (actions) => actions.movePage(1),
  },
  {
    ...scroll("first", "To the first row", ["Home"]),
    run: (actions) => actions.move(Number.NEGATIVE_INFINITY),
  },
  {
    ...scroll("last", "To the last row; in the log, follow", ["End"]),
    run: (actions) => actions.move(Number.POSITIVE_INFINITY),
  },
];

/** For the documentation. */
export const consoleCommandFacts: readonly CommandFacts[] = definitions;

export function consoleCommands(actions: ConsoleActions): BoundCommand[] {
  return definitions.map(({ hint, isValid, run, ...more }) => ({
    ...more,
    hint: () => (typeof hint === "function" ? hint(actions) : hint),
    isValid: () => isValid(actions),
    run: (argument) => run(actions, argument),
  }));
}

function facts(name: string, title: string, keys: readonly string[]): CommandFacts {
  return { id: `console.${name}`, title, group, keys };
}

function scroll(name: string, title: string, keys: readonly string[]) {
  return { id: `console.${name}`, title, group: scrolling, keys, isValid: isFree };
}
