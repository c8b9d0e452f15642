// The commands of the Server screen.

import type { RequestRecord } from "../../../request-log/request-record.ts";
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

const foreign = "Another program runs this server; configure or stop it there";

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
/** Acts on the selected request. */
const withSelected =
  (act: (context: ServerContext, view: RequestRecord) => ReturnType<Row["run"]>): Row["run"] =>
  (context) =>
    context.listed.selected && act(context, context.listed.selected);
/** Acts on the server of this program; a notice names the reason if there is none. */
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
  command("keepFilter", ["Enter"], "Apply the filter and return to the list", {
    hint: "apply",
    when: isTyping,
    run: keepFilter,
  }),
  command("dropFilter", ["Esc"], "Discard the filter changes", {
    hint: "discard",
    when: isTyping,
    run: dropFilter,
  }),
  command("closeDetail", ["Esc"], "Return to the requests", {
    hint: "back",
    when: isDetailOpen,
    run: closeRequest,
  }),
  command("clearFilters", ["Esc"], "Clear the filter", {
    hint: "show all",
    when: (context) => inList(context) && hasFilters(context),
    run: clearFilters,
  }),
  command("filter", ["/"], "Filter by text, model:, status:, key:, path:; ! negates", {
    hint: "filter",
    when: inList,
    run: openField,
  }),
  command("status", ["f"], "Show only running, successful or failed requests", {
    hint: "status",
    when: inList,
    run: nextStatus,
  }),
  command("model", ["m"], "Show only requests to one model", {
    hint: "model",
    when: inList,
    run: chooseModel,
  }),
  command("own", ["a"], "Show or hide requests of modelctl's own screens", {
    hint: ({ state }) => (state.showsOwn ? "hide own" : undefined),
    when: inList,
    run: toggleOwnRequests,
  }),
  command("open", ["Enter"], "Show the request's details", {
    hint: "open",
    when: (context) => inList(context) && hasRequests(context),
    run: withSelected(openRequest),
  }),
  command("pause", ["Space"], "Pause the list and count new requests", {
    hint: ({ state }) => (state.frozen === undefined ? "pause" : "resume"),
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
  command("record", ["P"], "Start or stop recording prompts and answers", {
    hint: ({ watch }) => (watch.sample?.isRecording === true ? "stop recording" : undefined),
    when: (context) => !isTyping(context) && context.watch.sample !== undefined,
    run: toggleRecording,
  }),
  command("export", ["E"], "Export the shown requests to a file", {
    when: (context) => inList(context) && hasRequests(context),
    run: exportRequests,
  }),
  command("time", ["t"], "Switch between time of day and age", { when: inList, run: toggleTime }),
  command("wrap", ["w"], "Wrap or cut long lines", {
    when: isDetailOpen,
    run: toggleWrap,
  }),
  command("page", ["Ctrl+O"], "Open the whole text in $PAGER", {
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
  command("settings", ["o"], "Configure the server: address, port, keys, origins", {
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
    "Oldest request, or start of the text",
    scrolling((context) => move(context, -Infinity)),
  ),
  command("follow", ["End"], "Follow new requests, or go to the end of the text", {
    ...scrolling((context) => move(context, Infinity)),
    hint: ({ state }) =>
      state.selectedKey === undefined || state.opened !== undefined ? undefined : "follow",
  }),
];
