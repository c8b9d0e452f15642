// Places in a prompt where reading pauses for a checkpoint.
//
// A pause costs a separate step, which pays off in long prompts: the next request may share the whole
// prompt (a retry), all but its last message (an edit), or all but its last tokens (a thinking mark that
// the template strips).

/** Texts shorter than this belong to the template: a role's name, an empty thought. */
const smallestText = 8;
/** A prompt's last tokens, which ask for the answer, hold no message. */
const answerHeader = 10;

/**
 * Finds where messages end in a prompt. The next request may have other messages from there on.
 *
 * @param isControl tells a token that only a template writes
 * @returns ascending numbers of tokens before each border
 */
export function messageBorders(
  tokens: readonly number[],
  isControl: (token: number) => boolean,
): number[] {
  const borders: number[] = [];
  let textLength = 0;
  for (const [place, token] of tokens.entries()) {
    if (!isControl(token)) {
      textLength += 1;
      continue;
    }
    if (textLength >= smallestText) borders.push(place);
    textLength = 0;
  }
  return borders.filter((place) => place < tokens.length - answerHeader);
}

/** Shorter prompts are read again; a pause would cost more. */
const smallestRead = 128;
/** Distances from the end of the prompt, and the minimum to read for each to pay off. */
const endings = [
  { before: 64, smallestRead: 512 },
  { before: 4, smallestRead },
];
/** Distance of checkpoints without any other mark, in tokens. */
const spacing = 1024;
/** Minimum distance of a border from the place before it; the last one may be nearer. */
const borderGap = 512;
const lastBorderGap = 32;

/**
 * @param length tokens of the prompt
 * @param known tokens at its beginning that need not be read
 * @param borders where messages end, ascending
 * @returns ascending numbers of tokens after which to pause, between `known` and `length`
 */
export function checkpointPlaces(
  length: number,
  known: number,
  borders: readonly number[],
): number[] {
  const unread = length - known;
  if (unread < smallestRead) return [];
  const candidates = [
    ...borders.map((place, index) => ({
      place,
      gap: index === borders.length - 1 ? lastBorderGap : borderGap,
    })),
    ...endings
      .filter((ending) => unread >= ending.smallestRead)
      .map(({ before }) => ({ place: length - before, gap: before > lastBorderGap ? before : 1 })),
  ].sort((a, b) => a.place - b.place);
  const places: number[] = [];
  let previous = known;
  for (const { place, gap } of candidates) {
    for (; place - previous >= 2 * spacing; previous += spacing) places.push(previous + spacing);
    if (place - previous < gap || place >= length) continue;
    places.push(place);
    previous = place;
  }
  return places;
}

/** Shorter beginnings are not saved for other conversations. */
const smallestBeginning = 256;
/** Minimum length of a shared beginning beyond the tokens that need not be read. */
const smallestShare = 128;

/**
 * End of the part of a prompt that other conversations are likely to share: the part that another
 * prompt had, else everything before a new conversation's first question (system prompt, tools).
 *
 * @returns undefined if there is none worth saving
 */
export function beginningOf({
  known,
  shared,
  borders,
}: {
  known: number;
  shared: number;
  borders: readonly number[];
}): number | undefined {
  if (shared >= known + smallestShare) return shared;
  const first = borders.find((border) => border >= smallestBeginning);
  return known < smallestBeginning ? first : undefined;
}

/** @param places ascending */
export function withPlace(places: readonly number[], place: number): number[] {
  return [...new Set([...places, place])].sort((a, b) => a - b);
}
