// Commands of the console: their names, keys, conditions and actions.

import { type CommandRow, commandRow, scrolling } from "../../frame/command-table.ts";
import * as apps from "./app-actions.ts";
import {
  type ConsoleState,
  canChat,
  canStart,
  goBack,
  type Pane,
  selectedApp,
  shownApps,
  shownNodes,
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
/** For keys that have another meaning in the replica and key panes. */
const onAppPane: When = (context) =>
  onApp(context) && (context.state.pane === "apps" || context.state.pane === "logs");
const onKey: When = (context) => inPane("keys")(context) && context.state.cloud.keys.length > 0;
const hintIn =
  (pane: Pane, word: string) =>
  ({ state }: ConsoleContext): string | undefined =>
    state.pane === pane ? word : undefined;

/** True if Enter opens a chat; otherwise it opens the details, as `i` does. */
function hintsChat(state: ConsoleState): boolean {
  const app = selectedApp(state);
  return state.pane === "apps" && state.details === undefined && app !== undefined && canChat(app);
}

function splitsTraffic(state: ConsoleState): boolean {
  return state.pane === "apps" && selectedApp(state)?.traffic !== undefined;
}

const command = commandRow<ConsoleContext>("console", "Console");

export const consoleCommands: readonly Row[] = [
  command("keepFilter", ["Enter"], "Apply the filter and return to the list", {
    hint: "apply",
    when: isTyping,
    run: panes.keepFilter,
  }),
  command("dropFilter", ["Esc"], "Cancel the filter change", {
    hint: "cancel",
    when: isTyping,
    run: panes.dropFilter,
  }),
  command("copyNewKey", ["y"], "Copy the new key", {
    hint: "copy key",
    when: hasNewKey,
    run: keys.copyNewKey,
  }),
  command("closeNewKey", ["Enter", "Esc"], "Close the new key; it is not shown again", {
    hint: "close",
    when: hasNewKey,
    run: keys.closeNewKey,
  }),
  command("start", ["S"], "Start this machine's control plane", {
    hint: "start",
    when: (context) => isFree(context) && canStart(context.state.cloud),
    run: panes.startServer,
  }),
  command("retry", ["r"], "Refresh now", {
    hint: (context) => (isDown(context) ? "retry" : undefined),
    when: (context) => isFree(context) && (isDown(context) || context.state.pane !== "keys"),
    run: panes.retry,
  }),
  command("back", ["Esc"], "Close details, a large pane or a filter", {
    hint: ({ state }) => (state.details === undefined ? undefined : "back"),
    when: (context) =>
      isFree(context) && (panes.clearsLogFilters(context) || goBack(context.state) !== undefined),
    run: panes.back,
  }),
  command("chat", ["Enter"], "Chat with the deployment, or show its details if it cannot chat", {
    hint: ({ state }) => (hintsChat(state) ? "chat" : "details"),
    when: (context) => inPane("apps")(context) && onApp(context),
    run: apps.open,
  }),
  command("enter", ["Enter"], "Enlarge the pane", {
    when: inPane("replicas", "keys", "nodes", "logs"),
    run: panes.zoom,
  }),
  command("pane", ["Tab"], "Next pane", {
    hint: "pane",
    when: inPanes,
    run: (context) => panes.changePane(context, 1),
  }),
  command("paneBefore", ["Shift+Tab"], "Previous pane", {
    when: inPanes,
    run: (context) => panes.changePane(context, -1),
  }),
  command("makeKey", ["n"], "Create a key for callers", {
    hint: hintIn("keys", "new key"),
    slash: ["/new-key"],
    when: isFree,
    run: keys.makeKey,
  }),
  command("rotateKey", ["r"], "Replace the selected key with a new one", {
    hint: "rotate",
    when: onKey,
    run: keys.rotateKey,
  }),
  command("revokeKey", ["x"], "Revoke the selected key", {
    hint: "revoke",
    when: onKey,
    run: keys.revokeKey,
  }),
  command("copyKeyId", ["y"], "Copy the id of the selected key", {
    when: onKey,
    run: keys.copyKeyId,
  }),
  command("stopReplica", ["x"], "Stop the selected replica", {
    hint: "stop",
    when: (context) => inPane("replicas")(context) && shownReplicas(context.state).length > 0,
    run: apps.stopReplica,
  }),
  command("logs", ["l"], "Show the log of the deployment or selected replica", {
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
  command("stream", ["f"], "Switch between all log streams, stderr, stdout and events", {
    hint: "stream",
    when: inPane("logs"),
    run: panes.nextStream,
  }),
  command("wrap", ["w"], "Wrap long log lines", {
    when: inPane("logs"),
    run: panes.wrapLog,
  }),
  command("pageLog", ["Ctrl+O"], "Open the log in $PAGER", { when: onApp, run: panes.pageLog }),
  command("scale", ["s"], "Change the number of replicas", {
    hint: hintIn("apps", "scale"),
    slash: ["/scale"],
    slashArguments: "[APP] [MIN..MAX]",
    when: onApp,
    run: apps.scale,
  }),
  command("rollBack", ["u"], "Switch to another revision", {
    hint: hintIn("apps", "roll back"),
    slash: ["/rollback"],
    slashArguments: "[APP] [REVISION]",
    when: onApp,
    run: apps.rollBack,
  }),
  command("split", ["t"], "Promote or abort a traffic split", {
    hint: ({ state }) => (splitsTraffic(state) ? "split" : undefined),
    slash: ["/traffic"],
    slashArguments: "[APP]",
    when: onApp,
    run: apps.endSplit,
  }),
  command("stop", ["x"], "Pause or resume the deployment", {
    hint: ({ state }) => {
      if (state.pane !== "apps") return undefined;
      return selectedApp(state)?.state === "PAUSED" ? "resume" : "stop";
    },
    slash: ["/stop-app"],
    slashArguments: "[APP]",
    when: onAppPane,
    run: apps.stopOrResume,
  }),
  command("delete", ["D"], "Delete the deployment (asks for its name)", {
    hint: hintIn("apps", "delete"),
    slash: ["/delete-app"],
    slashArguments: "[APP]",
    when: onApp,
    run: apps.remove,
  }),
  command("details", ["i"], "Show all details of the deployment", {
    hint: ({ state }) => (hintsChat(state) ? "info" : undefined),
    when: onApp,
    run: apps.showDetails,
  }),
  command("nodes", ["N"], "Show the nodes of the cluster, with their replicas", {
    slash: ["/nodes"],
    when: (context) => inPanes(context) && shownNodes(context.state).length > 0,
    run: panes.showNodes,
  }),
  command("copyUrl", ["y"], "Copy the deployment's address", {
    when: onAppPane,
    run: apps.copyUrl,
  }),
  command("copyCalls", ["Y"], "Copy example calls to the deployment", {
    when: onApp,
    run: apps.copyCalls,
  }),
  command("zoom", ["z"], "Enlarge or shrink the pane", {
    when: inPanes,
    run: panes.zoom,
  }),
  command("server", ["p"], "Switch to another server", {
    slash: ["/profile"],
    when: isFree,
    run: panes.chooseServer,
  }),
  command("up", ["Up", "k"], "Row up", scrolling(panes.move, -1, isFree)),
  command("down", ["Down", "j"], "Row down", scrolling(panes.move, 1, isFree)),
  command("pageUp", ["PgUp"], "Page up", scrolling(panes.movePage, -1, isFree)),
  command("pageDown", ["PgDn"], "Page down", scrolling(panes.movePage, 1, isFree)),
  command("first", ["Home"], "First row", scrolling(panes.move, -Infinity, isFree)),
  command("last", ["End"], "Last row; in the log, follow", scrolling(panes.move, Infinity, isFree)),
];
