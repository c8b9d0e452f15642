// Outputs of families with special notations, taken from llama.cpp's tests.
import { type RecordedOutput, think } from "./recorded-output.ts";

const dsml = { name: "deepseekDsml" } as const;
const kimiK3 = { name: "kimiK3" } as const;
const muse = { name: "muse" } as const;
const minicpm = { name: "minicpm" } as const;
const minimaxM3 = { name: "minimaxM3" } as const;
const gemma = { name: "gemma" } as const;
const qwenCoder = { name: "qwenCoder" } as const;
const channel = { open: "<|channel>thought", close: "<channel|>" };
const k3Thinking = { open: "<|open|>think<|sep|>", close: "<|close|>think<|sep|>" };
const mm = "]<]minimax[>[";

const romeTime: [string, Record<string, unknown>] = ["get_time", { city: "Rome" }];

/** A call as Qwen3-Coder writes it. */
const qwenCall =
  "<tool_call>\n<function=get_time>\n<parameter=city>\nRome\n</parameter>\n</function>\n</tool_call>";

export const familyOutputs: RecordedOutput[] = [
  {
    about: "DeepSeek V3.2, two calls of one block",
    format: dsml,
    thinking: think,
    startsInThinking: true,
    output:
      'Both.</think>\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name="get_time">\n<｜DSML｜parameter name="city" string="true">Rome</｜DSML｜parameter>\n</｜DSML｜invoke>\n<｜DSML｜invoke name="set_config">\n<｜DSML｜parameter name="config" string="false">{"a": [1]}</｜DSML｜parameter>\n<｜DSML｜parameter name="enabled" string="false">true</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    thought: "Both.",
    calls: [romeTime, ["set_config", { config: { a: [1] }, enabled: true }]],
  },
  {
    about: "DeepSeek V4, text that looks like a number",
    format: dsml,
    output:
      '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="special_function">\n<｜DSML｜parameter name="arg1" string="true">12</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
    calls: [["special_function", { arg1: "12" }]],
  },
  {
    about: "Kimi K3, thinking, an answer and a call",
    format: kimiK3,
    thinking: k3Thinking,
    startsInThinking: true,
    output:
      'Now.<|close|>think<|sep|><|open|>response<|sep|>On it.<|close|>response<|sep|><|open|>tools<|sep|><|open|>call tool="get_time" index="1"<|sep|><|open|>argument key="city" type="string"<|sep|>Rome<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|><|close|>message<|sep|>',
    thought: "Now.",
    content: "On it.",
    calls: [romeTime],
  },
  {
    about: "Kimi K3, a tool that is not there",
    format: kimiK3,
    thinking: k3Thinking,
    output: '<|open|>tools<|sep|><|open|>call tool="nothing" index="1"<|sep|>',
    content: '<|open|>tools<|sep|><|open|>call tool="nothing" index="1"<|sep|>',
  },
  {
    about: "Muse, thinking about a call, and the call",
    format: muse,
    output:
      ' to=self<|message|>Perhaps <atem:invoke name="get_time">?<|eom|><|start|>assistant to=get_time<|message|><atem:function_calls>\n<atem:invoke name="get_time">\n<atem:parameter name="city">Rome</atem:parameter>\n</atem:invoke>\n</atem:function_calls>',
    thought: 'Perhaps <atem:invoke name="get_time">?',
    calls: [romeTime],
  },
  {
    about: "Muse, an answer about calls",
    format: muse,
    output: " to=user<|message|>Write <atem:function_calls>, then the name.",
    content: "Write <atem:function_calls>, then the name.",
  },
  {
    about: "MiniCPM 5, text that stands verbatim",
    format: minicpm,
    output:
      '<function name="html"><param name="markup"><![CDATA[<b>hi</b> </param>]]></param></function>\n<function name="empty_args"></function>',
    calls: [
      ["html", { markup: "<b>hi</b> </param>" }],
      ["empty_args", {}],
    ],
  },
  {
    about: "MiniMax M3, elements within elements",
    format: minimaxM3,
    thinking: { open: "<mm:think>", close: "</mm:think>" },
    output: `<mm:think>Go.</mm:think>Well.${mm}<tool_call>\n${mm}<invoke name="set_config">${mm}<config>${mm}<deep>${mm}<list>${mm}<item>x${mm}</item>${mm}</list>${mm}</deep>${mm}</config>${mm}<enabled>false${mm}</enabled>${mm}</invoke>\n${mm}</tool_call>`,
    thought: "Go.",
    content: "Well.",
    calls: [["set_config", { config: { deep: { list: ["x"] } }, enabled: false }]],
  },
  {
    about: "MiniMax M3, a turn without thinking that closes it",
    format: minimaxM3,
    thinking: { open: "<mm:think>", close: "</mm:think>" },
    output: "</mm:think>Hello!",
    content: "Hello!",
  },
  {
    about: "Apertus, the tool's name as key",
    format: { name: "apertus" },
    output: '<|tools_prefix|>[{"get_time": {"city": "Rome"}}, {"empty_args": {}}]<|tools_suffix|>',
    calls: [romeTime, ["empty_args", {}]],
  },
  {
    about: "GigaChat 3",
    format: { name: "gigachat" },
    output:
      'A moment.<|message_sep|>\n\nfunction call<|role_sep|>\n{"name": "get_time", "arguments": {"city": "Rome"}}',
    content: "A moment.",
    calls: [romeTime],
  },
  {
    about: "GigaChat 3.1",
    format: { name: "gigachatMarked" },
    output: '<|function_call|>{"name": "get_time", "arguments": {"city": "Rome"}}',
    calls: [romeTime],
  },
  {
    about: "Cohere's mixture of experts, an answer in its frame",
    format: { name: "cohere2moe" },
    thinking: { open: "<|START_THINKING|>", close: "<|END_THINKING|>" },
    startsInThinking: true,
    output: "Hm.<|END_THINKING|><|START_TEXT|>Hello!<|END_TEXT|>",
    thought: "Hm.",
    content: "Hello!",
  },
  {
    about: "Apriel 1.6, thinking that its prompt began",
    format: { name: "aprielThinker" },
    thinking: { open: "Here are my reasoning steps:", close: "[BEGIN FINAL RESPONSE]" },
    startsInThinking: true,
    output: "First this.\n[BEGIN FINAL RESPONSE]\nHello!",
    thought: "First this.",
    content: "Hello!",
  },
  {
    about: "Gemma 4, marks of its thinking in the answer",
    format: gemma,
    thinking: channel,
    output: "<|channel>thought\n<channel|>Hello!<|channel>thought\n<channel|><channel|>",
    content: "Hello!",
  },
  {
    about: "Qwen 3.5, a call with which unclosed thinking ends",
    format: qwenCoder,
    thinking: think,
    startsInThinking: true,
    output: `The time, then.\n${qwenCall}`,
    thought: "The time, then.",
    calls: [romeTime],
  },
  {
    about: "Seed-OSS, a string that ends with a line break",
    format: { name: "seed" },
    output:
      "<seed:tool_call>\n<function=edit>\n<parameter=filename>a.py</parameter>\n<parameter=oldString>one\n</parameter>\n<parameter=newString>\ntwo\n\n</parameter>\n</function>\n</seed:tool_call>",
    calls: [["edit", { filename: "a.py", oldString: "one\n", newString: "two\n" }]],
  },
];
