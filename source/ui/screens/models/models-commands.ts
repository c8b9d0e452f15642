// The commands of the models screen: their keys, when they are valid, and the actions that they call.

import { type CommandRow, commandRow } from "../../frame/command-table.ts";
import { isActive } from "./download.ts";
import {
  changeCacheType,
  changePane,
  changeSort,
  changeSource,
  changeWindow,
  goBack,
  keepFilter,
  move,
  movePage,
  openFilter,
  refresh,
  resetChoice,
} from "./list-actions.ts";
import {
  cancelLoad,
  chat,
  copy,
  copyName,
  editModelfile,
  remove,
  rename,
  showCard,
  toggleLoad,
} from "./model-actions.ts";
import { downloadOf, isLoaded, readOnlyReason } from "./model-entries.ts";
import { isHubName } from "./model-name.ts";
import type { ModelsContext } from "./models-context.ts";
import { cancel, chooseQuantization, pauseOrResume, pull } from "./pull-actions.ts";

type Row = CommandRow<ModelsContext>;
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
const canChat: When = (context) => onLocal(context) || onRunning(context);

const command = commandRow<ModelsContext>("models", "Models");
const scroll = (
  name: string,
  keys: readonly string[],
  title: string,
  run: Row["run"],
  when: When = () => true,
): Row => command(name, keys, title, { group: "Scrolling", when, run });

export const modelsCommands: readonly Row[] = [
  command("filter", ["/"], "Filter the list; in the hub's, search the hub", {
    hint: ({ state }) => (state.source === "hub" ? "search" : "filter"),
    when: isReading,
    run: openFilter,
  }),
  command("keepFilter", ["Enter"], "In the filter: back to the list, which stays filtered", {
    hint: "keep",
    when: isTyping,
    run: keepFilter,
  }),
  command("back", ["Esc"], "Clear the filter; from the card, back to the list", {
    hint: ({ state }) => (state.isTyping ? "clear" : undefined),
    when: ({ state }) =>
      state.isTyping || state.pane === "card" || state.lists[state.source].filter.text !== "",
    run: goBack,
  }),
  command("chat", ["Enter"], "Chat with the model; in the hub's list, choose what to pull", {
    hint: (context) => (onHub(context) ? "pull" : "chat"),
    when: (context) => canChat(context) || onHub(context),
    run: (context) => (onHub(context) ? chooseQuantization(context) : chat(context)),
  }),
  command("load", ["l"], "Load or unload the model", {
    hint: ({ entry }) => (entry !== undefined && isLoaded(entry) ? "unload" : "load"),
    when: canChat,
    run: toggleLoad,
  }),
  command("pane", ["Tab", "Shift+Tab"], "Between the list and the card", {
    hint: ({ state }) => (state.pane === "list" ? "card" : "list"),
    when: (context) => onEntry(context) || (isReading(context) && context.state.pane === "card"),
    run: changePane,
  }),
  command("pull", ["p"], "Pull a model by its name, such as owner/name:Q4_K_M", {
    slash: ["/pull"],
    keywords: ["download", "install"],
    slashArguments: "[NAME]",
    hint: "pull",
    when: isReading,
    run: pull,
  }),
  command("pause", ["Space"], "Pause a download, or go on with it", {
    hint: ({ entry }) => {
      const download = downloadOf(entry);
      return download !== undefined && isActive(download) ? "pause" : "go on";
    },
    when: onDownload,
    run: pauseOrResume,
  }),
  command("cancel", ["x"], "Cancel a download or a load", {
    hint: "cancel",
    when: (context) => onDownload(context) || onLoading(context),
    run: (context) => (onDownload(context) ? cancel(context) : cancelLoad(context)),
  }),
  command("copy", ["c"], "Copy the model under another name", {
    hint: "copy",
    when: onLocal,
    run: copy,
  }),
  command("rename", ["n"], "Give the model another name", { when: onLocal, run: rename }),
  command("edit", ["e"], "Make a model from a Modelfile in your editor", {
    hint: "Modelfile",
    when: ({ state }) => !state.isTyping && state.source === "local",
    run: editModelfile,
  }),
  command("quantizations", ["v"], "Choose a quantization of a model of the hub", {
    hint: "quantizations",
    when: (context) =>
      onHub(context) ||
      (isReading(context) && context.entry?.kind === "local" && isHubName(context.entry.name)),
    run: chooseQuantization,
  }),
  command("delete", ["d"], "Delete the model; tells first what it frees", {
    keywords: ["remove", "rm"],
    hint: ({ entry }) =>
      entry?.kind === "local" && entry.model !== undefined && !readOnlyReason(entry.model)
        ? "delete"
        : undefined,
    // Also valid for a model that stays: it says why.
    when: onLocal,
    run: remove,
  }),
  command("sort", ["s"], "Order the list by something else", {
    hint: "sort",
    when: isReading,
    run: changeSort,
  }),
  command("previousSource", ["[", "Left"], "The list to the left: Local, Hub, Running", {
    when: isReading,
    run: (context) => changeSource(context, -1),
  }),
  command("nextSource", ["]", "Right"], "The list to the right", {
    hint: "next list",
    when: isReading,
    run: (context) => changeSource(context, 1),
  }),
  command("longerWindow", ["+"], "A longer context window, for the estimate and the next load", {
    when: onLocal,
    run: (context) => changeWindow(context, 1),
  }),
  command("shorterWindow", ["-"], "A shorter context window", {
    when: onLocal,
    run: (context) => changeWindow(context, -1),
  }),
  command("automaticWindow", ["="], "Window and KV cache as the server chooses them", {
    when: onLocal,
    run: resetChoice,
  }),
  command("cacheType", ["t"], "Another kind of KV cache, for the estimate and the next load", {
    when: onLocal,
    run: changeCacheType,
  }),
  command("card", ["i"], "The whole card in the pager, with texts and parameters", {
    when: (context) => canChat(context) || onHub(context),
    run: showCard,
  }),
  command("copyName", ["y"], "Copy the model's name to the clipboard", {
    when: onEntry,
    run: copyName,
  }),
  command("retry", ["r"], "Read the list again, and go on with what failed", {
    hint: ({ state }) => (state[state.source].error === undefined ? undefined : "retry"),
    when: isReading,
    run: (context) =>
      downloadOf(context.entry)?.state === "failed" ? pauseOrResume(context) : refresh(context),
  }),
  scroll("rowUp", ["Up"], "Up", (context) => move(context, -1)),
  scroll("rowDown", ["Down"], "Down", (context) => move(context, 1)),
  scroll(
    "previous",
    ["k"],
    "Up, while nothing is typed",
    (context) => move(context, -1),
    isReading,
  ),
  scroll("next", ["j"], "Down, while nothing is typed", (context) => move(context, 1), isReading),
  scroll("pageUp", ["PgUp"], "Page up", (context) => movePage(context, -1)),
  scroll("pageDown", ["PgDn"], "Page down", (context) => movePage(context, 1)),
  scroll("first", ["Home"], "First", (context) => move(context, -Infinity), isReading),
  scroll("last", ["End"], "Last", (context) => move(context, Infinity), isReading),
];
