// Outputs marked with control tokens: DeepSeek, gpt-oss, LFM2, Granite, Phi, Command R, Kimi, Gemma, GLM …
// From llama.cpp's tests/test-chat.cpp, vLLM's tests and models' templates.
import { recorded, think } from "./recorded-output.ts";

const actionThinking = { open: "<|START_THINKING|>", close: "<|END_THINKING|>" };

export const tokenOutputs = [
  ...recorded("deepseek", {
    "DeepSeek R1": [
      '<think>I\'m\nthinking</think>\n\n<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>special_function\n```json\n{"arg1": 1}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
      { thinking: think, thought: "I'm\nthinking", calls: [["special_function", { arg1: 1 }]] },
    ],
    "DeepSeek R1, distilled, with the marks it gets wrong": [
      '<｜tool▁calls｜>function<｜tool▁sep｜>special_function\n```json\n{"arg1": 1}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
      { calls: [["special_function", { arg1: 1 }]] },
    ],
    "DeepSeek V3, two calls": [
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_time\n```json\n{"city": "Rome"}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city": "Rome"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
      {
        calls: [
          ["get_time", { city: "Rome" }],
          ["get_weather", { city: "Rome" }],
        ],
      },
    ],
    "DeepSeek's marks in thinking that never ends": [
      "I need to remember the correct syntax. It starts with <｜tool▁calls▁begin｜> and ends with",
      {
        thinking: think,
        startsInThinking: true,
        thought:
          "I need to remember the correct syntax. It starts with <｜tool▁calls▁begin｜> and ends with",
      },
    ],
  }),
  ...recorded("deepseekUnfenced", {
    "DeepSeek V3.1, reasoning, content and two calls": [
      'REASONING</think>CONTENT<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_time<｜tool▁sep｜>{"city": "Paris"}<｜tool▁call▁end｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "Paris"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
      {
        thinking: think,
        startsInThinking: true,
        thought: "REASONING",
        content: "CONTENT",
        calls: [
          ["get_time", { city: "Paris" }],
          ["get_weather", { city: "Paris" }],
        ],
      },
    ],
  }),
  ...recorded("harmony", {
    "gpt-oss, final channel": [
      "<|channel|>final<|message|>Hello, world!\nWhat's up?",
      { content: "Hello, world!\nWhat's up?" },
    ],
    "gpt-oss, thinking and an answer": [
      "<|channel|>analysis<|message|>I'm\nthinking<|end|><|start|>assistant<|channel|>final<|message|>Hello, world!\nWhat's up?<|return|>",
      { thought: "I'm\nthinking", content: "Hello, world!\nWhat's up?" },
    ],
    "gpt-oss, recipient before the channel": [
      ' to=functions.special_function<|channel|>analysis <|constrain|>json<|message|>{"arg1": 1}',
      { calls: [["special_function", { arg1: 1 }]] },
    ],
    "gpt-oss, recipient behind the channel, stopped by the call's end": [
      '<|channel|>analysis<|message|>I\'m\nthinking<|end|><|start|>assistant<|channel|>commentary to=functions.special_function <|constrain|>json<|message|>{"arg1": 1}<|call|>',
      { thought: "I'm\nthinking", calls: [["special_function", { arg1: 1 }]] },
    ],
    "gpt-oss, a preamble, thinking and a call with braces in its strings": [
      '<|channel|>commentary<|message|>I edit it.<|end|><|start|>assistant<|channel|>analysis<|message|>Thinking about edit...<|end|><|start|>assistant<|channel|>commentary to=functions.edit <|constrain|>json<|message|>{"filename": "file.js", "oldString": "if (part < railCount - 1) {", "newString": "if (part < 4) {"}',
      {
        thought: "Thinking about edit...",
        content: "I edit it.",
        calls: [
          [
            "edit",
            {
              filename: "file.js",
              oldString: "if (part < railCount - 1) {",
              newString: "if (part < 4) {",
            },
          ],
        ],
      },
    ],
    "gpt-oss, parallel calls": [
      ' to=functions.special_function<|channel|>analysis<|message|>{"arg1": 1}\n<|start|>assistant to=functions.special_function_with_opt<|channel|>analysis<|message|>{"arg1": 1, "arg2": 2}',
      {
        calls: [
          ["special_function", { arg1: 1 }],
          ["special_function_with_opt", { arg1: 1, arg2: 2 }],
        ],
      },
    ],
    "gpt-oss, a tool that is not there": [
      "<|channel|>commentary to=functions.nothing<|message|>{}<|call|>",
      { content: "<|channel|>commentary to=functions.nothing<|message|>{}<|call|>" },
    ],
    "gpt-oss, a tool of its own training": [
      "<|channel|>analysis<|message|>Look it up.<|end|><|start|>assistant<|channel|>commentary to=browser.search <|constrain|>code<|message|>find it<|call|>",
      { thought: "Look it up." },
    ],
    "gpt-oss, two channels in one header": [
      "<|channel|>commentary to=assistant<|channel|>analysis<|message|>Well.<|end|><|start|>assistant<|channel|>final<|message|>Hello!",
      { thought: "Well.", content: "Hello!" },
    ],
    "gpt-oss, arguments that break off": [
      '<|channel|>commentary to=functions.get_time<|message|>{"city": "Ro',
      { content: '<|channel|>commentary to=functions.get_time<|message|>{"city": "Ro' },
    ],
  }),
  ...recorded("lfm2", {
    LFM2: [
      "<|tool_call_start|>[special_function(arg1=1)]<|tool_call_end|>",
      { calls: [["special_function", { arg1: 1 }]] },
    ],
    "LFM2, text and Python's words": [
      'Let me set it.<|tool_call_start|>[set_config(config={"enabled": True, \'count\': 3, "note": None}, enabled=false)]<|tool_call_end|>',
      {
        content: "Let me set it.",
        calls: [
          ["set_config", { config: { enabled: true, count: 3, note: null }, enabled: false }],
        ],
      },
    ],
    "LFM2, a name with a dot, lists and objects": [
      '<|tool_call_start|>[Calendar.create_event(title="demo", participants=["Alice", "Bob"], metadata={"priority": "high", "reminder": true})]<|tool_call_end|>',
      {
        calls: [
          [
            "Calendar.create_event",
            {
              title: "demo",
              participants: ["Alice", "Bob"],
              metadata: { priority: "high", reminder: true },
            },
          ],
        ],
      },
    ],
    "LFM2, escapes, brackets and commas in strings": [
      '<|tool_call_start|>[python(code="def f(a, b):\\n    print(\\"hi ]), \\u00e9\\")")]<|tool_call_end|>',
      { calls: [["python", { code: 'def f(a, b):\n    print("hi ]), é")' }]] },
    ],
    "LFM2, parallel calls": [
      "<|tool_call_start|>[special_function(arg1=1), special_function_with_opt(arg1=1, arg2=-2.5), empty_args()]<|tool_call_end|>",
      {
        calls: [
          ["special_function", { arg1: 1 }],
          ["special_function_with_opt", { arg1: 1, arg2: -2.5 }],
          ["empty_args", {}],
        ],
      },
    ],
    "LFM2, JSON": [
      '<|tool_call_start|>[{"name": "get_time", "arguments": {"city": "Paris"}}]<|tool_call_end|> Done.',
      { content: " Done.", calls: [["get_time", { city: "Paris" }]] },
    ],
    "LFM2, links in an answer": [
      "Use this format: [link text](url). Example: [Wikipedia](https://www.wikipedia.org).",
      {
        content:
          "Use this format: [link text](url). Example: [Wikipedia](https://www.wikipedia.org).",
      },
    ],
    "LFM2, a call that breaks off": [
      '<|tool_call_start|>[get_time(city="Par',
      { content: '<|tool_call_start|>[get_time(city="Par' },
    ],
  }),
  ...recorded("granite", {
    "Granite 3": [
      '<|tool_call|>[{"name": "get_time", "arguments": {"city": "Rome"}}, {"name": "empty_args", "arguments": {}}]',
      {
        thinking: think,
        calls: [
          ["get_time", { city: "Rome" }],
          ["empty_args", {}],
        ],
      },
    ],
    "Granite 3.3, thinking": [
      "<think>I'm\nthinking</think><response>Hello, world!\nWhat's up?</response>",
      { thinking: think, thought: "I'm\nthinking", content: "Hello, world!\nWhat's up?" },
    ],
  }),
  ...recorded("phi", {
    "Phi-4-mini": [
      '<|tool_call|>{"name": "get_time", "arguments": {"city": "Rome"}}<|/tool_call|><|tool_call|>{"name": "empty_args", "arguments": {}}<|/tool_call|>',
      {
        calls: [
          ["get_time", { city: "Rome" }],
          ["empty_args", {}],
        ],
      },
    ],
    "Phi-4-mini, its other form": [
      'functools[{"name": "get_time", "arguments": {"city": "Rome"}}]',
      { calls: [["get_time", { city: "Rome" }]] },
    ],
    "Phi-4-mini about Python": [
      "Use functools.partial, or functools[0].",
      { content: "Use functools.partial, or functools[0]." },
    ],
  }),
  ...recorded("commandR7b", {
    "Command R7B, a call": [
      '<|START_THINKING|>I\'m\nthinking<|END_THINKING|><|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "special_function", "parameters": {"arg1": 1}}\n]<|END_ACTION|>',
      {
        thinking: actionThinking,
        thought: "I'm\nthinking",
        calls: [["special_function", { arg1: 1 }]],
      },
    ],
    "Command R7B, an answer": [
      "<|START_RESPONSE|>Hello, world!\nWhat's up?<|END_RESPONSE|>",
      { thinking: actionThinking, content: "Hello, world!\nWhat's up?" },
    ],
  }),
  ...recorded("commandR", {
    "Command R+": [
      'Action:\n```json\n[{"tool_name": "special_function", "parameters": {"arg1": 1}}]\n```',
      { calls: [["special_function", { arg1: 1 }]] },
    ],
  }),
  ...recorded("kimi", {
    "Kimi K2": [
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.special_function:0<|tool_call_argument_begin|>{"arg1": 1}<|tool_call_end|><|tool_call_begin|>functions.get_time:1<|tool_call_argument_begin|>{"city": "Rome"}<|tool_call_end|><|tool_calls_section_end|>',
      {
        calls: [
          ["special_function", { arg1: 1 }],
          ["get_time", { city: "Rome" }],
        ],
      },
    ],
  }),
  ...recorded("gemma", {
    "Gemma 4, thinking and two calls": [
      '<|channel>thought\nI should call the tools.\n<channel|><|tool_call>call:get_weather{city:<|"|>Zürich<|"|>,unit:<|"|>c<|"|>}<tool_call|><|tool_call>call:set_config{config:{max:3,tags:[<|"|>a<|"|>,<|"|>b<|"|>]}}<tool_call|>',
      {
        thinking: { open: "<|channel>thought", close: "<channel|>" },
        thought: "I should call the tools.",
        calls: [
          ["get_weather", { city: "Zürich", unit: "c" }],
          ["set_config", { config: { max: 3, tags: ["a", "b"] } }],
        ],
      },
    ],
    "Gemma 4, keys with spaces, braces and quotes in strings": [
      '<|tool_call>call:set_config{flag:false,key with space:1.5e-05,none:null,obj:{a:[1,<|"|>t<|"|>],B:1},s:<|"|>x,y} "q"<|"|>}<tool_call|>',
      {
        calls: [
          [
            "set_config",
            {
              flag: false,
              "key with space": 1.5e-5,
              none: null,
              obj: { a: [1, "t"], B: 1 },
              s: 'x,y} "q"',
            },
          ],
        ],
      },
    ],
  }),
  ...recorded("nemotron", {
    "Nemotron Nano 2": [
      '<TOOLCALL>[{"name": "special_function", "arguments": {"arg1": 1}}]</TOOLCALL>',
      { calls: [["special_function", { arg1: 1 }]] },
    ],
  }),
  ...recorded("apriel", {
    Apriel: [
      '<tool_calls>[{"name": "special_function", "arguments": {"arg1": 1}}]</tool_calls>',
      { calls: [["special_function", { arg1: 1 }]] },
    ],
  }),
  ...recorded("seed", {
    "Seed-OSS, thinking and two calls": [
      "<seed:think>I'm thinking about the answer</seed:think>Hello, world!<seed:tool_call>\n<function=special_function>\n<parameter=arg1>1</parameter>\n</function>\n</seed:tool_call>\n<seed:tool_call>\n<function=todo_list>\n<parameter=todos>\n[{'item': 'Check stuff', 'selected': False}]\n</parameter>\n</function>\n</seed:tool_call>",
      {
        thinking: { open: "<seed:think>", close: "</seed:think>" },
        thought: "I'm thinking about the answer",
        content: "Hello, world!",
        calls: [
          ["special_function", { arg1: 1 }],
          ["todo_list", { todos: [{ item: "Check stuff", selected: false }] }],
        ],
      },
    ],
  }),
  ...recorded("minimax", {
    "MiniMax M2, two calls in one mark": [
      '<minimax:tool_call>\n<invoke name="special_function"><parameter name="arg1">1</parameter></invoke>\n<invoke name="get_time">\n<parameter name="city">Rome</parameter>\n</invoke>\n</minimax:tool_call>',
      {
        calls: [
          ["special_function", { arg1: 1 }],
          ["get_time", { city: "Rome" }],
        ],
      },
    ],
  }),
  ...recorded("glm", {
    "GLM 4.6": [
      "<tool_call>special_function\n<arg_key>arg1</arg_key>\n<arg_value>1</arg_value>\n</tool_call>",
      { calls: [["special_function", { arg1: 1 }]] },
    ],
    "GLM 4.7, a text that looks like a list, and a second call": [
      "I'm\nthinking</think><tool_call>html<arg_key>markup</arg_key><arg_value>[gd_scene load_steps=3 format=3]</arg_value></tool_call><tool_call>empty_args</tool_call>",
      {
        thinking: think,
        startsInThinking: true,
        thought: "I'm\nthinking",
        calls: [
          ["html", { markup: "[gd_scene load_steps=3 format=3]" }],
          ["empty_args", {}],
        ],
      },
    ],
  }),
];
