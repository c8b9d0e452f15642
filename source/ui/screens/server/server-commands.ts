// The commands of the Server screen.

import type { RequestView } from "../../../client/requests.ts";
import { type CommandRow, commandRow, type RowRest } from "../../frame/command-table.ts";
import {
  chooseModel,
  clearFilters,
  closeRequest,
  dropFilter,
  keepFilter,
  move,
  movePage,
  nextStatus,
  openField,
  openRequest,
  pageRequest,
  toggleOwnRequests,
  togglePause,
  toggleTime,
  toggleWrap,
} from "./browse-actions.ts";
import {
  cancel,
  copyCurl,
  copyExample,
  copyJson,
  exportRequests,
  replay,
  toggleRecording,
} from "./request-actions.ts";
import { changeSettings, makeKey, startOnNextPort, toggleServer } from "./server-control.ts";
import type { ServerContext, ServerControl, StartProblem } from "./server-state.ts";

type Row = CommandRow<ServerContext>;
type When = Row["when"];

const foreign = "Another program hosts this server: it is set, stopped and started there";

const isTyping: When = ({ state }) => state.field !== undefined;
const isDetailOpen: When = ({ state }) => state.opened !== undefined;
const inList: When = (context) => !isTyping(context) && !isDetailOpen(context);
const hasRequests: When = ({ listed }) => listed.selected !== undefined;
const onRequest: When = (context) => !isTyping(context) && hasRequests(context);
const hasFilters: When = ({ state: { filters } }) =>
  filters.text !== "" || filters.status !== "all" || filters.model !== undefined;
const hasRemedy =
  (remedy: StartProblem["remedy"]): When =>
  (context) =>
    inList(context) && context.state.startProblem?.remedy === remedy;
const hintedInDetail = (word: string) => (context: ServerContext) =>
  isDetailOpen(context) ? word : undefined;
/** Does it with the selected request. */
const withSelected =
  (act: (context: ServerContext, view: RequestView) => ReturnType<Row["run"]>): Row["run"] =>
  (context) =>
    context.listed.selected && act(context, context.listed.selected);
/** Does it with the server that this program hosts. */
const withControl =
  (act: (context: ServerContext, control: ServerControl) => ReturnType<Row["run"]>): Row["run"] =>
  (context) =>
    context.control === undefined ? foreign : act(context, context.control);
const scrolling = (run: Row["run"]): RowRest<ServerContext> => ({
  group: "Scrolling",
  when: (context) => !isTyping(context),
  run,
});

const command = commandRow<ServerContext>("server", "Requests");

export const serverCommands: readonly Row[] = [
  command("keepFilter", ["Enter"], "Apply the filter", {
    hint: "keep",
    when: isTyping,
    run: keepFilter,
  }),
  command("dropFilter", ["Esc"], "Cancel the filter", {
    hint: "drop",
    when: isTyping,
    run: dropFilter,
  }),
  command("closeDetail", ["Esc"], "Back to the requests", {
    hint: "back",
    when: isDetailOpen,
    run: closeRequest,
  }),
  command("clearFilters", ["Esc"], "Show all requests again", {
    hint: "show all",
    when: (context) => inList(context) && hasFilters(context),
    run: clearFilters,
  }),
  command("filter", ["/"], "Filter by text, model:, status:, key:, path:; ! in front inverts", {
    hint: "filter",
    when: inList,
    run: openField,
  }),
  command("status", ["f"], "Cycle through running, successful and failed requests", {
    hint: "status",
    when: inList,
    run: nextStatus,
  }),
  command("model", ["m"], "Show requests to one model", {
    hint: "model",
    when: inList,
    run: chooseModel,
  }),
  command("own", ["a"], "Show or hide modelctl's own requests", {
    hint: ({ state }) => (state.showsOwn ? "hide own" : undefined),
    when: inList,
    run: toggleOwnRequests,
  }),
  command("open", ["Enter"], "Show the request with its phases and texts", {
    hint: "open",
    when: (context) => inList(context) && hasRequests(context),
    run: withSelected(openRequest),
  }),
  command("pause", ["Space"], "Pause the list; new requests are counted", {
    hint: ({ state }) => (state.frozen === undefined ? "pause" : "go on"),
    when: inList,
    run: togglePause,
  }),
  command("cancel", ["x"], "Cancel the running request", {
    hint: "cancel",
    when: (context) => onRequest(context) && context.listed.selected?.state === "running",
    run: withSelected(cancel),
  }),
  command("curl", ["y"], "Copy the request, or the example, as a curl command", {
    hint: "curl",
    when: (context) => onRequest(context) || (inList(context) && context.listed.total === 0),
    run: (context) =>
      context.listed.selected ? copyCurl(context, context.listed.selected) : copyExample(context),
  }),
  command("json", ["Y"], "Copy the request's record as JSON", {
    when: onRequest,
    run: withSelected(copyJson),
  }),
  command("replay", ["R"], "Replay the request", {
    hint: hintedInDetail("replay"),
    when: onRequest,
    run: withSelected(replay),
  }),
  command("record", ["P"], "Record prompts and answers until the server ends, or stop", {
    hint: ({ watch }) => (watch.sample?.isRecording === true ? "stop recording" : undefined),
    when: (context) => !isTyping(context) && context.watch.sample !== undefined,
    run: toggleRecording,
  }),
  command("export", ["E"], "Export the shown requests", {
    when: (context) => inList(context) && hasRequests(context),
    run: exportRequests,
  }),
  command("time", ["t"], "Toggle between time of day and age", { when: inList, run: toggleTime }),
  command("wrap", ["w"], "Wrap long lines of prompt and answer, or cut them", {
    when: isDetailOpen,
    run: toggleWrap,
  }),
  command("page", ["Ctrl+O"], "Show the whole text in $PAGER", {
    hint: hintedInDetail("pager"),
    when: onRequest,
    run: withSelected(pageRequest),
  }),
  command("nextPort", ["p"], "Start the server on the next free port", {
    hint: "next port",
    when: hasRemedy("next-port"),
    run: withControl(startOnNextPort),
  }),
  command("makeKey", ["n"], "Create the key that the server needs to start", {
    hint: "new key",
    when: hasRemedy("make-key"),
    run: withControl(makeKey),
  }),
  command("toggle", ["S"], "Stop or start the server", {
    hint: ({ host }) => (host().state === "stopped" ? "start" : "stop"),
    when: (context) =>
      inList(context) && ["running", "stopped"].includes(context.host().state ?? ""),
    run: withControl(toggleServer),
  }),
  command("settings", ["o"], "Address, port, keys and origins of the server", {
    hint: ({ host }) => (host().state === undefined ? undefined : "settings"),
    when: (context) => inList(context) && context.host().state !== "busy",
    run: withControl(changeSettings),
  }),
  command(
    "up",
    ["Up", "k"],
    "Row up",
    scrolling((context) => move(context, -1)),
  ),
  command(
    "down",
    ["Down", "j"],
    "Row down",
    scrolling((context) => move(context, 1)),
  ),
  command(
    "pageUp",
    ["PgUp"],
    "Page up",
    scrolling((context) => movePage(context, -1)),
  ),
  command(
    "pageDown",
    ["PgDn"],
    "Page down",
    scrolling((context) => movePage(context, 1)),
  ),
  command(
    "start",
    ["Home"],
    "The oldest one; the beginning of a text",
    scrolling((context) => move(context, -Infinity)),
  ),
  command("follow", ["End"], "Follow the newest one; the end of a text", {
    ...scrolling((context) => move(context, Infinity)),
    hint: ({ state }) =>
      state.selectedKey === undefined || state.opened !== undefined ? undefined : "follow",
  }),
];
