// Outputs of Mistral, Llama, Functionary, FireFunction. From llama.cpp's tests/test-chat.cpp and models' cards.
import type { RecordedOutput } from "./recorded-output.ts";

const mistral = { name: "mistral" } as const;
const llama = { name: "llama" } as const;
const recipients = { name: "functionaryRecipients" } as const;

export const bracketedOutputs: RecordedOutput[] = [
  {
    about: "Mistral Nemo",
    format: mistral,
    output:
      '[TOOL_CALLS][{"name": "special_function", "arguments": {"arg1": 1}, "id": "123456789"}]',
    calls: [["special_function", { arg1: 1 }]],
  },
  {
    about: "Mistral 7B 0.3, two calls",
    format: mistral,
    output:
      '[TOOL_CALLS] [{"name": "get_weather", "arguments": {"city": "Paris"}}, {"name": "get_time", "arguments": {"city": "Paris"}}]',
    calls: [
      ["get_weather", { city: "Paris" }],
      ["get_time", { city: "Paris" }],
    ],
  },
  {
    about: "Mistral Small 3.2",
    format: mistral,
    output: '[TOOL_CALLS]special_function[CALL_ID]123456789[ARGS]{"arg1": 1}',
    calls: [["special_function", { arg1: 1 }]],
  },
  {
    about: "Devstral, with text before",
    format: { name: "mistralNamed" },
    output: 'Hello, world!\nWhat\'s up?[TOOL_CALLS]special_function[ARGS]{"arg1": 1}',
    content: "Hello, world!\nWhat's up?",
    calls: [["special_function", { arg1: 1 }]],
  },
  {
    about: "Ministral 3, parallel calls",
    format: { name: "mistralNamed" },
    output:
      '[TOOL_CALLS]special_function[ARGS]{"arg1": 1}[TOOL_CALLS]special_function_with_opt[ARGS]{"arg1": 1, "arg2": 2}',
    calls: [
      ["special_function", { arg1: 1 }],
      ["special_function_with_opt", { arg1: 1, arg2: 2 }],
    ],
  },
  {
    about: "Magistral",
    format: mistral,
    thinking: { open: "[THINK]", close: "[/THINK]" },
    output: "[THINK]raisonnement[/THINK]Réponse",
    thought: "raisonnement",
    content: "Réponse",
  },
  {
    about: "a list of which the second call breaks off",
    format: mistral,
    output: '[TOOL_CALLS][{"name": "empty_args", "arguments": {}}, {"name": "get_ti',
    content: ', {"name": "get_ti',
    calls: [["empty_args", {}]],
  },
  {
    about: "an empty list",
    format: mistral,
    output: "[TOOL_CALLS][]",
    content: "[TOOL_CALLS][]",
  },
  {
    about: "Llama 3",
    format: llama,
    output: '{"name": "special_function", "parameters": {"arg1": 1}}',
    calls: [["special_function", { arg1: 1 }]],
  },
  {
    about: "Llama 3 with a type",
    format: llama,
    output: '\n{"type": "function", "name": "get_time", "parameters": {"city": "Paris"}}',
    calls: [["get_time", { city: "Paris" }]],
  },
  {
    about: "Llama 3, calls divided by semicolons",
    format: llama,
    output:
      '{"name": "get_time", "parameters": {"city": "Paris"}}; {"name": "get_time", "parameters": {"city": "Rome"}}',
    calls: [
      ["get_time", { city: "Paris" }],
      ["get_time", { city: "Rome" }],
    ],
  },
  {
    about: "Llama 3's built-in tools",
    format: llama,
    output: "<|python_tag|>python.call(code=\"print('hey')\")",
    calls: [["python", { code: "print('hey')" }]],
  },
  {
    about: "Llama 3 with a tag before the JSON",
    format: llama,
    output: '<|python_tag|>{"name": "get_time", "parameters": {"city": "Paris"}}',
    calls: [["get_time", { city: "Paris" }]],
  },
  {
    about: "Llama 3's answer in JSON",
    format: llama,
    output: '{"name": "Bob", "age": 5}',
    content: '{"name": "Bob", "age": 5}',
  },
  {
    about: "Llama 3's answer in JSON that names a tool",
    format: llama,
    output: '{"name": "get_time", "about": "tells the time"}',
    content: '{"name": "get_time", "about": "tells the time"}',
  },
  {
    about: "Llama 3 with JSON that does not begin the answer",
    format: llama,
    output: 'Call {"name": "get_time", "parameters": {}}',
    content: 'Call {"name": "get_time", "parameters": {}}',
  },
  {
    about: "Functionary 3.1",
    format: { name: "functionaryTags" },
    output: '<function=special_function>{"arg1": 1}</function>',
    calls: [["special_function", { arg1: 1 }]],
  },
  {
    about: "Functionary 3.1, two calls and text",
    format: { name: "functionaryTags" },
    output:
      'I look. <function=get_time>{"city": "Rome"}</function>\n<function=empty_args>{}</function>',
    content: "I look. ",
    calls: [
      ["get_time", { city: "Rome" }],
      ["empty_args", {}],
    ],
  },
  {
    about: "Functionary 3.2, content",
    format: recipients,
    output: "all\nHello, world!\nWhat's up?",
    content: "Hello, world!\nWhat's up?",
  },
  {
    about: "Functionary 3.2, a call",
    format: recipients,
    output: 'special_function\n{"arg1": 1} \n                    ',
    calls: [["special_function", { arg1: 1 }]],
  },
  {
    about: "Functionary 3.2, content and calls",
    format: recipients,
    output:
      'all\nHello, world!\nnono\nWhat\'s up?>>>special_function\n{"arg1": 1}\n>>>get_time\n{"city": "Rome"}',
    content: "Hello, world!\nnono\nWhat's up?",
    calls: [
      ["special_function", { arg1: 1 }],
      ["get_time", { city: "Rome" }],
    ],
  },
  {
    about: "Functionary 3.2, the recipient mark repeated",
    format: recipients,
    output: ">>>all\nHello, world!",
    content: "Hello, world!",
  },
  {
    about: "Functionary 3.2, Python's prompt in the content",
    format: recipients,
    output: "all\nTry\n>>> print(1)\n>>>x",
    content: "Try\n>>> print(1)\n>>>x",
  },
  {
    about: "FireFunction 2",
    format: { name: "fireFunction" },
    output: ' functools[{"name": "special_function", "arguments": {"arg1": 1}}]',
    calls: [["special_function", { arg1: 1 }]],
  },
  {
    about: "JSON behind a tag that is known from a template",
    format: { name: "generic", tag: "<toolcall>" },
    output:
      'Yes. <toolcall> {"type": "function", "arguments": {"city": "Rome"}, "name": "get_time"} </toolcall>',
    content: "Yes. ",
    calls: [["get_time", { city: "Rome" }]],
  },
  {
    about: "JSON as the whole answer",
    format: { name: "generic", tag: "[" },
    output: '[{"name": "get_time", "arguments": {"city": "Rome"}}]',
    calls: [["get_time", { city: "Rome" }]],
  },
  {
    about: "a list as the answer",
    format: { name: "generic", tag: "[" },
    output: '["a", "b"]',
    content: '["a", "b"]',
  },
  {
    about: "a model without calls",
    format: { name: "plain" },
    output: '<tool_call>{"name": "empty_args"}</tool_call>',
    content: '<tool_call>{"name": "empty_args"}</tool_call>',
  },
];
