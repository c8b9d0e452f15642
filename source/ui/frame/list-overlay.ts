// A list to filter and choose from: palette, help and other choices.

import { Store } from "../../base/store.ts";
import { createEditorState, type EditorState } from "../editor/editor-state.ts";
import { fieldWith } from "../editor/line-field.ts";
import { type CommandRow, commandRow, scrolling } from "./command-table.ts";
import {
  cancelKeys,
  fieldQuestion,
  type OpenQuestion,
  type QuestionContext,
} from "./question-overlay.ts";
import { rankItems } from "./rank-items.ts";
import type { ChooseOptions, ListAction, ListItem, LiveChoices } from "./screen.ts";

export interface ListQuestion extends ChooseOptions {
  readonly title: string;
  readonly items: readonly ListItem[];
  /** A word for the action of Enter. */
  readonly verb: string;
  /** Returns the item for the typed text itself; it is shown above the matches. */
  readonly typed?: (text: string) => ListItem | undefined;
  /** Hides items that cannot be chosen until the filter finds them. Defaults to false. */
  readonly hidesDim?: boolean;
  /** Maximum number of visible items. Defaults to as many as fit. */
  readonly rowsMaximum?: number;
  /** A word for closing without a choice. Defaults to "close". */
  readonly cancelVerb?: string;
}

export interface ListState {
  readonly kind: "list";
  readonly question: ListQuestion;
  readonly title: string;
  readonly items: readonly ListItem[];
  /** The filter. */
  readonly field: EditorState;
  /** Items that the search found for the typed text, with their notes. */
  readonly hits: ReadonlyMap<string, string | undefined>;
  /** Items that match the filter, best match first. */
  readonly found: readonly ListItem[];
  /** Index in `found`. */
  readonly selected: number;
}

type ListContext = QuestionContext<ListState>;

const pageRows = 10;
const list = commandRow<ListContext>("list", "Lists");

function listCommands({
  verb,
  cancelVerb = "close",
  action,
}: ListQuestion): readonly CommandRow<ListContext>[] {
  return [
    list("close", cancelKeys, "Close", {
      hint: cancelVerb,
      run: ({ done }) => void done(undefined),
    }),
    list("choose", ["Enter"], "Choose the selected item", { hint: verb, run: choose }),
    ...(action === undefined
      ? []
      : [
          list("act", [action.key], "Act on the selected item", {
            hint: action.verb,
            run: (context) => act(context, action),
          }),
        ]),
    list("up", ["Up"], "Previous item", { hint: ["Up/Down", "select"], ...scrolling(move, -1) }),
    list("pageDown", ["PgDn"], "Page down", { hint: "scroll", ...scrolling(move, pageRows) }),
    list("pageUp", ["PgUp"], "Page up", scrolling(move, -pageRows)),
    list("complete", ["Tab"], "Complete the name of the selected item", {
      hint: "complete",
      when: ({ store }) => completionOf(store.get()) !== undefined,
      run: complete,
    }),
    list("down", ["Down", "Tab"], "Next item", scrolling(move, 1)),
  ];
}

/** Answers with the value of the chosen item. */
export function listQuestion(
  done: ListContext["done"],
  question: ListQuestion,
): OpenQuestion<ListState> {
  const { title, selected, switches } = question;
  const items = switches === undefined ? question.items : itemsOf(switches);
  const wanted = switches === undefined ? selected : items.find(({ isDim }) => !isDim)?.value;
  const store = new Store<ListState>({
    kind: "list",
    question,
    title: switches?.title() ?? title,
    items,
    field: createEditorState(),
    hits: new Map(),
    found: visibleItems(question, items),
    selected: Math.max(
      0,
      items.findIndex(({ value }) => value === wanted),
    ),
  });
  const stop = switches?.subscribe(() => follow(store, switches));
  const end = (answer: string | undefined) => {
    stop?.();
    done(answer);
  };
  const show = (field: EditorState) => filter(store, field);
  return fieldQuestion(listCommands(question), { store, done: end }, show);
}

/** Applies a change that may change which items are found. */
function change(store: Store<ListState>, given: Partial<ListState>): void {
  store.update({ ...given, found: foundItems({ ...store.get(), ...given }) });
}

function visibleItems({ hidesDim = false }: ListQuestion, items: readonly ListItem[]) {
  return hidesDim ? items.filter(({ isDim }) => !isDim) : items;
}

function foundItems({ question, items, field, hits }: ListState): readonly ListItem[] {
  const wanted = field.text.trim();
  if (wanted === "") return visibleItems(question, items);
  const ranked = rankItems(items, wanted);
  const others = items.filter((item) => hits.has(item.value) && !ranked.includes(item));
  const found = [...ranked, ...others].map((item) => ({
    ...item,
    note: hits.get(item.value) ?? item.note,
  }));
  const meant = question.typed?.(wanted);
  const isFound = found.some(({ value }) => value === meant?.value);
  return meant === undefined || isFound ? found : [meant, ...found];
}

function filter(store: Store<ListState>, field: EditorState): void {
  const isOther = field.text !== store.get().field.text;
  change(store, { field, ...(isOther && { hits: new Map(), selected: 0 }) });
  if (isOther) void search(store);
}

/** Returns the completion of the selected item, unless it is already typed. */
function completionOf({ found, selected, field }: ListState): string | undefined {
  const { completion } = found[selected] ?? {};
  return completion === undefined || field.text.startsWith(completion) ? undefined : completion;
}

function complete({ store }: ListContext): undefined {
  const completion = completionOf(store.get());
  if (completion !== undefined) filter(store, fieldWith(store.get().field, completion));
}

function choose({ store, done }: ListContext): undefined {
  const { found, selected, question } = store.get();
  const item = found[selected];
  if (item === undefined || item.isDim) return;
  if (question.switches === undefined) done(item.value);
  else question.switches.toggle(item.value);
}

function move({ store }: ListContext, rows: number): undefined {
  const { found, selected } = store.get();
  const last = Math.max(0, found.length - 1);
  store.update({ selected: Math.min(last, Math.max(0, selected + rows)) });
}

/** Shows changed choices; the selected one stays selected. */
function follow(store: Store<ListState>, switches: LiveChoices): void {
  const { found: before, selected } = store.get();
  change(store, { title: switches.title(), items: itemsOf(switches) });
  const { found } = store.get();
  const at = found.findIndex(({ value }) => value === before[selected]?.value);
  store.update({ selected: at === -1 ? Math.min(selected, found.length - 1) : at });
}

async function act(context: ListContext, { run }: ListAction): Promise<undefined> {
  const { store, done } = context;
  const { found, selected } = store.get();
  const item = found[selected];
  if (item === undefined || !(await run(item.value))) return;
  const items = store.get().items.filter(({ value }) => value !== item.value);
  change(store, { items });
  if (items.length === 0) done(undefined);
  else move(context, 0);
}

/** A failed search leaves only matches by name. */
async function search(store: Store<ListState>): Promise<void> {
  const { question, field } = store.get();
  const typed = field.text.trim();
  if (question.search === undefined || typed === "") return;
  const hits = await question.search(typed).catch(() => []);
  // The filter has changed meanwhile.
  if (store.get().field.text.trim() !== typed) return;
  change(store, { hits: new Map(hits.map(({ value, note }) => [value, note])) });
}

function itemsOf(switches: LiveChoices): readonly ListItem[] {
  return switches.choices().map((choice) => ({ note: "", ...choice }));
}
