// Outputs of families with special notations, taken from llama.cpp's tests.
import { recorded, think } from "./recorded-output.ts";

const channel = { open: "<|channel>thought", close: "<channel|>" };
const k3Thinking = { open: "<|open|>think<|sep|>", close: "<|close|>think<|sep|>" };
const mm = "]<]minimax[>[";

const romeTime: [string, Record<string, unknown>] = ["get_time", { city: "Rome" }];

/** A call as Qwen3-Coder writes it. */
const qwenCall =
  "<tool_call>\n<function=get_time>\n<parameter=city>\nRome\n</parameter>\n</function>\n</tool_call>";

export const familyOutputs = [
  ...recorded("deepseekDsml", {
    "DeepSeek V3.2, two calls of one block": [
      'Both.</think>\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name="get_time">\n<｜DSML｜parameter name="city" string="true">Rome</｜DSML｜parameter>\n</｜DSML｜invoke>\n<｜DSML｜invoke name="set_config">\n<｜DSML｜parameter name="config" string="false">{"a": [1]}</｜DSML｜parameter>\n<｜DSML｜parameter name="enabled" string="false">true</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
      {
        thinking: think,
        startsInThinking: true,
        thought: "Both.",
        calls: [romeTime, ["set_config", { config: { a: [1] }, enabled: true }]],
      },
    ],
    "DeepSeek V4, text that looks like a number": [
      '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="special_function">\n<｜DSML｜parameter name="arg1" string="true">12</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
      { calls: [["special_function", { arg1: "12" }]] },
    ],
  }),
  ...recorded("kimiK3", {
    "Kimi K3, thinking, an answer and a call": [
      'Now.<|close|>think<|sep|><|open|>response<|sep|>On it.<|close|>response<|sep|><|open|>tools<|sep|><|open|>call tool="get_time" index="1"<|sep|><|open|>argument key="city" type="string"<|sep|>Rome<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|><|close|>message<|sep|>',
      {
        thinking: k3Thinking,
        startsInThinking: true,
        thought: "Now.",
        content: "On it.",
        calls: [romeTime],
      },
    ],
    "Kimi K3, a tool that is not there": [
      '<|open|>tools<|sep|><|open|>call tool="nothing" index="1"<|sep|>',
      {
        thinking: k3Thinking,
        content: '<|open|>tools<|sep|><|open|>call tool="nothing" index="1"<|sep|>',
      },
    ],
  }),
  ...recorded("muse", {
    "Muse, thinking about a call, and the call": [
      ' to=self<|message|>Perhaps <atem:invoke name="get_time">?<|eom|><|start|>assistant to=get_time<|message|><atem:function_calls>\n<atem:invoke name="get_time">\n<atem:parameter name="city">Rome</atem:parameter>\n</atem:invoke>\n</atem:function_calls>',
      { thought: 'Perhaps <atem:invoke name="get_time">?', calls: [romeTime] },
    ],
    "Muse, an answer about calls": [
      " to=user<|message|>Write <atem:function_calls>, then the name.",
      { content: "Write <atem:function_calls>, then the name." },
    ],
  }),
  ...recorded("minicpm", {
    "MiniCPM 5, text that stands verbatim": [
      '<function name="html"><param name="markup"><![CDATA[<b>hi</b> </param>]]></param></function>\n<function name="empty_args"></function>',
      {
        calls: [
          ["html", { markup: "<b>hi</b> </param>" }],
          ["empty_args", {}],
        ],
      },
    ],
  }),
  ...recorded("minimaxM3", {
    "MiniMax M3, elements within elements": [
      `<mm:think>Go.</mm:think>Well.${mm}<tool_call>\n${mm}<invoke name="set_config">${mm}<config>${mm}<deep>${mm}<list>${mm}<item>x${mm}</item>${mm}</list>${mm}</deep>${mm}</config>${mm}<enabled>false${mm}</enabled>${mm}</invoke>\n${mm}</tool_call>`,
      {
        thinking: { open: "<mm:think>", close: "</mm:think>" },
        thought: "Go.",
        content: "Well.",
        calls: [["set_config", { config: { deep: { list: ["x"] } }, enabled: false }]],
      },
    ],
    "MiniMax M3, a turn without thinking that closes it": [
      "</mm:think>Hello!",
      { thinking: { open: "<mm:think>", close: "</mm:think>" }, content: "Hello!" },
    ],
  }),
  ...recorded("apertus", {
    "Apertus, the tool's name as key": [
      '<|tools_prefix|>[{"get_time": {"city": "Rome"}}, {"empty_args": {}}]<|tools_suffix|>',
      { calls: [romeTime, ["empty_args", {}]] },
    ],
  }),
  ...recorded("gigachat", {
    "GigaChat 3": [
      'A moment.<|message_sep|>\n\nfunction call<|role_sep|>\n{"name": "get_time", "arguments": {"city": "Rome"}}',
      { content: "A moment.", calls: [romeTime] },
    ],
  }),
  ...recorded("gigachatMarked", {
    "GigaChat 3.1": [
      '<|function_call|>{"name": "get_time", "arguments": {"city": "Rome"}}',
      { calls: [romeTime] },
    ],
  }),
  ...recorded("cohere2moe", {
    "Cohere's mixture of experts, an answer in its frame": [
      "Hm.<|END_THINKING|><|START_TEXT|>Hello!<|END_TEXT|>",
      {
        thinking: { open: "<|START_THINKING|>", close: "<|END_THINKING|>" },
        startsInThinking: true,
        thought: "Hm.",
        content: "Hello!",
      },
    ],
  }),
  ...recorded("aprielThinker", {
    "Apriel 1.6, thinking that its prompt began": [
      "First this.\n[BEGIN FINAL RESPONSE]\nHello!",
      {
        thinking: { open: "Here are my reasoning steps:", close: "[BEGIN FINAL RESPONSE]" },
        startsInThinking: true,
        thought: "First this.",
        content: "Hello!",
      },
    ],
  }),
  ...recorded("gemma", {
    "Gemma 4, marks of its thinking in the answer": [
      "<|channel>thought\n<channel|>Hello!<|channel>thought\n<channel|><channel|>",
      { thinking: channel, content: "Hello!" },
    ],
  }),
  ...recorded("qwenCoder", {
    "Qwen 3.5, a call with which unclosed thinking ends": [
      `The time, then.\n${qwenCall}`,
      { thinking: think, startsInThinking: true, thought: "The time, then.", calls: [romeTime] },
    ],
  }),
  ...recorded("seed", {
    "Seed-OSS, a string that ends with a line break": [
      "<seed:tool_call>\n<function=edit>\n<parameter=filename>a.py</parameter>\n<parameter=oldString>one\n</parameter>\n<parameter=newString>\ntwo\n\n</parameter>\n</function>\n</seed:tool_call>",
      { calls: [["edit", { filename: "a.py", oldString: "one\n", newString: "two\n" }]] },
    ],
  }),
];
