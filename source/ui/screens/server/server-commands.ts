// The commands of the Server screen.

import type { RequestRecord } from "../../../request-log/request-record.ts";
import type { ServerControl } from "../../app/server-access.ts";
import { type CommandRow, commandRow, scrolling } from "../../frame/command-table.ts";
import * as browse from "./browse-actions.ts";
import * as requests from "./request-actions.ts";
import { isFollowing } from "./request-list.ts";
import * as server from "./server-control.ts";
import type { ServerContext, StartProblem } from "./server-state.ts";

type Row = CommandRow<ServerContext>;
type When = Row["when"];

const foreign = "Another program runs this server; configure or stop it there";

const isTyping: When = ({ state }) => state.field !== undefined;
const isReading: When = (context) => !isTyping(context);
const isDetailOpen: When = ({ state }) => state.opened !== undefined;
const inList: When = (context) => isReading(context) && !isDetailOpen(context);
const hasRequests: When = ({ listed }) => listed.selected !== undefined;
const onRequest: When = (context) => isReading(context) && hasRequests(context);
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

const command = commandRow<ServerContext>("server", "Requests");

export const serverCommands: readonly Row[] = [
  command("keepFilter", ["Enter"], "Apply the filter and return to the list", {
    hint: "apply",
    when: isTyping,
    run: browse.keepFilter,
  }),
  command("dropFilter", ["Esc"], "Discard the filter changes", {
    hint: "discard",
    when: isTyping,
    run: browse.dropFilter,
  }),
  command("closeDetail", ["Esc"], "Return to the requests", {
    hint: "back",
    when: isDetailOpen,
    run: browse.closeRequest,
  }),
  command("clearFilters", ["Esc"], "Clear the filter", {
    hint: "show all",
    when: (context) => inList(context) && hasFilters(context),
    run: browse.clearFilters,
  }),
  command("filter", ["/"], "Filter by text, model:, status:, key:, path:; ! negates", {
    hint: "filter",
    when: inList,
    run: browse.openField,
  }),
  command("status", ["f"], "Show only running, successful or failed requests", {
    hint: "status",
    when: inList,
    run: browse.nextStatus,
  }),
  command("model", ["m"], "Show only requests to one model", {
    hint: "model",
    when: inList,
    run: browse.chooseModel,
  }),
  command("own", ["a"], "Show or hide requests of modelctl's own screens", {
    hint: ({ state }) => (state.showsOwn ? "hide own" : undefined),
    when: inList,
    run: browse.toggleOwnRequests,
  }),
  command("open", ["Enter"], "Show the request's details", {
    hint: "open",
    when: (context) => inList(context) && hasRequests(context),
    run: withSelected(browse.openRequest),
  }),
  command("pause", ["Space"], "Pause the list and count new requests", {
    hint: ({ state }) => (state.frozen === undefined ? "pause" : "resume"),
    when: inList,
    run: browse.togglePause,
  }),
  command("cancel", ["x"], "Cancel the running request", {
    hint: "cancel",
    when: (context) => onRequest(context) && context.listed.selected?.state === "running",
    run: withSelected(requests.cancel),
  }),
  command("curl", ["y"], "Copy the request, or the example, as a curl command", {
    hint: "curl",
    when: (context) => onRequest(context) || (inList(context) && context.listed.total === 0),
    run: (context) =>
      context.listed.selected
        ? requests.copyCurl(context, context.listed.selected)
        : requests.copyExample(context),
  }),
  command("json", ["Y"], "Copy the request's record as JSON", {
    when: onRequest,
    run: withSelected(requests.copyJson),
  }),
  command("replay", ["R"], "Replay the request", {
    hint: hintedInDetail("replay"),
    when: onRequest,
    run: withSelected(requests.replay),
  }),
  command("record", ["P"], "Start or stop recording prompts and answers", {
    hint: ({ watch }) => (watch.sample?.isRecording === true ? "stop recording" : undefined),
    when: (context) => isReading(context) && context.watch.sample !== undefined,
    run: requests.toggleRecording,
  }),
  command("export", ["E"], "Export the shown requests to a file", {
    when: (context) => inList(context) && hasRequests(context),
    run: requests.exportRequests,
  }),
  command("time", ["t"], "Switch between time of day and age", {
    when: inList,
    run: browse.toggleTime,
  }),
  command("wrap", ["w"], "Wrap or cut long lines", {
    when: isDetailOpen,
    run: browse.toggleWrap,
  }),
  command("page", ["Ctrl+O"], "Open the whole text in $PAGER", {
    hint: hintedInDetail("pager"),
    when: onRequest,
    run: withSelected(browse.pageRequest),
  }),
  command("nextPort", ["p"], "Start the server on the next free port", {
    hint: "next port",
    when: hasRemedy("next-port"),
    run: withControl(server.startOnNextPort),
  }),
  command("makeKey", ["n"], "Create the key that the server needs to start", {
    hint: "new key",
    when: hasRemedy("make-key"),
    run: withControl(server.makeKey),
  }),
  command("toggle", ["S"], "Stop or start the server", {
    hint: ({ host }) => (host().state === "stopped" ? "start" : "stop"),
    when: (context) =>
      inList(context) && ["running", "stopped"].includes(context.host().state ?? ""),
    run: withControl(server.toggleServer),
  }),
  command("settings", ["o"], "Configure the server: address, port, keys, origins", {
    hint: ({ host }) => (host().state === undefined ? undefined : "settings"),
    when: (context) => inList(context) && context.host().state !== "busy",
    run: withControl(server.changeSettings),
  }),
  command("up", ["Up", "k"], "Row up", scrolling(browse.move, -1, isReading)),
  command("down", ["Down", "j"], "Row down", scrolling(browse.move, 1, isReading)),
  command("pageUp", ["PgUp"], "Page up", scrolling(browse.movePage, -1, isReading)),
  command("pageDown", ["PgDn"], "Page down", scrolling(browse.movePage, 1, isReading)),
  command(
    "start",
    ["Home"],
    "Oldest request, or start of the text",
    scrolling(browse.move, -Infinity, isReading),
  ),
  command("follow", ["End"], "Follow new requests, or go to the end of the text", {
    ...scrolling(browse.move, Infinity, isReading),
    hint: ({ state }) => (isFollowing(state) || state.opened !== undefined ? undefined : "follow"),
  }),
];
