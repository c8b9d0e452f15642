// Outputs of Mistral, Llama, Functionary, FireFunction. From llama.cpp's tests/test-chat.cpp and models' cards.
import { recorded } from "./recorded-output.ts";

export const bracketedOutputs = [
  ...recorded("mistral", {
    "Mistral Nemo": [
      '[TOOL_CALLS][{"name": "special_function", "arguments": {"arg1": 1}, "id": "123456789"}]',
      { calls: [["special_function", { arg1: 1 }]] },
    ],
    "Mistral 7B 0.3, two calls": [
      '[TOOL_CALLS] [{"name": "get_weather", "arguments": {"city": "Paris"}}, {"name": "get_time", "arguments": {"city": "Paris"}}]',
      {
        calls: [
          ["get_weather", { city: "Paris" }],
          ["get_time", { city: "Paris" }],
        ],
      },
    ],
    "Mistral Small 3.2": [
      '[TOOL_CALLS]special_function[CALL_ID]123456789[ARGS]{"arg1": 1}',
      { calls: [["special_function", { arg1: 1 }]] },
    ],
    Magistral: [
      "[THINK]raisonnement[/THINK]Réponse",
      {
        thinking: { open: "[THINK]", close: "[/THINK]" },
        thought: "raisonnement",
        content: "Réponse",
      },
    ],
    "a list of which the second call breaks off": [
      '[TOOL_CALLS][{"name": "empty_args", "arguments": {}}, {"name": "get_ti',
      { content: ', {"name": "get_ti', calls: [["empty_args", {}]] },
    ],
    "an empty list": ["[TOOL_CALLS][]", { content: "[TOOL_CALLS][]" }],
  }),
  ...recorded("mistralNamed", {
    "Devstral, with text before": [
      'Hello, world!\nWhat\'s up?[TOOL_CALLS]special_function[ARGS]{"arg1": 1}',
      { content: "Hello, world!\nWhat's up?", calls: [["special_function", { arg1: 1 }]] },
    ],
    "Ministral 3, parallel calls": [
      '[TOOL_CALLS]special_function[ARGS]{"arg1": 1}[TOOL_CALLS]special_function_with_opt[ARGS]{"arg1": 1, "arg2": 2}',
      {
        calls: [
          ["special_function", { arg1: 1 }],
          ["special_function_with_opt", { arg1: 1, arg2: 2 }],
        ],
      },
    ],
  }),
  ...recorded("llama", {
    "Llama 3": [
      '{"name": "special_function", "parameters": {"arg1": 1}}',
      { calls: [["special_function", { arg1: 1 }]] },
    ],
    "Llama 3 with a type": [
      '\n{"type": "function", "name": "get_time", "parameters": {"city": "Paris"}}',
      { calls: [["get_time", { city: "Paris" }]] },
    ],
    "Llama 3, calls divided by semicolons": [
      '{"name": "get_time", "parameters": {"city": "Paris"}}; {"name": "get_time", "parameters": {"city": "Rome"}}',
      {
        calls: [
          ["get_time", { city: "Paris" }],
          ["get_time", { city: "Rome" }],
        ],
      },
    ],
    "Llama 3's built-in tools": [
      "<|python_tag|>python.call(code=\"print('hey')\")",
      { calls: [["python", { code: "print('hey')" }]] },
    ],
    "Llama 3 with a tag before the JSON": [
      '<|python_tag|>{"name": "get_time", "parameters": {"city": "Paris"}}',
      { calls: [["get_time", { city: "Paris" }]] },
    ],
    "Llama 3's answer in JSON": [
      '{"name": "Bob", "age": 5}',
      { content: '{"name": "Bob", "age": 5}' },
    ],
    "Llama 3's answer in JSON that names a tool": [
      '{"name": "get_time", "about": "tells the time"}',
      { content: '{"name": "get_time", "about": "tells the time"}' },
    ],
    "Llama 3 with JSON that does not begin the answer": [
      'Call {"name": "get_time", "parameters": {}}',
      { content: 'Call {"name": "get_time", "parameters": {}}' },
    ],
  }),
  ...recorded("functionaryTags", {
    "Functionary 3.1": [
      '<function=special_function>{"arg1": 1}</function>',
      { calls: [["special_function", { arg1: 1 }]] },
    ],
    "Functionary 3.1, two calls and text": [
      'I look. <function=get_time>{"city": "Rome"}</function>\n<function=empty_args>{}</function>',
      {
        content: "I look. ",
        calls: [
          ["get_time", { city: "Rome" }],
          ["empty_args", {}],
        ],
      },
    ],
  }),
  ...recorded("functionaryRecipients", {
    "Functionary 3.2, content": [
      "all\nHello, world!\nWhat's up?",
      { content: "Hello, world!\nWhat's up?" },
    ],
    "Functionary 3.2, a call": [
      'special_function\n{"arg1": 1} \n                    ',
      { calls: [["special_function", { arg1: 1 }]] },
    ],
    "Functionary 3.2, content and calls": [
      'all\nHello, world!\nnono\nWhat\'s up?>>>special_function\n{"arg1": 1}\n>>>get_time\n{"city": "Rome"}',
      {
        content: "Hello, world!\nnono\nWhat's up?",
        calls: [
          ["special_function", { arg1: 1 }],
          ["get_time", { city: "Rome" }],
        ],
      },
    ],
    "Functionary 3.2, the recipient mark repeated": [
      ">>>all\nHello, world!",
      { content: "Hello, world!" },
    ],
    "Functionary 3.2, Python's prompt in the content": [
      "all\nTry\n>>> print(1)\n>>>x",
      { content: "Try\n>>> print(1)\n>>>x" },
    ],
  }),
  ...recorded("fireFunction", {
    "FireFunction 2": [
      ' functools[{"name": "special_function", "arguments": {"arg1": 1}}]',
      { calls: [["special_function", { arg1: 1 }]] },
    ],
  }),
  ...recorded(
    { tag: "<toolcall>" },
    {
      "JSON behind a tag that is known from a template": [
        'Yes. <toolcall> {"type": "function", "arguments": {"city": "Rome"}, "name": "get_time"} </toolcall>',
        { content: "Yes. ", calls: [["get_time", { city: "Rome" }]] },
      ],
    },
  ),
  ...recorded(
    { tag: "[" },
    {
      "JSON as the whole answer": [
        '[{"name": "get_time", "arguments": {"city": "Rome"}}]',
        { calls: [["get_time", { city: "Rome" }]] },
      ],
      "a list as the answer": ['["a", "b"]', { content: '["a", "b"]' }],
    },
  ),
  ...recorded("plain", {
    "a model without calls": [
      '<tool_call>{"name": "empty_args"}</tool_call>',
      { content: '<tool_call>{"name": "empty_args"}</tool_call>' },
    ],
  }),
];
