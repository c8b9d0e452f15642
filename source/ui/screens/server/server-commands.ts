// The commands of the Server screen.

import type { RequestView } from "../../../client/requests.ts";
import type { BoundCommand, CommandFacts } from "../../frame/screen.ts";
import type { BrowseActions } from "./browse-actions.ts";
import type { RequestActions } from "./request-actions.ts";
import type { ListedRequests, ListFilters } from "./request-list.ts";
import type { ServerActions } from "./server-control.ts";
import type { HostedServer, ServerState, StartProblem } from "./server-state.ts";

/** The targets of the commands, and the state that decides which of them are valid. */
export interface ServerCommandContext {
  readonly state: ServerState;
  readonly listed: ListedRequests;
  readonly host: HostedServer;
  readonly browse: BrowseActions;
  readonly requests: RequestActions;
  readonly server: ServerActions;
}

type Context = ServerCommandContext;
type Outcome = string | undefined | Promise<string | undefined>;

interface Definition extends CommandFacts {
  readonly hint?: (context: Context) => string | undefined;
  readonly isValid: (context: Context) => boolean;
  readonly run: (context: Context) => Outcome;
}

const isFieldOpen = ({ state }: Context) => state.field !== undefined;
const isDetailOpen = ({ state }: Context) => state.opened !== undefined;
const inList = (context: Context) => !isFieldOpen(context) && !isDetailOpen(context);
const hasRequests = ({ listed }: Context) => listed.selected !== undefined;
const onRequest = (context: Context) => !isFieldOpen(context) && hasRequests(context);
const hasRemedy = (remedy: StartProblem["remedy"]) => (context: Context) =>
  inList(context) && context.state.startProblem?.remedy === remedy;
const hinted = (word: string) => () => word;
/** Does it with the selected request. */
const withSelected =
  (act: (context: Context, view: RequestView) => Outcome) =>
  (context: Context): Outcome =>
    context.listed.selected && act(context, context.listed.selected);

const definitions: readonly Definition[] = [
  {
    ...facts("keepFilter", "Keep the filter and go back to the rows", ["Enter"]),
    hint: hinted("keep"),
    isValid: isFieldOpen,
    run: ({ browse }) => browse.closeField(true),
  },
  {
    ...facts("dropFilter", "Leave the filter as it was before", ["Esc"]),
    hint: hinted("drop"),
    isValid: isFieldOpen,
    run: ({ browse }) => browse.closeField(false),
  },
  {
    ...facts("closeDetail", "Back to the requests", ["Esc"]),
    hint: hinted("back"),
    isValid: isDetailOpen,
    run: ({ browse }) => browse.close(),
  },
  {
    ...facts("clearFilters", "Show all requests again", ["Esc"]),
    hint: hinted("show all"),
    isValid: (context) => inList(context) && hasFilters(context.state.filters),
    run: ({ browse }) => browse.clearFilters(),
  },
  {
    ...facts("filter", "Filter by text, model:, status:, key:, path:; ! in front inverts", ["/"]),
    hint: hinted("filter"),
    isValid: inList,
    run: ({ browse }) => browse.openField(),
  },
  {
    ...facts("status", "Only running, successful or failed requests, in turn", ["f"]),
    hint: hinted("status"),
    isValid: inList,
    run: ({ browse }) => browse.nextStatus(),
  },
  {
    ...facts("model", "Only requests to one model", ["m"]),
    hint: hinted("model"),
    isValid: inList,
    run: ({ browse }) => browse.chooseModel(),
  },
  {
    ...facts("open", "The request in full, with its phases and texts", ["Enter"]),
    hint: hinted("open"),
    isValid: (context) => inList(context) && hasRequests(context),
    run: withSelected(({ browse }, view) => browse.open(view)),
  },
  {
    ...facts("pause", "Hold the rows still; what comes is counted", ["Space"]),
    hint: ({ state }) => (state.frozen === undefined ? "pause" : "go on"),
    isValid: inList,
    run: ({ browse }) => browse.togglePause(),
  },
  {
    ...facts("cancel", "Cancel the running request", ["x"]),
    hint: hinted("cancel"),
    isValid: (context) => onRequest(context) && context.listed.selected?.state === "running",
    run: withSelected(({ requests }, view) => requests.cancel(view)),
  },
  {
    ...facts("curl", "Copy the request, or the example, as a curl command", ["y"]),
    hint: hinted("curl"),
    isValid: (context) => onRequest(context) || (inList(context) && context.listed.total === 0),
    run: ({ listed: { selected }, requests }) =>
      selected === undefined ? requests.copyExample() : requests.copyCurl(selected),
  },
  {
    ...facts("json", "Copy the request's record as JSON", ["Y"]),
    isValid: onRequest,
    run: withSelected(({ requests }, view) => requests.copyJson(view)),
  },
  {
    ...facts("replay", "Send the request once more", ["R"]),
    hint: (context) => (isDetailOpen(context) ? "replay" : undefined),
    isValid: onRequest,
    run: withSelected(({ requests }, view) => requests.replay(view)),
  },
  {
    ...facts("export", "Write the requests that are shown into a file", ["E"]),
    isValid: (context) => inList(context) && hasRequests(context),
    run: ({ requests, listed }) => requests.exportAll(listed.shown),
  },
  {
    ...facts("time", "Time of day, or how long ago", ["t"]),
    isValid: inList,
    run: ({ browse }) => browse.toggleTime(),
  },
  {
    ...facts("wrap", "Wrap long lines of prompt and answer, or cut them", ["w"]),
    isValid: isDetailOpen,
    run: ({ browse }) => browse.toggleWrap(),
  },
  {
    ...facts("page", "The whole text in $PAGER", ["Ctrl+O"]),
    hint: (context) => (isDetailOpen(context) ? "pager" : undefined),
    isValid: onRequest,
    run: withSelected(({ browse }, view) => browse.page(view)),
  },
  {
    ...facts("nextPort", "Start the server on the next free port", ["p"]),
    hint: hinted("next port"),
    isValid: hasRemedy("next-port"),
    run: ({ server }) => server.startOnNextPort(),
  },
  {
    ...facts("makeKey", "Make the key without which the server does not start", ["n"]),
    hint: hinted("new key"),
    isValid: hasRemedy("make-key"),
    run: ({ server }) => server.makeKey(),
  },
  {
    ...facts("toggle", "Stop or start the server", ["S"]),
    hint: ({ host }) => (host.state === "stopped" ? "start" : "stop"),
    isValid: (context) =>
      inList(context) && (context.host.state === "running" || context.host.state === "stopped"),
    run: ({ server }) => server.toggle(),
  },
  {
    ...facts("settings", "Address, port, keys and origins of the server", ["o"]),
    hint: ({ host }) => (host.state === undefined ? undefined : "settings"),
    isValid: (context) => inList(context) && context.host.state !== "busy",
    run: ({ server }) => server.changeSettings(),
  },
  moving("up", "Row up", ["Up", "k"], (browse) => browse.move(-1)),
  moving("down", "Row down", ["Down", "j"], (browse) => browse.move(1)),
  moving("pageUp", "Page up", ["PgUp"], (browse) => browse.movePage(-1)),
  moving("pageDown", "Page down", ["PgDn"], (browse) => browse.movePage(1)),
  moving("start", "The oldest one; the beginning of a text", ["Home"], (browse) =>
    browse.move(-Infinity),
  ),
  {
    ...moving("follow", "Follow the newest one; the end of a text", ["End"], (browse) =>
      browse.move(Infinity),
    ),
    hint: ({ state }) =>
      state.selectedKey === undefined || state.opened !== undefined ? undefined : "follow",
  },
];

function facts(id: string, title: string, keys: readonly string[]): CommandFacts {
  return { id: `server.${id}`, title, group: "Requests", keys };
}

function moving(
  id: string,
  title: string,
  keys: readonly string[],
  move: (browse: BrowseActions) => undefined,
): Definition {
  return {
    ...facts(id, title, keys),
    group: "Scrolling",
    isValid: (context) => !isFieldOpen(context),
    run: ({ browse }) => move(browse),
  };
}

function hasFilters({ text, status, model }: ListFilters): boolean {
  return text !== "" || status !== "all" || model !== undefined;
}

/** For the documentation. */
export const serverCommandFacts: readonly CommandFacts[] = definitions.map(
  ({ id, title, group, keys }) => ({ id, title, group, keys }),
);

export function serverCommands(context: ServerCommandContext): BoundCommand[] {
  return definitions.map(({ hint, isValid, run, ...more }) => ({
    ...more,
    hint: () => hint?.(context),
    isValid: () => isValid(context),
    run: () => run(context),
  }));
}
