// Prompts and answers of the last requests, while the operator records them: in memory only, bounded,
// and with secrets redacted when read.
import { redact } from "./redact.ts";

export interface Transcript {
  /** The prompts as the models got them: several where a request asks for several answers. */
  prompt: string;
  answer: string;
  /** The request as JSON; undefined if it is too long or contains secrets. */
  body?: string | undefined;
}

/** Limit for one prompt or answer; longer ones lose their middle. */
const longestText = 64 * 1024;
/** Limit for all together, in characters. */
const largestTotal = 16 * 1024 ** 2;

export class Transcripts {
  readonly #texts = new Map<string, Transcript>();
  #total = 0;
  #isRecording: boolean;

  constructor(isRecording: boolean) {
    this.#isRecording = isRecording;
  }

  get isRecording(): boolean {
    return this.#isRecording;
  }

  /** Begins or ends the recording. The end forgets what was recorded. */
  record(isWanted: boolean): void {
    this.#isRecording = isWanted;
    if (isWanted) return;
    this.#texts.clear();
    this.#total = 0;
  }

  /** Kept only whole: a part of a request cannot be sent again. */
  addBody(id: string, json: string): void {
    if (this.#isRecording && json.length <= longestText && redact(json) === json)
      this.#add(id, "body", json);
  }

  addPrompt(id: string, text: string): void {
    this.#add(id, "prompt", text);
  }

  addAnswer(id: string, text: string): void {
    this.#add(id, "answer", text);
  }

  /** Without secrets. */
  get(id: string): Transcript | undefined {
    const found = this.#texts.get(id);
    if (found === undefined) return undefined;
    return { ...found, prompt: redact(found.prompt), answer: redact(found.answer) };
  }

  #add(id: string, kind: keyof Transcript, text: string): void {
    if (!this.#isRecording) return;
    const transcript = this.#texts.get(id) ?? { prompt: "", answer: "" };
    const before = transcript[kind] ?? "";
    const after = shortened(before + text);
    transcript[kind] = after;
    this.#total += after.length - before.length;
    this.#texts.set(id, transcript);
    for (const [oldest, { prompt, answer, body = "" }] of this.#texts) {
      if (this.#total <= largestTotal || oldest === id) break;
      this.#texts.delete(oldest);
      this.#total -= prompt.length + answer.length + body.length;
    }
  }
}

const gap = "\n[…]\n";

function shortened(text: string): string {
  if (text.length <= longestText) return text;
  const half = Math.floor((longestText - gap.length) / 2);
  const head = text.includes(gap) ? text.slice(0, text.indexOf(gap)) : text.slice(0, half);
  return head + gap + text.slice(-half);
}
