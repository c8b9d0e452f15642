// Modelfiles as people write them, and what they say.
import { describe, expect, test } from "vitest";
import { defineModel, type ModelDefinition } from "../../../source/store/model-definition.ts";
import { parseModelfile } from "../../../source/store/modelfile/parse-modelfile.ts";
import { printModelfile } from "../../../source/store/modelfile/print-modelfile.ts";

const apache = `                                 Apache License
                           Version 2.0, January 2004

   "License" shall mean the terms and conditions for use, reproduction,
   and distribution as defined by Sections 1 through 9 of this document.
`;

interface Example {
  name: string;
  text: string;
  says: Partial<ModelDefinition> & { from: string[] };
}

const examples: Example[] = [
  {
    name: "a local file with a chat template that begins with a text mark",
    text: `FROM ./tiny-chat.gguf
TEMPLATE """<|startoftext|>{{ if .System }}<|im_start|>system
{{ .System }}<|im_end|>
{{ end }}{{ if .Prompt }}<|im_start|>user
{{ .Prompt }}<|im_end|>
{{ end }}<|im_start|>assistant
{{ .Response }}<|im_end|>
"""
PARAMETER stop "<|im_end|>"
PARAMETER stop "<|endoftext|>"
`,
    says: {
      from: ["./tiny-chat.gguf"],
      template:
        "<|startoftext|>{{ if .System }}<|im_start|>system\n{{ .System }}<|im_end|>\n{{ end }}" +
        "{{ if .Prompt }}<|im_start|>user\n{{ .Prompt }}<|im_end|>\n{{ end }}" +
        "<|im_start|>assistant\n{{ .Response }}<|im_end|>\n",
      parameters: { stop: ["<|im_end|>", "<|endoftext|>"] },
    },
  },
  {
    name: "llama3",
    text: `FROM llama3:8b

TEMPLATE """{{ if .System }}<|start_header_id|>system<|end_header_id|>

{{ .System }}<|eot_id|>{{ end }}{{ if .Prompt }}<|start_header_id|>user<|end_header_id|>

{{ .Prompt }}<|eot_id|>{{ end }}<|start_header_id|>assistant<|end_header_id|>

{{ .Response }}<|eot_id|>"""
PARAMETER num_keep 24
PARAMETER stop "<|start_header_id|>"
PARAMETER stop "<|end_header_id|>"
PARAMETER stop "<|eot_id|>"
`,
    says: {
      from: ["llama3:8b"],
      template:
        "{{ if .System }}<|start_header_id|>system<|end_header_id|>\n\n{{ .System }}<|eot_id|>{{ end }}" +
        "{{ if .Prompt }}<|start_header_id|>user<|end_header_id|>\n\n{{ .Prompt }}<|eot_id|>{{ end }}" +
        "<|start_header_id|>assistant<|end_header_id|>\n\n{{ .Response }}<|eot_id|>",
      parameters: {
        num_keep: 24,
        stop: ["<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"],
      },
    },
  },
  {
    name: "chatml on one line",
    text: `FROM ./model-q4_k_m.gguf
TEMPLATE "{{ if .System }}<|im_start|>system {{ .System }}<|im_end|>{{ end }}<|im_start|>user {{ .Prompt }}<|im_end|><|im_start|>assistant "
PARAMETER stop <|im_start|>
PARAMETER stop <|im_end|>
`,
    says: {
      from: ["./model-q4_k_m.gguf"],
      template:
        "{{ if .System }}<|im_start|>system {{ .System }}<|im_end|>{{ end }}<|im_start|>user {{ .Prompt }}<|im_end|><|im_start|>assistant ",
      parameters: { stop: ["<|im_start|>", "<|im_end|>"] },
    },
  },
  {
    name: "mistral with messages in its template",
    text: `FROM mistral
TEMPLATE """{{- range $index, $_ := .Messages }}
{{- if eq .Role "user" }}[INST] {{ if and (eq (len (slice $.Messages $index)) 1) $.System }}{{ $.System }}

{{ end }}{{ .Content }}[/INST]
{{- else if eq .Role "assistant" }} {{ .Content }}</s>
{{- end }}
{{- end }}"""
PARAMETER stop [INST]
PARAMETER stop [/INST]
`,
    says: {
      from: ["mistral"],
      template: `{{- range $index, $_ := .Messages }}
{{- if eq .Role "user" }}[INST] {{ if and (eq (len (slice $.Messages $index)) 1) $.System }}{{ $.System }}

{{ end }}{{ .Content }}[/INST]
{{- else if eq .Role "assistant" }} {{ .Content }}</s>
{{- end }}
{{- end }}`,
      parameters: { stop: ["[INST]", "[/INST]"] },
    },
  },
  {
    name: "phi",
    text: `FROM phi3:mini
TEMPLATE """
{{- if .System }}<|system|>
{{ .System }}<|end|>
{{ end }}<|user|>
{{ .Prompt }}<|end|>
<|assistant|>
{{ .Response }}<|end|>"""
PARAMETER stop <|end|>
PARAMETER stop <|user|>
PARAMETER temperature 0
`,
    says: {
      from: ["phi3:mini"],
      template:
        "\n{{- if .System }}<|system|>\n{{ .System }}<|end|>\n{{ end }}<|user|>\n{{ .Prompt }}<|end|>\n<|assistant|>\n{{ .Response }}<|end|>",
      parameters: { stop: ["<|end|>", "<|user|>"], temperature: 0 },
    },
  },
  {
    name: "a character, with comments and figures",
    text: `# Mario
FROM llama3.2
# sets the temperature to 1 [higher is more creative, lower is more coherent]
PARAMETER temperature 1
# sets the context window size to 4096
PARAMETER num_ctx 4096

# sets a custom system message
SYSTEM You are Mario from super mario bros, acting as an assistant.
`,
    says: {
      from: ["llama3.2"],
      parameters: { temperature: 1, num_ctx: 4096 },
      system: "You are Mario from super mario bros, acting as an assistant.",
    },
  },
  {
    name: "a system prompt in quotes, with quotes",
    text: `from qwen2.5:7b
system """
You are "Ada", a reviewer. Answer with:
- "LGTM" when it is right;
- else a list.
"""
parameter top_p 0.9
parameter repeat_penalty 1.1
`,
    says: {
      from: ["qwen2.5:7b"],
      system:
        '\nYou are "Ada", a reviewer. Answer with:\n- "LGTM" when it is right;\n- else a list.\n',
      parameters: { top_p: 0.9, repeat_penalty: 1.1 },
    },
  },
  {
    name: "few shots",
    text: `FROM llama3.2
SYSTEM "Answer yes or no."
MESSAGE user Is Toronto in Canada?
MESSAGE assistant yes
MESSAGE user Is Sacramento in Canada?
MESSAGE assistant no
MESSAGE user """Which of these is in Canada:
"Ontario", "Ohio"?"""
MESSAGE assistant "Ontario"
`,
    says: {
      from: ["llama3.2"],
      system: "Answer yes or no.",
      messages: [
        { role: "user", content: "Is Toronto in Canada?" },
        { role: "assistant", content: "yes" },
        { role: "user", content: "Is Sacramento in Canada?" },
        { role: "assistant", content: "no" },
        { role: "user", content: 'Which of these is in Canada:\n"Ontario", "Ohio"?' },
        { role: "assistant", content: "Ontario" },
      ],
    },
  },
  {
    name: "licences of many lines",
    text: `FROM ./m.gguf\nLICENSE """${apache}"""\nLICENSE MIT\n`,
    says: { from: ["./m.gguf"], licenses: [apache, "MIT"] },
  },
  {
    name: "an adapter over a base model, written on Windows",
    text: 'FROM C:\\models\\base.gguf\r\nADAPTER ".\\my lora\\lora.gguf"\r\nSYSTEM """Line one.\r\nLine two."""\r\n',
    says: {
      from: ["C:\\models\\base.gguf"],
      adapters: [".\\my lora\\lora.gguf"],
      system: "Line one.\r\nLine two.",
    },
  },
  {
    name: "a model, its projector, and a draft",
    text: `FROM /models/gemma-3-4b-it-Q4_K_M.gguf
FROM /models/mmproj-gemma-3-4b-it-f16.gguf
DRAFT /models/gemma-3-270m-it-Q8_0.gguf
PARAMETER draft_num_predict 8
REQUIRES 0.6.0
`,
    says: {
      from: ["/models/gemma-3-4b-it-Q4_K_M.gguf", "/models/mmproj-gemma-3-4b-it-f16.gguf"],
      drafts: ["/models/gemma-3-270m-it-Q8_0.gguf"],
      parameters: { draft_num_predict: 8 },
      requires: "0.6.0",
    },
  },
  {
    name: "a Modelfile printed by Ollama",
    text: `# Modelfile generated by "ollama show"
# To build a new Modelfile based on this, replace FROM with:
# FROM qwen3:latest

FROM /usr/share/ollama/.ollama/models/blobs/sha256-a3de86cd1c132c822487ededd47a324c50491393e6565cd14bafa40d0b8e686f
TEMPLATE {{ .Prompt }}
RENDERER qwen3-coder
PARSER qwen3-coder
PARAMETER top_k 20
PARAMETER stop <|im_start|>
PARAMETER repeat_penalty 1
`,
    says: {
      from: [
        "/usr/share/ollama/.ollama/models/blobs/sha256-a3de86cd1c132c822487ededd47a324c50491393e6565cd14bafa40d0b8e686f",
      ],
      template: "{{ .Prompt }}",
      renderer: "qwen3-coder",
      parser: "qwen3-coder",
      parameters: { top_k: 20, stop: ["<|im_start|>"], repeat_penalty: 1 },
    },
  },
  {
    name: "a hub name, with turns as stops",
    text: `FROM hf.co/bartowski/Llama-3.2-3B-Instruct-GGUF:Q4_K_M
PARAMETER stop "User:"
PARAMETER stop "
"
PARAMETER stop "### "
PARAMETER num_predict -1
PARAMETER seed 42
PARAMETER use_mmap false
`,
    says: {
      from: ["hf.co/bartowski/Llama-3.2-3B-Instruct-GGUF:Q4_K_M"],
      parameters: {
        stop: ["User:", "\n", "### "],
        num_predict: -1,
        seed: 42,
        use_mmap: false,
      },
    },
  },
  {
    name: "Japanese, with ideographic spaces",
    text: 'FROM ./model.gguf\nSYSTEM """　あなたは親切な助手です。\n　短く答えてください。👩‍🔬"""\n',
    says: {
      from: ["./model.gguf"],
      system: "　あなたは親切な助手です。\n　短く答えてください。👩‍🔬",
    },
  },
];

describe("is parsed, and printed so that it parses the same", () => {
  test.each(examples)("$name", ({ text, says }) => {
    const expected = defineModel(says);
    const { definition, warnings } = parseModelfile(text);
    expect(definition).toEqual(expected);
    const ofOllamaAlone = warnings.filter((each) => /: (RENDERER|PARSER) is kept/.test(each));
    expect(ofOllamaAlone).toHaveLength((text.match(/^(RENDERER|PARSER) /gm) ?? []).length);
    expect(warnings).toEqual(ofOllamaAlone);
    const printed = printModelfile(definition);
    expect(printed.unprintable).toEqual([]);
    expect(parseModelfile(printed.text).definition).toEqual(expected);
  });
});
