// Output formats detected from lines of well-known templates.
import { describe, expect, it } from "vitest";
import {
  type DetectedOutputFormat,
  detectOutputFormat,
} from "../../../source/prompt/output/detect-output-format.ts";
import { readGgufFacts } from "../../../source/store/gguf/gguf-facts.ts";
import { tinyFile } from "../../support/load-tiny.ts";

const think = { open: "<think>", close: "</think>" };

/** Lines from the chat templates that models carry in their files. */
const jinja: Record<string, [template: string, ...Expected]> = {
  "Qwen 2.5": [
    `{%- if tools %}{{- '<tool_call>\\n{"name": "' }}{{- tool_call.name }}{{- '", "arguments": ' }}{{- '}\\n</tool_call>' }}`,
    "hermes",
  ],
  "Qwen 3": [
    "{%- if tools %}<tool_call></tool_call>{%- endif %}{%- if '</think>' in content %}{{- '<think>\\n' }}",
    "hermes",
    think,
  ],
  "Qwen3-Coder": [
    "{{- '<tool_call>\\n<function=' + tool_call.name + '>\\n' }}{{- '<parameter=' + args_name + '>\\n' }}{{- '</function>\\n</tool_call>' }}",
    "qwenCoder",
  ],
  "Llama 3.1": [
    `{{- "<|start_header_id|>" }}{{- '{"name": "' + tool_call.name + '", ' }}{{- '"parameters": ' }}{{- "<|python_tag|>" + tool_call.name + ".call(" }}{{- "<|eom_id|>" }}`,
    "llama",
  ],
  "Llama 3.2": [
    `{{- "<|start_header_id|>ipython" }}{%- if tools %}{{- '{"name": "' + tool_call.name + '", ' }}{{- '"parameters": ' }}`,
    "llama",
  ],
  "Mistral Nemo": [
    `{{- "[TOOL_CALLS][" }}{%- for tool_call in message.tool_calls %}{{- ', "id": "' + tool_call.id }}`,
    "mistral",
  ],
  Magistral: [
    `{{- '[SYSTEM_PROMPT]' }}[THINK]{{ t }}[/THINK]{{- '[TOOL_CALLS]' + name + '[ARGS]' + arguments }}`,
    "mistralNamed",
    { open: "[THINK]", close: "[/THINK]" },
  ],
  "Functionary 3.1": [
    "{{ '<function=' + name + '>' + arguments + '</function>' }}",
    "functionaryTags",
  ],
  "Functionary 3.2": ["{{ '>>>all\\n' + message.content }}", "functionaryRecipients"],
  "DeepSeek R1": [
    "{{'<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>' + tool['type'] + '<｜tool▁sep｜>' + name + '\\n' + '```json' }}{% if '</think>' in content %}{{'<｜Assistant｜><think>\\n'}}",
    "deepseek",
    think,
  ],
  "DeepSeek V3.1": [
    "{{'<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>' + name + '<｜tool▁sep｜>' + arguments }}{{'<think>'}}{{'</think>'}}",
    "deepseekUnfenced",
    think,
  ],
  "gpt-oss": [
    "{{- '<|start|>assistant<|channel|>analysis<|message|>' + message.thinking + '<|end|>' }}",
    "harmony",
    { open: "<|channel|>analysis<|message|>", close: "<|end|><|start|>assistant" },
  ],
  LFM2: [`List of tools: <|tool_list_start|>[{% for tool in tools %}`, "lfm2"],
  "Granite 3": ["{{- '<|start_of_role|>' }}{%- if tools %}{{- '<|tool_call|>' }}", "granite"],
  "Granite 4": ["{{- '<|start_of_role|>' }}{{- '<tool_call>\\n' }}{{- '</tool_call>' }}", "hermes"],
  "Phi-4-mini": ["{{ '<|tool|>' + tools + '<|/tool|>' }}", "phi"],
  "Command R7B": [
    "<|START_THINKING|>{{ plan }}<|END_THINKING|><|START_ACTION|>[",
    "commandR7b",
    { open: "<|START_THINKING|>", close: "<|END_THINKING|>" },
  ],
  "Command R+": ["{{ 'Action: ```json\\n[' }}", "commandR"],
  "Kimi K2": ["<|tool_calls_section_begin|><|tool_call_begin|>", "kimi"],
  "Gemma 4": [
    "{{- '<|tool_call>call:' + name + '{' -}}{{- '}<tool_call|>' -}}{{- '<|channel>thought\\n<channel|>' -}}",
    "gemma",
    { open: "<|channel>thought", close: "<channel|>" },
  ],
  "Seed-OSS": [
    "<seed:think>{{ t }}</seed:think><seed:tool_call>\\n<function={{ name }}>\\n<parameter=",
    "seed",
    { open: "<seed:think>", close: "</seed:think>" },
  ],
  "MiniMax M2": ['<minimax:tool_call>\\n<invoke name="', "minimax"],
  "GLM 4.6": [
    "{{ '<tool_call>' + name }}<arg_key>{{ k }}</arg_key>\\n<arg_value>{{ '</think>' }}<think>",
    "glm",
    think,
  ],
  "Nemotron Nano 2": ["{{- '<TOOLCALL>[' -}}", "nemotron"],
  Apriel: [
    "<thinking></thinking><tool_calls>[",
    "apriel",
    { open: "<thinking>", close: "</thinking>" },
  ],
  "Apriel 1.6": [
    "Here are my reasoning steps:\\n [BEGIN FINAL RESPONSE] <tool_calls>[",
    "aprielThinker",
    { open: "Here are my reasoning steps:", close: "[BEGIN FINAL RESPONSE]" },
  ],
  "LFM2.5": ['{%- set p = "List of tools: [" -%}{{ tools }}', "lfm2"],
  "DeepSeek V3.2": [
    "{%- set dsml_token = '｜DSML｜' -%}{{ '<think>' }}{{ '</think>' }}",
    "deepseekDsml",
    think,
  ],
  "Kimi K3": [
    "{{- '<|open|>' + tag -}}{{- '<|sep|>' -}}",
    "kimiK3",
    { open: "<|open|>think<|sep|>", close: "<|close|>think<|sep|>" },
  ],
  "MiniMax M3": [
    "{% set t = ']<]minimax[>[' %}<tool_call><invoke name=<mm:think></mm:think>",
    "minimaxM3",
    { open: "<mm:think>", close: "</mm:think>" },
  ],
  "MiniCPM 5": [`{{- '<function name="' ~ name }}{{- '<param name="' }}`, "minicpm"],
  Apertus: ["{%- set tool_calls_token = '<|tools_prefix|>' -%}", "apertus"],
  "GigaChat 3": ['{% set s = "<|message_sep|>" %}<|role_sep|>', "gigachat"],
  "GigaChat 3.1": ['<|message_sep|><|role_sep|>{{ "<|function_call|>" }}', "gigachatMarked"],
  Cohere2MoE: ["<|START_TEXT|><|START_ACTION|>[", "cohere2moe"],
  Muse: [
    "{{- '<atem:function_calls>' -}}",
    "muse",
    { open: " to=self<|message|>", close: "<|eom|><|start|>assistant" },
  ],
  "FireFunction 2": ["{{ ' functools[' }}", "fireFunction"],
  "a template with its own kind of tools": [
    "{% for tool in tools %}{{ tool }}{% endfor %}",
    { name: "generic", tag: "{" },
  ],
  "a template without tools": ["{{ messages[0].content }}", "plain"],
  "a reasoning model": [
    "{{ '<reasoning>' }}{{ '</reasoning>' }}",
    "plain",
    { open: "<reasoning>", close: "</reasoning>" },
  ],
};

/** TEMPLATE lines as Modelfiles have them. */
const go: Record<string, [template: string, ...Expected]> = {
  Qwen: [
    `{{ if .ToolCalls }}<tool_call>\n{{ range .ToolCalls }}{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}{{ end }}\n</tool_call>{{ end }}`,
    "hermes",
  ],
  "Qwen with thinking": [
    `{{- if and $.IsThinkSet (and .Thinking $last) -}}\n<think>{{ .Thinking }}</think>\n{{ end -}}{{ range .ToolCalls }}<tool_call>{{ end }}`,
    "hermes",
    think,
  ],
  Llama: [
    `{{- if .ToolCalls }}\n{{ range .ToolCalls }}\n{"name": "{{ .Function.Name }}", "parameters": {{ .Function.Arguments }}}{{ end }}{{ end }}<|start_header_id|>`,
    "llama",
  ],
  Mistral: [
    "{{- if .ToolCalls }}[TOOL_CALLS] [\n{{- range .ToolCalls }}{{ . }}{{ end }}]",
    "mistral",
  ],
  "its own tag": [
    '{{ if .ToolCalls }}{{ range .ToolCalls }}<toolcall> {"name": "{{ .Function.Name }}"} </toolcall>{{ end }}{{ end }}',
    { name: "generic", tag: "<toolcall>" },
  ],
  "a list": [
    "{{ if .ToolCalls }}[{{ range .ToolCalls }}{{ json . }}{{ end }}]{{ end }}",
    { name: "generic", tag: "[" },
  ],
  "no text before calls": [
    '{{ range .ToolCalls }}{"name": "{{ .Function.Name }}"}{{ end }}',
    { name: "generic", tag: "{" },
  ],
  "tools, but no calls": ["{{ .Tools }}{{ .Prompt }}", { name: "generic", tag: "{" }],
  "a plain one": ["{{ .System }} {{ .Prompt }} {{ .Response }}", "plain"],
  "thinking between its own texts": [
    "{{ range .Messages }}<musing>\n{{ .Thinking }}\n</musing>{{ .Content }}{{ end }}",
    "plain",
    { open: "<musing>", close: "</musing>" },
  ],
};

type Expected = [format: string | object, thinking?: object];

function expectFormat(found: DetectedOutputFormat, ...[format, thinking]: Expected): void {
  const { format: foundFormat, thinking: foundThinking } = found;
  const wanted = typeof format === "string" ? { name: format } : format;
  expect({ format: foundFormat, thinking: foundThinking }).toEqual({ format: wanted, thinking });
}

describe("a Jinja template", () => {
  it.each(Object.entries(jinja))("of %s", (_, [template, ...expected]) => {
    expectFormat(detectOutputFormat(template, "jinja"), ...expected);
  });

  it("of the built-in tiny model", async () => {
    const { chatTemplate } = await readGgufFacts(tinyFile);
    const detected = detectOutputFormat(chatTemplate ?? "", "jinja");
    expect(detected).toEqual({
      format: { name: "hermes" },
      thinking: undefined,
      visibleControlTexts: ["<tool_call>", "</tool_call>"],
      stopTexts: [],
    });
  });
});

describe("a Go template", () => {
  it.each(Object.entries(go))("with %s", (_, [template, ...expected]) => {
    expectFormat(detectOutputFormat(template, "go"), ...expected);
  });
});

describe("the engine learns", () => {
  it("which control tokens it must print", () => {
    const template = "<|channel|>analysis<|message|>";
    expect(detectOutputFormat(template, "jinja").visibleControlTexts).toEqual(
      expect.arrayContaining([
        "<|channel|>",
        "<|message|>",
        "<|start|>",
        "<|end|>",
        "<|constrain|>",
      ]),
    );
    const gemma = "<|tool_call>call:<tool_call|><|channel>thought\n<channel|>";
    expect(detectOutputFormat(gemma, "jinja").visibleControlTexts).toEqual(
      expect.arrayContaining(["<|channel>", "<channel|>", '<|"|>', "<|tool_call>", "<tool_call|>"]),
    );
    const magistral = "[THINK][/THINK][TOOL_CALLS][ARGS]";
    expect(detectOutputFormat(magistral, "jinja").visibleControlTexts).toEqual(
      expect.arrayContaining(["[THINK]", "[/THINK]", "[TOOL_CALLS]", "[ARGS]"]),
    );
  });

  it("which texts end an answer", () => {
    expect(detectOutputFormat("<|channel|>", "jinja").stopTexts).toEqual([
      "<|return|>",
      "<|call|>",
    ]);
    const llama = detectOutputFormat("<|python_tag|>", "jinja");
    expect(llama.stopTexts).toEqual(["<|eom_id|>"]);
    // A text that is not printed is not found.
    expect(llama.visibleControlTexts).toContain("<|eom_id|>");
  });
});
