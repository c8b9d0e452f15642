// The commands of the Server screen: what they are called, and how they are bound to it.

import type { BoundCommand, CommandFacts } from "../../frame/screen.ts";

/** What the commands act on. */
export interface ServerActions {
  readonly isFieldOpen: boolean;
  readonly isDetailOpen: boolean;
  readonly hasRequests: boolean;
  readonly hasFilters: boolean;
  readonly isPaused: boolean;
  readonly isFollowing: boolean;
  /** The selected request has not ended. */
  readonly isRunning: boolean;
  /** Nothing has been asked yet: an example stands in the table's place. */
  readonly hasExample: boolean;
  /** Of the server, where this program hosts it; else undefined. */
  readonly control: "running" | "stopped" | "busy" | undefined;
  /** What helps a server that could not be started. */
  readonly remedy: "next-port" | "make-key" | "none" | undefined;
  openField(): undefined;
  closeField(isKept: boolean): undefined;
  clearFilters(): undefined;
  nextStatus(): undefined;
  chooseModel(): Promise<undefined>;
  togglePause(): undefined;
  follow(): undefined;
  move(rows: number): undefined;
  movePage(direction: -1 | 1): undefined;
  moveToStart(): undefined;
  openDetail(): undefined;
  closeDetail(): undefined;
  cancel(): Promise<string | undefined>;
  copyCurl(): Promise<string>;
  copyJson(): Promise<string>;
  replay(): Promise<string | undefined>;
  exportShown(): Promise<string | undefined>;
  toggleTime(): undefined;
  toggleWrap(): undefined;
  page(): Promise<undefined>;
  toggleServer(): Promise<string | undefined>;
  startOnNextPort(): Promise<string | undefined>;
  makeKey(): Promise<string | undefined>;
  changeSettings(): Promise<string | undefined>;
}

interface Definition extends CommandFacts {
  readonly hint?: (actions: ServerActions) => string | undefined;
  readonly isValid: (actions: ServerActions) => boolean;
  readonly run: (actions: ServerActions) => string | undefined | Promise<string | undefined>;
}

const inList = ({ isFieldOpen, isDetailOpen }: ServerActions) => !isFieldOpen && !isDetailOpen;
const onRequest = (actions: ServerActions) => !actions.isFieldOpen && actions.hasRequests;
const hinted = (word: string) => () => word;

const definitions: readonly Definition[] = [
  {
    ...facts("keepFilter", "Keep the filter and go back to the rows", ["Enter"]),
    hint: hinted("keep"),
    isValid: ({ isFieldOpen }) => isFieldOpen,
    run: (actions) => actions.closeField(true),
  },
  {
    ...facts("dropFilter", "Leave the filter as it was before", ["Esc"]),
    hint: hinted("drop"),
    isValid: ({ isFieldOpen }) => isFieldOpen,
    run: (actions) => actions.closeField(false),
  },
  {
    ...facts("closeDetail", "Back to the requests", ["Esc"]),
    hint: hinted("back"),
    isValid: ({ isDetailOpen }) => isDetailOpen,
    run: (actions) => actions.closeDetail(),
  },
  {
    ...facts("clearFilters", "Show all requests again", ["Esc"]),
    hint: hinted("show all"),
    isValid: (actions) => inList(actions) && actions.hasFilters,
    run: (actions) => actions.clearFilters(),
  },
  {
    ...facts("filter", "Filter by text, model:, status:, key:, path:; ! in front inverts", ["/"]),
    hint: hinted("filter"),
    isValid: inList,
    run: (actions) => actions.openField(),
  },
  {
    ...facts("status", "Only running, successful or failed requests, in turn", ["f"]),
    hint: hinted("status"),
    isValid: inList,
    run: (actions) => actions.nextStatus(),
  },
  {
    ...facts("model", "Only requests to one model", ["m"]),
    hint: hinted("model"),
    isValid: inList,
    run: (actions) => actions.chooseModel(),
  },
  {
    ...facts("open", "The request in full, with its phases and texts", ["Enter"]),
    hint: ({ isDetailOpen }) => (isDetailOpen ? undefined : "open"),
    isValid: (actions) => inList(actions) && actions.hasRequests,
    run: (actions) => actions.openDetail(),
  },
  {
    ...facts("pause", "Hold the rows still; what comes is counted", ["Space"]),
    hint: ({ isPaused }) => (isPaused ? "go on" : "pause"),
    isValid: inList,
    run: (actions) => actions.togglePause(),
  },
  {
    ...facts("cancel", "Cancel the running request", ["x"]),
    hint: hinted("cancel"),
    isValid: (actions) => onRequest(actions) && actions.isRunning,
    run: (actions) => actions.cancel(),
  },
  {
    ...facts("curl", "Copy the request, or the example, as a curl command", ["y"]),
    hint: hinted("curl"),
    isValid: (actions) => onRequest(actions) || (inList(actions) && actions.hasExample),
    run: (actions) => actions.copyCurl(),
  },
  {
    ...facts("json", "Copy the request's record as JSON", ["Y"]),
    isValid: onRequest,
    run: (actions) => actions.copyJson(),
  },
  {
    ...facts("replay", "Send the request once more", ["R"]),
    hint: ({ isDetailOpen }) => (isDetailOpen ? "replay" : undefined),
    isValid: onRequest,
    run: (actions) => actions.replay(),
  },
  {
    ...facts("export", "Write the requests that are shown into a file", ["E"]),
    isValid: (actions) => inList(actions) && actions.hasRequests,
    run: (actions) => actions.exportShown(),
  },
  {
    ...facts("time", "Time of day, or how long ago", ["t"]),
    isValid: inList,
    run: (actions) => actions.toggleTime(),
  },
  {
    ...facts("wrap", "Wrap long lines of prompt and answer, or cut them", ["w"]),
    isValid: ({ isDetailOpen }) => isDetailOpen,
    run: (actions) => actions.toggleWrap(),
  },
  {
    ...facts("page", "The whole text in $PAGER", ["Ctrl+O"]),
    hint: ({ isDetailOpen }) => (isDetailOpen ? "pager" : undefined),
    isValid: onRequest,
    run: (actions) => actions.page(),
  },
  {
    ...facts("nextPort", "Start the server on the next free port", ["p"]),
    hint: hinted("next port"),
    isValid: (actions) => inList(actions) && actions.remedy === "next-port",
    run: (actions) => actions.startOnNextPort(),
  },
  {
    ...facts("makeKey", "Make the key without which the server does not start", ["n"]),
    hint: hinted("new key"),
    isValid: (actions) => inList(actions) && actions.remedy === "make-key",
    run: (actions) => actions.makeKey(),
  },
  {
    ...facts("toggle", "Stop or start the server", ["S"]),
    hint: ({ control }) => (control === "stopped" ? "start" : "stop"),
    isValid: (actions) =>
      inList(actions) && (actions.control === "running" || actions.control === "stopped"),
    run: (actions) => actions.toggleServer(),
  },
  {
    ...facts("settings", "Address, port, keys and origins of the server", ["o"]),
    hint: ({ control }) => (control === undefined ? undefined : "settings"),
    isValid: (actions) => inList(actions) && actions.control !== "busy",
    run: (actions) => actions.changeSettings(),
  },
  moving("up", "Row up", ["Up", "k"], (actions) => actions.move(-1)),
  moving("down", "Row down", ["Down", "j"], (actions) => actions.move(1)),
  moving("pageUp", "Page up", ["PgUp"], (actions) => actions.movePage(-1)),
  moving("pageDown", "Page down", ["PgDn"], (actions) => actions.movePage(1)),
  moving("start", "The oldest one; the beginning of a text", ["Home"], (actions) =>
    actions.moveToStart(),
  ),
  {
    ...moving("follow", "Follow the newest one; the end of a text", ["End"], (actions) =>
      actions.follow(),
    ),
    hint: ({ isFollowing, isDetailOpen }) => (isFollowing || isDetailOpen ? undefined : "follow"),
  },
];

function facts(id: string, title: string, keys: readonly string[]): CommandFacts {
  return { id: `server.${id}`, title, group: "Requests", keys };
}

function moving(
  id: string,
  title: string,
  keys: readonly string[],
  run: (actions: ServerActions) => undefined,
): Definition {
  const isValid = ({ isFieldOpen }: ServerActions) => !isFieldOpen;
  return { ...facts(id, title, keys), group: "Scrolling", isValid, run };
}

/** For the documentation. */
export const serverCommandFacts: readonly CommandFacts[] = definitions.map(
  ({ id, title, group, keys }) => ({ id, title, group, keys }),
);

export function serverCommands(actions: ServerActions): BoundCommand[] {
  return definitions.map(({ hint, isValid, run, ...more }) => ({
    ...more,
    hint: () => hint?.(actions),
    isValid: () => isValid(actions),
    run: () => run(actions),
  }));
}
