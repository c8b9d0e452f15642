// Where reading a prompt pauses for a checkpoint.
//
// A pause costs a step of its own, which pays where much is read: the next request may share all of the
// prompt (once more), all but its last message (an edit), or all but its last words (a mark of thinking
// that the template strips).

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

/** Shorter prompts are read again at once; a pause would cost more. */
const smallestRead = 128;
/** Distances from the end of the prompt, and how much must be read for each to pay. */
const endings = [
  { before: 64, smallestRead: 512 },
  { before: 4, smallestRead },
];
/** Where nothing marks a place, one is made after so many tokens. */
const spacing = 1024;
/** A border must be so far from the place before it; the last one may be nearer. */
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

/** Shorter beginnings are read by every conversation for itself. */
const smallestBeginning = 256;
/** Least tokens of a shared beginning beyond those that need not be read. */
const smallestShare = 128;

/**
 * Where the beginning of a prompt ends that other conversations are likely to have, too: what another
 * prompt had, else all before the first question of a new conversation (a system prompt, a list of tools).
 *
 * @returns undefined where there is none that is worth keeping
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
