// The commands of the console: their names and keys, when they are valid, and the action behind each.

import { type CommandRow, commandRow, type RowRest } from "../../frame/command-table.ts";
import * as apps from "./app-actions.ts";
import {
  canStart,
  goBack,
  type Pane,
  selectedApp,
  shownApps,
  shownReplicas,
} from "./console-state.ts";
import * as keys from "./key-actions.ts";
import type { ConsoleContext } from "./pane-actions.ts";
import * as panes from "./pane-actions.ts";

type Row = CommandRow<ConsoleContext>;
type When = Row["when"];

const isTyping: When = ({ state }) => state.field !== undefined;
const hasNewKey: When = ({ state }) => state.made !== undefined;
const isFree: When = (context) => !isTyping(context) && !hasNewKey(context);
const isDown: When = ({ state }) => state.cloud.link.kind === "down";
const inPanes: When = (context) => isFree(context) && context.state.details === undefined;
const inPane =
  (...wanted: Pane[]): When =>
  (context) =>
    inPanes(context) && wanted.includes(context.state.pane);
const onApp: When = (context) => isFree(context) && shownApps(context.state).length > 0;
/** Keys that mean something else in the panes of replicas and keys. */
const onAppPane: When = (context) =>
  onApp(context) && (context.state.pane === "apps" || context.state.pane === "logs");
const onKey: When = (context) => inPane("keys")(context) && context.state.cloud.keys.length > 0;
const hintIn =
  (pane: Pane, word: string) =>
  ({ state }: ConsoleContext): string | undefined =>
    state.pane === pane ? word : undefined;
const scrolling = (move: typeof panes.move, rows: number): RowRest<ConsoleContext> => {
  return { group: "Scrolling", when: isFree, run: (context) => move(context, rows) };
};

const command = commandRow<ConsoleContext>("console", "Console");

export const consoleCommands: readonly Row[] = [
  command("keepFilter", ["Enter"], "Apply the filter", {
    hint: "keep",
    when: isTyping,
    run: panes.keepFilter,
  }),
  command("dropFilter", ["Esc"], "Cancel the filter", {
    hint: "drop",
    when: isTyping,
    run: panes.dropFilter,
  }),
  command("copyMadeKey", ["y"], "Copy the new key", {
    hint: "copy the key",
    when: hasNewKey,
    run: keys.copyMadeKey,
  }),
  command("closeMadeKey", ["Enter", "Esc"], "Close the new key, which is not shown again", {
    hint: "close",
    when: hasNewKey,
    run: keys.closeMadeKey,
  }),
  command("start", ["S"], "Start this machine's control plane", {
    hint: "start it",
    when: (context) => isFree(context) && canStart(context.state.cloud),
    run: panes.startServer,
  }),
  command("retry", ["r"], "Ask the control plane again, now", {
    hint: (context) => (isDown(context) ? "ask again" : undefined),
    when: (context) => isFree(context) && (isDown(context) || context.state.pane !== "keys"),
    run: panes.retry,
  }),
  command("back", ["Esc"], "Back: out of details, of a large pane, of a filter", {
    hint: ({ state }) => (state.details === undefined ? undefined : "back"),
    when: (context) =>
      isFree(context) && (panes.clearsLogFilters(context) || goBack(context.state) !== undefined),
    run: panes.back,
  }),
  command("chat", ["Enter"], "Chat with the deployment", {
    hint: "chat",
    when: (context) => inPane("apps")(context) && onApp(context),
    run: apps.chat,
  }),
  command("enter", ["Enter"], "Give the pane the whole screen", {
    when: inPane("replicas", "keys", "logs"),
    run: panes.zoom,
  }),
  command("pane", ["Tab"], "The next pane", {
    hint: "pane",
    when: inPanes,
    run: (context) => panes.changePane(context, 1),
  }),
  command("paneBefore", ["Shift+Tab"], "The pane before", {
    when: inPanes,
    run: (context) => panes.changePane(context, -1),
  }),
  command("makeKey", ["n"], "Make a key for callers", {
    hint: hintIn("keys", "new key"),
    slash: ["/new-key"],
    when: isFree,
    run: keys.makeKey,
  }),
  command("rotateKey", ["r"], "In the keys: replace the key by a new one", {
    hint: "rotate",
    when: onKey,
    run: keys.rotateKey,
  }),
  command("revokeKey", ["x"], "In the keys: revoke the key", {
    hint: "revoke",
    when: onKey,
    run: keys.revokeKey,
  }),
  command("copyKeyId", ["y"], "In the keys: copy the key's id", {
    when: onKey,
    run: keys.copyKeyId,
  }),
  command("stopReplica", ["x"], "In the replicas: stop the replica", {
    hint: "stop it",
    when: (context) => inPane("replicas")(context) && shownReplicas(context.state).length > 0,
    run: apps.stopReplica,
  }),
  command("logs", ["l"], "Show the log; of a replica where one is selected", {
    hint: ({ state: { pane } }) => (pane === "apps" || pane === "replicas" ? "log" : undefined),
    slash: ["/logs"],
    slashArguments: "[APP] [REPLICA|FILTER]",
    when: onApp,
    run: panes.showLog,
  }),
  command("filter", ["/"], "Filter the deployments, or the log: replica:, rev:, stream:, !word", {
    hint: "filter",
    when: inPane("apps", "logs"),
    run: panes.openFilter,
  }),
  command("stream", ["f"], "In the log: all lines, those of one stream", {
    hint: "stream",
    when: inPane("logs"),
    run: panes.nextStream,
  }),
  command("wrap", ["w"], "In the log: break long lines", {
    when: inPane("logs"),
    run: panes.wrapLog,
  }),
  command("pageLog", ["Ctrl+O"], "Read the log in the pager", { when: onApp, run: panes.pageLog }),
  command("scale", ["s"], "Change how many replicas there may be", {
    hint: hintIn("apps", "scale"),
    slash: ["/scale"],
    slashArguments: "[APP] [MIN..MAX]",
    when: onApp,
    run: apps.scale,
  }),
  command("rollBack", ["u"], "Go back to another revision", {
    hint: hintIn("apps", "roll back"),
    slash: ["/rollback"],
    slashArguments: "[APP] [REVISION]",
    when: onApp,
    run: apps.rollBack,
  }),
  command("stop", ["x"], "Stop the deployment, or let it run again", {
    hint: ({ state }) => {
      if (state.pane !== "apps") return undefined;
      return selectedApp(state)?.state === "PAUSED" ? "resume" : "stop";
    },
    slash: ["/stop-app"],
    slashArguments: "[APP]",
    when: onAppPane,
    run: apps.stopOrResume,
  }),
  command("delete", ["D"], "Delete the deployment, by typing its name", {
    hint: hintIn("apps", "delete"),
    slash: ["/delete-app"],
    slashArguments: "[APP]",
    when: onApp,
    run: apps.remove,
  }),
  command("details", ["i"], "Everything about the deployment", {
    hint: ({ state: { pane, details } }) =>
      pane === "apps" && details === undefined ? "info" : undefined,
    when: onApp,
    run: apps.showDetails,
  }),
  command("copyUrl", ["y"], "Copy the deployment's address", {
    when: onAppPane,
    run: apps.copyUrl,
  }),
  command("copyCalls", ["Y"], "Copy the lines that call the deployment", {
    when: onApp,
    run: apps.copyCalls,
  }),
  command("zoom", ["z"], "Give the pane the whole screen, or take it back", {
    when: inPanes,
    run: panes.zoom,
  }),
  command("server", ["p"], "Another server", {
    slash: ["/profile"],
    when: isFree,
    run: panes.chooseServer,
  }),
  command("up", ["Up", "k"], "Row up", scrolling(panes.move, -1)),
  command("down", ["Down", "j"], "Row down", scrolling(panes.move, 1)),
  command("pageUp", ["PgUp"], "Page up", scrolling(panes.movePage, -1)),
  command("pageDown", ["PgDn"], "Page down", scrolling(panes.movePage, 1)),
  command("first", ["Home"], "To the first row", scrolling(panes.move, -Infinity)),
  command("last", ["End"], "To the last row; in the log, follow", scrolling(panes.move, Infinity)),
];
