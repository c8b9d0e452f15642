// Outputs of Hermes, Qwen and their relatives. From llama.cpp's tests/test-chat.cpp and models' cards.
import { type RecordedOutput, think } from "./recorded-output.ts";

const format = { name: "hermes" } as const;

export const hermesOutputs: RecordedOutput[] = [
  {
    about: "one call",
    format,
    output: '<tool_call>\n{"name": "special_function", "arguments": {"arg1": 1}}\n</tool_call>',
    calls: [["special_function", { arg1: 1 }]],
  },
  {
    about: "text before the call",
    format,
    output:
      'Hello, world!\nWhat\'s up?<tool_call>\n{"name": "special_function", "arguments": {"arg1": 1}}\n</tool_call>',
    content: "Hello, world!\nWhat's up?",
    calls: [["special_function", { arg1: 1 }]],
  },
  {
    about: "text behind the call",
    format,
    output:
      '<tool_call>{"name": "get_time", "arguments": {"city": "Oslo"}}</tool_call>\n\nOne moment.',
    content: "\n\nOne moment.",
    calls: [["get_time", { city: "Oslo" }]],
  },
  {
    about: "parallel calls, each in its tag",
    format,
    output: [
      '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris", "unit": "c"}}\n</tool_call>',
      '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Tōkyō"}}\n</tool_call>',
      '<tool_call>\n{"name": "get_time", "arguments": {"city": "東京 🗼"}}\n</tool_call>',
    ].join("\n"),
    calls: [
      ["get_weather", { city: "Paris", unit: "c" }],
      ["get_weather", { city: "Tōkyō" }],
      ["get_time", { city: "東京 🗼" }],
    ],
  },
  {
    about: "several calls in one tag",
    format,
    output:
      '<tool_call>\n{"name": "get_time", "arguments": {"city": "Rome"}}\n{"name": "empty_args", "arguments": {}}\n</tool_call>',
    calls: [
      ["get_time", { city: "Rome" }],
      ["empty_args", {}],
    ],
  },
  {
    about: "thinking before the call",
    format,
    thinking: think,
    output:
      '<think>\nThe user wants <tool_call> maybe.\n</think>\n\n<tool_call>\n{"name": "get_time", "arguments": {"city": "Rome"}}\n</tool_call>',
    thought: "The user wants <tool_call> maybe.",
    calls: [["get_time", { city: "Rome" }]],
  },
  {
    about: "thinking that the prompt has opened",
    format,
    thinking: think,
    startsInThinking: true,
    output: "I'm\nthinking\n</think>\n\nHello, world!\nWhat's up?",
    thought: "I'm\nthinking",
    content: "Hello, world!\nWhat's up?",
  },
  {
    about: "thinking that the prompt has opened and the model opens again",
    format,
    thinking: think,
    startsInThinking: true,
    output: "<think>\n\n</think>\n\nHello.",
    content: "Hello.",
  },
  {
    about: "thinking that never ends",
    format,
    thinking: think,
    output: "<think>It starts with <tool_call> and ends with",
    thought: "It starts with <tool_call> and ends with",
  },
  {
    about: "tags in the middle of an answer",
    format,
    thinking: think,
    output: "Qwen writes <think>…</think> first.",
    content: "Qwen writes <think>…</think> first.",
  },
  {
    about: "braces, quotes, backslashes and line breaks in strings",
    format,
    output: `<tool_call>\n${JSON.stringify({
      name: "python",
      arguments: { code: 'print("}}</tool_call>{{")\nx = \'\\n\' # 🐍 {"a": [1, {"b": "]"}]}' },
    })}\n</tool_call>`,
    calls: [
      ["python", { code: 'print("}}</tool_call>{{")\nx = \'\\n\' # 🐍 {"a": [1, {"b": "]"}]}' }],
    ],
  },
  {
    about: "nested arguments",
    format,
    output:
      '<tool_call>{"name": "set_config", "arguments": {"config": {"a": {"b": [1, -2.5e3, null, true, {}]}, "c": []}}}</tool_call>',
    calls: [["set_config", { config: { a: { b: [1, -2500, null, true, {}] }, c: [] } }]],
  },
  {
    about: "arguments before the name",
    format,
    output: '<tool_call>{"arguments": {"city": "Rome"}, "name": "get_time"}</tool_call>',
    calls: [["get_time", { city: "Rome" }]],
  },
  {
    about: "arguments as a string of JSON",
    format,
    output: '<tool_call>{"name": "get_time", "arguments": "{\\"city\\": \\"Rome\\"}"}</tool_call>',
    calls: [["get_time", { city: "Rome" }]],
  },
  {
    about: "a call without arguments",
    format,
    output: '<tool_call>\n{"name": "empty_args"}\n</tool_call>',
    calls: [["empty_args", {}]],
  },
  {
    about: "OpenAI's shape inside the tag",
    format,
    output:
      '<tool_call>{"type": "function", "function": {"name": "get_time", "arguments": {"city": "Rome"}}}</tool_call>',
    calls: [["get_time", { city: "Rome" }]],
  },
  {
    about: "a closing brace forgotten",
    format,
    output: '<tool_call>\n{"name": "get_time", "arguments": {"city": "Rome"}\n</tool_call>',
    calls: [["get_time", { city: "Rome" }]],
  },
  {
    about: "a closing tag forgotten",
    format,
    output: '<tool_call>\n{"name": "get_time", "arguments": {"city": "Rome"}}',
    calls: [["get_time", { city: "Rome" }]],
  },
  {
    about: "a raw line break in a string",
    format,
    output: '<tool_call>{"name": "python", "arguments": {"code": "a = 1\nb = 2"}}</tool_call>',
    calls: [["python", { code: "a = 1\nb = 2" }]],
  },
  {
    about: "an unknown tool",
    format,
    output: '<tool_call>\n{"name": "rm_rf", "arguments": {}}\n</tool_call>',
    content: '<tool_call>\n{"name": "rm_rf", "arguments": {}}\n</tool_call>',
  },
  {
    about: "an unknown tool before a known one",
    format,
    output:
      '<tool_call>{"name": "rm_rf", "arguments": {}}</tool_call><tool_call>{"name": "empty_args"}</tool_call>',
    content: '<tool_call>{"name": "rm_rf", "arguments": {}}</tool_call>',
    calls: [["empty_args", {}]],
  },
  {
    about: "Qwen3-Coder's form",
    format,
    output:
      "<tool_call>\n<function=special_function>\n<parameter=arg1>\n1\n</parameter>\n</function>\n</tool_call>",
    calls: [["special_function", { arg1: 1 }]],
  },
  {
    about: "Qwen3-Coder's form, several calls, names that begin alike",
    format,
    output:
      "<tool_call>\n<function=special_function>\n<parameter=arg1>\n1\n</parameter>\n</function>\n</tool_call>\n<tool_call>\n<function=special_function_with_opt>\n<parameter=arg1>\n1\n</parameter>\n<parameter=arg2>\n2\n</parameter>\n</function>\n</tool_call>",
    calls: [
      ["special_function", { arg1: 1 }],
      ["special_function_with_opt", { arg1: 1, arg2: 2 }],
    ],
  },
  {
    about: "Qwen3-Coder's form with code",
    format,
    output:
      'Let me run it.\n<tool_call>\n<function=python>\n<parameter=code>\ndef hello():\n    print("Hello, world!")\n\nhello()\n</parameter>\n</function>\n</tool_call>',
    content: "Let me run it.\n",
    calls: [["python", { code: 'def hello():\n    print("Hello, world!")\n\nhello()' }]],
  },
  {
    about: "Qwen3-Coder's form with a trailing line break in the value",
    format,
    output:
      "<tool_call>\n<function=edit>\n<parameter=filename>\nfoo.c\n</parameter>\n<parameter=oldString>\n#iclunde\n</parameter>\n<parameter=newString>\n#include\n\n</parameter>\n</function>\n</tool_call>",
    calls: [["edit", { filename: "foo.c", oldString: "#iclunde", newString: "#include\n" }]],
  },
  {
    about: "Qwen3-Coder's form with markup",
    format,
    output:
      "<tool_call>\n<function=html>\n<parameter=markup>\n<html>\n <head>\n  <title>Hello!</title>\n </head>\n</html>\n</parameter>\n</function>\n</tool_call>",
    calls: [["html", { markup: "<html>\n <head>\n  <title>Hello!</title>\n </head>\n</html>" }]],
  },
  {
    about: "Qwen3-Coder's form with a list",
    format,
    output:
      '<tool_call>\n<function=todo_list>\n<parameter=todos>\n[{"item": "Check stuff", "selected": false}, {"item": "Prepare stuff", "selected": true}]\n</parameter>\n</function>\n</tool_call>',
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
  {
    about: "Qwen3-Coder's form without arguments",
    format,
    output: "<tool_call>\n<function=empty_args>\n</function>\n</tool_call>",
    calls: [["empty_args", {}]],
  },
  {
    about: "Qwen3-Coder's form without the tag",
    format,
    output:
      "<function=special_function>\n<parameter=arg1>\n1\n</parameter>\n</function>\n</tool_call>",
    calls: [["special_function", { arg1: 1 }]],
  },
  {
    about: "an output that stops inside the name",
    format,
    output: 'Hi <tool_call>\n{"name": "get_ti',
    content: 'Hi <tool_call>\n{"name": "get_ti',
  },
  {
    about: "an output that stops inside the arguments",
    format,
    output: 'Hi <tool_call>\n{"name": "get_time", "arguments": {"city": "Ro',
    content: 'Hi <tool_call>\n{"name": "get_time", "arguments": {"city": "Ro',
  },
  {
    about: "an output that stops inside Qwen3-Coder's value",
    format,
    output: "<tool_call>\n<function=python>\n<parameter=code>\nprint(",
    content: "<tool_call>\n<function=python>\n<parameter=code>\nprint(",
  },
  {
    about: "broken JSON, then a real call",
    format,
    output:
      '<tool_call>{"name": "get_time", "arguments": {city: Rome}}</tool_call> <tool_call>{"name": "get_time", "arguments": {"city": "Rome"}}</tool_call>',
    content: '<tool_call>{"name": "get_time", "arguments": {city: Rome}}</tool_call> ',
    calls: [["get_time", { city: "Rome" }]],
  },
];
