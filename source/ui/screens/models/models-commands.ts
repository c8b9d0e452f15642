// The commands of the models screen: their keys, when they are valid, and the actions that they call.

import { isActive } from "../../../client/download.ts";
import { type CommandRow, commandRow, scrolling } from "../../frame/command-table.ts";
import * as list from "./list-actions.ts";
import * as model from "./model-actions.ts";
import { downloadOf, isLoaded, readOnlyReason } from "./model-entries.ts";
import { isHubName } from "./model-name.ts";
import * as pulls from "./pull-actions.ts";

type Row = CommandRow<list.ModelsContext>;
type When = Row["when"];

const isTyping: When = ({ state }) => state.isTyping;
const isReading: When = (context) => !isTyping(context);
const onEntry: When = ({ state, entry }) => !state.isTyping && entry !== undefined;
const onLocal: When = ({ state, entry }) =>
  !state.isTyping && entry?.kind === "local" && entry.model !== undefined;
const onHub: When = ({ state, entry }) => !state.isTyping && entry?.kind === "hub";
const onRunning: When = ({ state, entry }) => !state.isTyping && entry?.kind === "running";
const onDownload: When = ({ state, entry }) => !state.isTyping && downloadOf(entry) !== undefined;
const onLoading: When = ({ state, entry }) =>
  !state.isTyping && entry?.kind === "local" && entry.loading !== undefined;
const onFound: When = ({ state, entry }) =>
  !state.isTyping && entry?.kind === "local" && entry.found !== undefined;
const canChat: When = (context) => onLocal(context) || onRunning(context);

const command = commandRow<list.ModelsContext>("models", "Models");

export const modelsCommands: readonly Row[] = [
  command("filter", ["/"], "Filter the list, or search the hub", {
    hint: ({ state }) => (state.source === "hub" ? "search" : "filter"),
    when: isReading,
    run: list.openFilter,
  }),
  command("keepFilter", ["Enter"], "Apply the filter and return to the list", {
    hint: "apply",
    when: isTyping,
    run: list.keepFilter,
  }),
  command("back", ["Esc"], "Clear the filter, or return to the list", {
    hint: ({ state }) => (state.isTyping ? "clear" : undefined),
    when: ({ state }) =>
      state.isTyping || state.pane === "card" || state.lists[state.source].filter.text !== "",
    run: list.goBack,
  }),
  command("add", ["Enter"], "Add a file that was found on this machine", {
    hint: "add",
    when: onFound,
    run: model.addFound,
  }),
  command(
    "chat",
    ["Enter"],
    "Chat with the model; in the hub's list, choose a quantization to pull",
    {
      hint: (context) => (onHub(context) ? "pull" : "chat"),
      when: (context) => canChat(context) || onHub(context),
      run: (context) => (onHub(context) ? pulls.chooseQuantization(context) : model.chat(context)),
    },
  ),
  command("load", ["l"], "Load or unload the model", {
    hint: ({ entry }) => (entry !== undefined && isLoaded(entry) ? "unload" : "load"),
    when: canChat,
    run: model.toggleLoad,
  }),
  command("pane", ["Tab", "Shift+Tab"], "Switch between list and details", {
    hint: ({ state }) => (state.pane === "list" ? "card" : "list"),
    when: (context) => onEntry(context) || (isReading(context) && context.state.pane === "card"),
    run: list.changePane,
  }),
  command("pull", ["p"], "Pull a model by name, such as owner/name:Q4_K_M", {
    slash: ["/pull"],
    keywords: ["download", "install"],
    slashArguments: "[NAME]",
    hint: "pull",
    when: isReading,
    run: pulls.pull,
  }),
  command("pause", ["Space"], "Pause or resume a download", {
    hint: ({ entry }) => {
      const download = downloadOf(entry);
      return download !== undefined && isActive(download) ? "pause" : "resume";
    },
    when: onDownload,
    run: pulls.pauseOrResume,
  }),
  command("cancel", ["x"], "Cancel a download or a load", {
    hint: "cancel",
    when: (context) => onDownload(context) || onLoading(context),
    run: (context) => (onDownload(context) ? pulls.cancel(context) : model.cancelLoad(context)),
  }),
  command("copy", ["c"], "Copy the model to another name", {
    hint: "copy",
    when: onLocal,
    run: model.copy,
  }),
  command("rename", ["n"], "Rename the model", { when: onLocal, run: model.rename }),
  command("edit", ["e"], "Create a model from a Modelfile in your editor", {
    hint: "Modelfile",
    when: ({ state }) => !state.isTyping && state.source === "local",
    run: model.editModelfile,
  }),
  command("quantizations", ["v"], "Choose a quantization of a hub model", {
    hint: "quantizations",
    when: (context) =>
      onHub(context) ||
      (isReading(context) && context.entry?.kind === "local" && isHubName(context.entry.name)),
    run: pulls.chooseQuantization,
  }),
  command("delete", ["d"], "Delete the model (asks first)", {
    keywords: ["remove", "rm"],
    hint: ({ entry }) =>
      entry?.kind === "local" && entry.model !== undefined && !readOnlyReason(entry.model)
        ? "delete"
        : undefined,
    // Also valid for a read-only model: the notice names the reason.
    when: onLocal,
    run: model.remove,
  }),
  command("sort", ["s"], "Sort the list by another column", {
    hint: "sort",
    when: isReading,
    run: list.changeSort,
  }),
  command("previousSource", ["[", "Left"], "Previous list: Local, Hub, Running", {
    when: isReading,
    run: (context) => list.changeSource(context, -1),
  }),
  command("nextSource", ["]", "Right"], "Next list", {
    hint: "next list",
    when: isReading,
    run: (context) => list.changeSource(context, 1),
  }),
  command("longerWindow", ["+"], "Increase the context window for the estimate and the next load", {
    when: onLocal,
    run: (context) => list.changeWindow(context, 1),
  }),
  command("shorterWindow", ["-"], "Decrease the context window", {
    when: onLocal,
    run: (context) => list.changeWindow(context, -1),
  }),
  command("automaticWindow", ["="], "Reset window and KV cache to the server's choice", {
    when: onLocal,
    run: list.resetChoice,
  }),
  command("cacheType", ["t"], "Change the KV cache type for the estimate and the next load", {
    when: onLocal,
    run: list.changeCacheType,
  }),
  command("card", ["i"], "Open all details in $PAGER", {
    when: (context) => canChat(context) || onHub(context),
    run: model.showCard,
  }),
  command("copyName", ["y"], "Copy the model's name to the clipboard", {
    when: onEntry,
    run: model.copyName,
  }),
  command("retry", ["r"], "Refresh the list and retry failed downloads", {
    hint: ({ state }) => (state[state.source].error === undefined ? undefined : "retry"),
    when: isReading,
    run: (context) =>
      downloadOf(context.entry)?.state === "failed"
        ? pulls.pauseOrResume(context)
        : list.refresh(context),
  }),
  command("rowUp", ["Up"], "Up", scrolling(list.move, -1)),
  command("rowDown", ["Down"], "Down", scrolling(list.move, 1)),
  command("previous", ["k"], "Up, outside a text field", scrolling(list.move, -1, isReading)),
  command("next", ["j"], "Down, outside a text field", scrolling(list.move, 1, isReading)),
  command("pageUp", ["PgUp"], "Page up", scrolling(list.movePage, -1)),
  command("pageDown", ["PgDn"], "Page down", scrolling(list.movePage, 1)),
  command("first", ["Home"], "First", scrolling(list.move, -Infinity, isReading)),
  command("last", ["End"], "Last", scrolling(list.move, Infinity, isReading)),
];
