// The commands of the models screen: their keys, when they are valid, and the actions that they call.

import type { BoundCommand, CommandFacts } from "../../frame/screen.ts";
import { isActive } from "./download.ts";
import type { ListActions, ListStep } from "./list-actions.ts";
import type { ModelActions } from "./model-actions.ts";
import { downloadOf, isLoaded, type ModelEntry, readOnlyReason } from "./model-entries.ts";
import { isHubName } from "./model-name.ts";
import type { ModelsState } from "./models-state.ts";
import type { PullActions } from "./pull-actions.ts";

export interface ModelsActions {
  readonly list: ListActions;
  readonly models: ModelActions;
  readonly pulls: PullActions;
}

/** Decides which commands are valid. */
export interface ModelsSituation {
  readonly state: ModelsState;
  /** The selected one. */
  readonly entry: ModelEntry | undefined;
}

interface ModelsCommand extends Omit<CommandFacts, "group"> {
  /** Defaults to Models. */
  readonly group?: string;
  readonly hint?: string | ((situation: ModelsSituation) => string | undefined);
  readonly when: (situation: ModelsSituation) => boolean;
  run(
    actions: ModelsActions,
    argument: string,
    situation: ModelsSituation,
  ): ReturnType<BoundCommand["run"]>;
}

type When = ModelsCommand["when"];

const isReading: When = ({ state }) => !state.isTyping;
const isTyping: When = ({ state }) => state.isTyping;
const always: When = () => true;
const isLocal: When = ({ state, entry }) =>
  !state.isTyping && entry?.kind === "local" && entry.model !== undefined;
/** Other stores are only read. */
const isOwn: When = ({ entry }) =>
  entry?.kind === "local" && entry.model !== undefined && !readOnlyReason(entry.model);
const isOfHub: When = ({ state, entry }) =>
  !state.isTyping && (entry?.kind === "hub" || (entry?.kind === "local" && isHubName(entry.name)));
const canChat: When = ({ state, entry }) =>
  !state.isTyping &&
  (entry?.kind === "running" || (entry?.kind === "local" && entry.model !== undefined));

const commands: readonly ModelsCommand[] = [
  {
    id: "models.filter",
    title: "Filter the list; in the hub's, search the hub",
    keys: ["/"],
    hint: ({ state }) => (state.source === "hub" ? "search" : "filter"),
    when: isReading,
    run: ({ list }) => void list.openFilter(),
  },
  {
    id: "models.keepFilter",
    title: "In the filter: back to the list, which stays filtered",
    keys: ["Enter"],
    hint: "keep",
    when: isTyping,
    run: ({ list }) => void list.keepFilter(),
  },
  {
    id: "models.back",
    title: "Clear the filter; from the card, back to the list",
    keys: ["Esc"],
    hint: ({ state }) => (state.isTyping ? "clear" : undefined),
    when: ({ state }) =>
      state.isTyping || state.pane === "card" || state.lists[state.source].filter.text !== "",
    run: ({ list }) => void list.back(),
  },
  {
    id: "models.chat",
    title: "Chat with the model; in the hub's list, choose what to pull",
    keys: ["Enter"],
    hint: ({ entry }) => (entry?.kind === "hub" ? "pull" : "chat"),
    when: ({ state, entry }) =>
      canChat({ state, entry }) || (!state.isTyping && entry?.kind === "hub"),
    run: ({ models, pulls }, _, { entry }) =>
      entry?.kind === "hub" ? pulls.chooseQuantization() : void models.chat(),
  },
  {
    id: "models.load",
    title: "Load or unload the model",
    keys: ["l"],
    hint: ({ entry }) => (entry !== undefined && isLoaded(entry) ? "unload" : "load"),
    when: canChat,
    run: ({ models }) => models.toggleLoad(),
  },
  {
    id: "models.pull",
    title: "Pull a model by its name, such as owner/name:Q4_K_M",
    keys: ["p"],
    slash: ["/pull"],
    slashArguments: "[NAME]",
    hint: "pull",
    when: isReading,
    run: ({ pulls }, argument) => pulls.pull(argument),
  },
  {
    id: "models.pause",
    title: "Pause a download, or go on with it",
    keys: ["Space"],
    hint: ({ entry }) => {
      const download = downloadOf(entry);
      return download !== undefined && isActive(download) ? "pause" : "go on";
    },
    when: ({ state, entry }) => !state.isTyping && downloadOf(entry) !== undefined,
    run: ({ pulls }) => pulls.pauseOrResume(),
  },
  {
    id: "models.cancel",
    title: "Cancel a download or a load",
    keys: ["x"],
    hint: "cancel",
    when: ({ state, entry }) =>
      !state.isTyping &&
      (downloadOf(entry) !== undefined || (entry?.kind === "local" && entry.loading !== undefined)),
    run: ({ models, pulls }, _, { entry }) =>
      downloadOf(entry) === undefined ? void models.cancelLoad() : pulls.cancel(),
  },
  {
    id: "models.copy",
    title: "Copy the model under another name",
    keys: ["c"],
    hint: "copy",
    when: isLocal,
    run: ({ models }) => models.copy(),
  },
  {
    id: "models.rename",
    title: "Give the model another name",
    keys: ["n"],
    when: isLocal,
    run: ({ models }) => models.rename(),
  },
  {
    id: "models.edit",
    title: "Make a model from a Modelfile in your editor",
    keys: ["e"],
    hint: "Modelfile",
    when: ({ state }) => !state.isTyping && state.source === "local",
    run: ({ models }) => models.editModelfile(),
  },
  {
    id: "models.quantizations",
    title: "Choose a quantization of a model of the hub",
    keys: ["v"],
    hint: "quantizations",
    when: isOfHub,
    run: ({ pulls }) => pulls.chooseQuantization(),
  },
  {
    id: "models.delete",
    title: "Delete the model; tells first what it frees",
    keys: ["d"],
    hint: (situation) => (isOwn(situation) ? "delete" : undefined),
    // Also valid for a model that stays: it says why.
    when: isLocal,
    run: ({ models }) => models.remove(),
  },
  {
    id: "models.sort",
    title: "Order the list by something else",
    keys: ["s"],
    hint: "sort",
    when: isReading,
    run: ({ list }) => void list.changeSort(),
  },
  {
    id: "models.previousSource",
    title: "The list to the left: Local, Hub, Running",
    keys: ["[", "Left"],
    when: isReading,
    run: ({ list }) => void list.changeSource(-1),
  },
  {
    id: "models.nextSource",
    title: "The list to the right",
    keys: ["]", "Right"],
    hint: "next list",
    when: isReading,
    run: ({ list }) => void list.changeSource(1),
  },
  {
    id: "models.longerWindow",
    title: "A longer context window, for the estimate and the next load",
    keys: ["+"],
    when: isLocal,
    run: ({ list }) => void list.changeWindow(1),
  },
  {
    id: "models.shorterWindow",
    title: "A shorter context window",
    keys: ["-"],
    when: isLocal,
    run: ({ list }) => void list.changeWindow(-1),
  },
  {
    id: "models.automaticWindow",
    title: "Window and KV cache as the server chooses them",
    keys: ["="],
    when: isLocal,
    run: ({ list }) => void list.resetChoice(),
  },
  {
    id: "models.cacheType",
    title: "Another kind of KV cache, for the estimate and the next load",
    keys: ["t"],
    when: isLocal,
    run: ({ list }) => void list.changeCacheType(),
  },
  {
    id: "models.pane",
    title: "Between the list and the card",
    keys: ["Tab", "Shift+Tab"],
    hint: ({ state }) => (state.pane === "list" ? "card" : "list"),
    when: ({ state, entry }) => !state.isTyping && (entry !== undefined || state.pane === "card"),
    run: ({ list }) => void list.changePane(),
  },
  {
    id: "models.card",
    title: "The whole card in the pager, with texts and parameters",
    keys: ["i"],
    when: ({ state, entry }) =>
      !state.isTyping &&
      entry !== undefined &&
      (entry.kind !== "local" || entry.model !== undefined),
    run: ({ models }) => models.showCard(),
  },
  {
    id: "models.copyName",
    title: "Copy the model's name to the clipboard",
    keys: ["y"],
    when: ({ state, entry }) => !state.isTyping && entry !== undefined,
    run: ({ models }) => models.copyName(),
  },
  {
    id: "models.retry",
    title: "Read the list again, and go on with what failed",
    keys: ["r"],
    hint: ({ state }) => (state[state.source].error === undefined ? undefined : "retry"),
    when: isReading,
    run: ({ list, pulls }, _, { entry }) =>
      downloadOf(entry)?.state === "failed" ? pulls.pauseOrResume() : list.refresh(),
  },
  row("models.rowUp", "Up", ["Up"], always, { kind: "rows", delta: -1 }),
  row("models.rowDown", "Down", ["Down"], always, { kind: "rows", delta: 1 }),
  row("models.previous", "Up, while nothing is typed", ["k"], isReading, {
    kind: "rows",
    delta: -1,
  }),
  row("models.next", "Down, while nothing is typed", ["j"], isReading, { kind: "rows", delta: 1 }),
  row("models.pageUp", "Page up", ["PgUp"], always, { kind: "pages", delta: -1 }),
  row("models.pageDown", "Page down", ["PgDn"], always, { kind: "pages", delta: 1 }),
  row("models.first", "First", ["Home"], isReading, { kind: "edge", edge: "first" }),
  row("models.last", "Last", ["End"], isReading, { kind: "edge", edge: "last" }),
];

const table = commands.map(({ group = "Models", ...command }) => ({ ...command, group }));

/** For the documentation. */
export const modelsCommandFacts: readonly CommandFacts[] = table;

export function modelsCommands(
  actions: ModelsActions,
  situation: () => ModelsSituation,
): BoundCommand[] {
  return table.map(({ hint, when, run, ...facts }) => ({
    ...facts,
    hint: () => (typeof hint === "function" ? hint(situation()) : hint),
    isValid: () => when(situation()),
    run: (argument) => run(actions, argument, situation()),
  }));
}

function row(
  id: string,
  title: string,
  keys: readonly string[],
  when: When,
  step: ListStep,
): ModelsCommand {
  return { id, title, group: "Scrolling", keys, when, run: ({ list }) => void list.move(step) };
}
