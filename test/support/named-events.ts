// Streams of events with names, as they are on the wire.

export interface WireEvent {
  type: string;
  [field: string]: unknown;
}

/** The events of a stream; each must be a name and one line of data that repeats the name. */
export function eventsOf(text: string): WireEvent[] {
  // On a slow machine a stream may be silent for long enough to carry comments.
  const events = text.split("\n\n").filter((event) => event !== ": keep-alive");
  if (events.pop() !== "") throw new Error("the last event is cut off");
  return events.map((event) => {
    const [, name, data] = /^event: ([^\n]+)\ndata: ([^\n]+)$/.exec(event) ?? [];
    if (name === undefined || data === undefined) throw new Error(`no named event: ${event}`);
    const parsed = JSON.parse(data);
    if (parsed.type !== name) throw new Error(`${name} is called ${parsed.type} inside`);
    return parsed;
  });
}

/** The names of events, those that follow one another once. */
export function orderOf(events: readonly WireEvent[]): string[] {
  return events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]);
}
