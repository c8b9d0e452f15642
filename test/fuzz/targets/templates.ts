// Untrusted chat templates in both languages: damaged ones, and ones that never finish.
import { ChatTemplate } from "../../../source/prompt/chat-template.ts";
import { GoChatTemplate } from "../../../source/prompt/go-template/go-chat-template.ts";
import { renderInTime } from "../../../source/prompt/render-in-time.ts";
import { readGgufFacts } from "../../../source/store/gguf/gguf-facts.ts";
import { tinyFile } from "../../support/command-line.ts";
import type { Dice } from "../dice.ts";
import { hostileText } from "../hostile-values.ts";
import { mutateBytes } from "../mutate-bytes.ts";
import { orRefusal } from "../refusal.ts";
import type { Target } from "../target.ts";

const limitMs = 500;
const model = { bosText: "<s>", eosText: "</s>", controlTexts: ["<|im_start|>", "<|im_end|>"] };
const jinjaParts = [
  "{% for a in range(3000) %}",
  "{% for a in range(2000000000) %}",
  "{% endfor %}",
  "{% set n = namespace(l=[1]) %}",
  "{% set n.l = n.l + n.l %}",
  "{% set s = (s or 'x') ~ (s or 'x') %}",
  "{% macro m(x) %}{{ m(x) }}{% endmacro %}{{ m(1) }}",
  "{{ 'x' * 1000000000 }}",
  "{{ messages | tojson(indent=9999999) }}",
  "{{ 'a'.replace('', 'b' * 100000) }}",
  "{{ '%1000000000d' | format(1) }}",
  "{{ messages }}",
  "{% if messages %}",
  "{% endif %}",
  "{{ raise_exception('no') }}",
  "{{ ''.__class__.__mro__ }}",
  "{{ self }}{{ loop }}{{ cycler }}",
];
const goParts = [
  "{{ range .Messages }}",
  "{{ end }}",
  "{{ .Content }}",
  "{{ if .System }}",
  "{{ else }}",
  '{{ define "a" }}{{ template "a" . }}{{ end }}{{ template "a" . }}',
  '{{ printf "%1000000000d" 1 }}',
  "{{ json . }}",
  "{{ index .Messages 99 }}",
  "{{ slice .Messages 5 1 }}",
  "{{ $x := . }}{{ $x }}",
];

export const templates: Target = {
  name: "templates",
  rounds: 500,
  async begin() {
    const { chatTemplate = "" } = await readGgufFacts(tinyFile);
    return {
      async round({ dice, trying }) {
        const isGo = dice.chance(0.4);
        const source = dice.chance(0.4)
          ? mutateBytes(dice, Buffer.from(isGo ? goParts.join("") : chatTemplate)).toString("utf8")
          : composed(dice, isGo ? goParts : jinjaParts);
        trying(`the ${isGo ? "Go" : "Jinja"} template ${JSON.stringify(source)}`);
        const messages = [{ role: "user" as const, content: hostileText(dice) }];
        await orRefusal(async () => {
          const template = isGo ? new GoChatTemplate(source) : new ChatTemplate(source);
          await renderInTime(template, { messages }, model, limitMs);
        });
      },
    };
  },
};

function composed(dice: Dice, parts: readonly string[]): string {
  return dice.times(1 + dice.below(8), () => dice.pick(parts)).join("");
}
