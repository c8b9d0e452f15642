// Outputs of Hermes, Qwen and their relatives. From llama.cpp's tests/test-chat.cpp and models' cards.
import { recorded, think } from "./recorded-output.ts";

export const hermesOutputs = [
  ...recorded("hermes", {
    "one call": [
      '<tool_call>\n{"name": "special_function", "arguments": {"arg1": 1}}\n</tool_call>',
      { calls: [["special_function", { arg1: 1 }]] },
    ],
    "text before the call": [
      'Hello, world!\nWhat\'s up?<tool_call>\n{"name": "special_function", "arguments": {"arg1": 1}}\n</tool_call>',
      { content: "Hello, world!\nWhat's up?", calls: [["special_function", { arg1: 1 }]] },
    ],
    "text behind the call": [
      '<tool_call>{"name": "get_time", "arguments": {"city": "Oslo"}}</tool_call>\n\nOne moment.',
      { content: "\n\nOne moment.", calls: [["get_time", { city: "Oslo" }]] },
    ],
    "parallel calls, each in its tag": [
      [
        '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris", "unit": "c"}}\n</tool_call>',
        '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Tōkyō"}}\n</tool_call>',
        '<tool_call>\n{"name": "get_time", "arguments": {"city": "東京 🗼"}}\n</tool_call>',
      ].join("\n"),
      {
        calls: [
          ["get_weather", { city: "Paris", unit: "c" }],
          ["get_weather", { city: "Tōkyō" }],
          ["get_time", { city: "東京 🗼" }],
        ],
      },
    ],
    "several calls in one tag": [
      '<tool_call>\n{"name": "get_time", "arguments": {"city": "Rome"}}\n{"name": "empty_args", "arguments": {}}\n</tool_call>',
      {
        calls: [
          ["get_time", { city: "Rome" }],
          ["empty_args", {}],
        ],
      },
    ],
    "thinking before the call": [
      '<think>\nThe user wants <tool_call> maybe.\n</think>\n\n<tool_call>\n{"name": "get_time", "arguments": {"city": "Rome"}}\n</tool_call>',
      {
        thinking: think,
        thought: "The user wants <tool_call> maybe.",
        calls: [["get_time", { city: "Rome" }]],
      },
    ],
    "thinking that the prompt has opened": [
      "I'm\nthinking\n</think>\n\nHello, world!\nWhat's up?",
      {
        thinking: think,
        startsInThinking: true,
        thought: "I'm\nthinking",
        content: "Hello, world!\nWhat's up?",
      },
    ],
    "thinking that the prompt has opened and the model opens again": [
      "<think>\n\n</think>\n\nHello.",
      { thinking: think, startsInThinking: true, content: "Hello." },
    ],
    "thinking that never ends": [
      "<think>It starts with <tool_call> and ends with",
      { thinking: think, thought: "It starts with <tool_call> and ends with" },
    ],
    "tags in the middle of an answer": [
      "Qwen writes <think>…</think> first.",
      { thinking: think, content: "Qwen writes <think>…</think> first." },
    ],
    "braces, quotes, backslashes and line breaks in strings": [
      `<tool_call>\n${JSON.stringify({
        name: "python",
        arguments: { code: 'print("}}</tool_call>{{")\nx = \'\\n\' # 🐍 {"a": [1, {"b": "]"}]}' },
      })}\n</tool_call>`,
      {
        calls: [
          [
            "python",
            { code: 'print("}}</tool_call>{{")\nx = \'\\n\' # 🐍 {"a": [1, {"b": "]"}]}' },
          ],
        ],
      },
    ],
    "nested arguments": [
      '<tool_call>{"name": "set_config", "arguments": {"config": {"a": {"b": [1, -2.5e3, null, true, {}]}, "c": []}}}</tool_call>',
      { calls: [["set_config", { config: { a: { b: [1, -2500, null, true, {}] }, c: [] } }]] },
    ],
    "arguments before the name": [
      '<tool_call>{"arguments": {"city": "Rome"}, "name": "get_time"}</tool_call>',
      { calls: [["get_time", { city: "Rome" }]] },
    ],
    "arguments as a string of JSON": [
      '<tool_call>{"name": "get_time", "arguments": "{\\"city\\": \\"Rome\\"}"}</tool_call>',
      { calls: [["get_time", { city: "Rome" }]] },
    ],
    "a call without arguments": [
      '<tool_call>\n{"name": "empty_args"}\n</tool_call>',
      { calls: [["empty_args", {}]] },
    ],
    "OpenAI's shape inside the tag": [
      '<tool_call>{"type": "function", "function": {"name": "get_time", "arguments": {"city": "Rome"}}}</tool_call>',
      { calls: [["get_time", { city: "Rome" }]] },
    ],
    "a closing brace forgotten": [
      '<tool_call>\n{"name": "get_time", "arguments": {"city": "Rome"}\n</tool_call>',
      { calls: [["get_time", { city: "Rome" }]] },
    ],
    "a closing tag forgotten": [
      '<tool_call>\n{"name": "get_time", "arguments": {"city": "Rome"}}',
      { calls: [["get_time", { city: "Rome" }]] },
    ],
    "a raw line break in a string": [
      '<tool_call>{"name": "python", "arguments": {"code": "a = 1\nb = 2"}}</tool_call>',
      { calls: [["python", { code: "a = 1\nb = 2" }]] },
    ],
    "an unknown tool": [
      '<tool_call>\n{"name": "rm_rf", "arguments": {}}\n</tool_call>',
      { content: '<tool_call>\n{"name": "rm_rf", "arguments": {}}\n</tool_call>' },
    ],
    "an unknown tool before a known one": [
      '<tool_call>{"name": "rm_rf", "arguments": {}}</tool_call><tool_call>{"name": "empty_args"}</tool_call>',
      {
        content: '<tool_call>{"name": "rm_rf", "arguments": {}}</tool_call>',
        calls: [["empty_args", {}]],
      },
    ],
    "Qwen3-Coder's form": [
      "<tool_call>\n<function=special_function>\n<parameter=arg1>\n1\n</parameter>\n</function>\n</tool_call>",
      { calls: [["special_function", { arg1: 1 }]] },
    ],
    "Qwen3-Coder's form, several calls, names that begin alike": [
      "<tool_call>\n<function=special_function>\n<parameter=arg1>\n1\n</parameter>\n</function>\n</tool_call>\n<tool_call>\n<function=special_function_with_opt>\n<parameter=arg1>\n1\n</parameter>\n<parameter=arg2>\n2\n</parameter>\n</function>\n</tool_call>",
      {
        calls: [
          ["special_function", { arg1: 1 }],
          ["special_function_with_opt", { arg1: 1, arg2: 2 }],
        ],
      },
    ],
    "Qwen3-Coder's form with code": [
      'Let me run it.\n<tool_call>\n<function=python>\n<parameter=code>\ndef hello():\n    print("Hello, world!")\n\nhello()\n</parameter>\n</function>\n</tool_call>',
      {
        content: "Let me run it.\n",
        calls: [["python", { code: 'def hello():\n    print("Hello, world!")\n\nhello()' }]],
      },
    ],
    "Qwen3-Coder's form with a trailing line break in the value": [
      "<tool_call>\n<function=edit>\n<parameter=filename>\nfoo.c\n</parameter>\n<parameter=oldString>\n#iclunde\n</parameter>\n<parameter=newString>\n#include\n\n</parameter>\n</function>\n</tool_call>",
      { calls: [["edit", { filename: "foo.c", oldString: "#iclunde", newString: "#include\n" }]] },
    ],
    "Qwen3-Coder's form with markup": [
      "<tool_call>\n<function=html>\n<parameter=markup>\n<html>\n <head>\n  <title>Hello!</title>\n </head>\n</html>\n</parameter>\n</function>\n</tool_call>",
      {
        calls: [
          ["html", { markup: "<html>\n <head>\n  <title>Hello!</title>\n </head>\n</html>" }],
        ],
      },
    ],
    "Qwen3-Coder's form with a list": [
      '<tool_call>\n<function=todo_list>\n<parameter=todos>\n[{"item": "Check stuff", "selected": false}, {"item": "Prepare stuff", "selected": true}]\n</parameter>\n</function>\n</tool_call>',
      {
        calls: [
          [
            "todo_list",
            {
              todos: [
                { item: "Check stuff", selected: false },
                { item: "Prepare stuff", selected: true },
              ],
            },
          ],
        ],
      },
    ],
    "Qwen3-Coder's form without arguments": [
      "<tool_call>\n<function=empty_args>\n</function>\n</tool_call>",
      { calls: [["empty_args", {}]] },
    ],
    "Qwen3-Coder's form without the tag": [
      "<function=special_function>\n<parameter=arg1>\n1\n</parameter>\n</function>\n</tool_call>",
      { calls: [["special_function", { arg1: 1 }]] },
    ],
    "an output that stops inside the name": [
      'Hi <tool_call>\n{"name": "get_ti',
      { content: 'Hi <tool_call>\n{"name": "get_ti' },
    ],
    "an output that stops inside the arguments": [
      'Hi <tool_call>\n{"name": "get_time", "arguments": {"city": "Ro',
      { content: 'Hi <tool_call>\n{"name": "get_time", "arguments": {"city": "Ro' },
    ],
    "an output that stops inside Qwen3-Coder's value": [
      "<tool_call>\n<function=python>\n<parameter=code>\nprint(",
      { content: "<tool_call>\n<function=python>\n<parameter=code>\nprint(" },
    ],
    "broken JSON, then a real call": [
      '<tool_call>{"name": "get_time", "arguments": {city: Rome}}</tool_call> <tool_call>{"name": "get_time", "arguments": {"city": "Rome"}}</tool_call>',
      {
        content: '<tool_call>{"name": "get_time", "arguments": {city: Rome}}</tool_call> ',
        calls: [["get_time", { city: "Rome" }]],
      },
    ],
  }),
];
