// Prompts and answers of recent requests while the operator records them: in memory, bounded, with
// secrets redacted when read.

export interface Transcript {
  /** Prompts as the models got them; several if a request asks for several answers. */
  prompt: string;
  answer: string;
  /** The request as JSON; undefined if it is too long or contains secrets. */
  body?: string | undefined;
}

/** Limit for one prompt or answer; longer ones lose their middle. */
const longestText = 64 * 1024;
/** Limit for all texts together, in characters. */
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

  /** Starts or stops recording; stopping discards what was recorded. */
  record(isWanted: boolean): void {
    this.#isRecording = isWanted;
    if (isWanted) return;
    this.#texts.clear();
    this.#total = 0;
  }

  /** Adds the request's body, if it is short enough to keep whole and contains no secrets. */
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

  /** Returns the texts with secrets redacted. */
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

const rules: ReadonlyArray<readonly [pattern: RegExp, replacement: (match: string) => string]> = [
  [
    /data:([\w.+-]+\/[\w.+-]+)[^,\s]{0,100};base64,[A-Za-z0-9+/=_-]*/g,
    (match) => `[${match.slice(5, match.search(/[;,]/))}, ${match.length} characters]`,
  ],
  [/[A-Za-z0-9+/_-]{512,}={0,2}/g, (match) => `[base64, ${match.length} characters]`],
  // API keys of known services, which begin with a prefix so that they can be found.
  [
    /\b(?:mk_|dk_|sk-|pk-|rk-|hf_|gh[opsur]_|github_pat_|glpat-|xox[abp]-|AKIA|AIza)[\w-]{12,}/g,
    (match) => `${match.slice(0, 3)}…[secret]`,
  ],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g, () => "[token]"],
  [/\bBearer\s+[\w.~+/-]{8,}=*/gi, () => "Bearer [secret]"],
];

export function redact(text: string): string {
  return rules.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text);
}
