// Jinja templates mean what they mean in Python: what the chat templates of real models rely on.
import { describe, expect, it } from "vitest";
import { JinjaTemplate } from "../../../source/prompt/jinja/jinja-template.ts";
import { fullLimits } from "../../../source/prompt/render-budget.ts";

const render = (source: string, variables: Record<string, unknown> = {}) =>
  new JinjaTemplate(source).render(variables, fullLimits(5000), new Date("2026-07-04T09:05:00"));

// Each as Jinja2 3.1 prints it.
const prints: ReadonlyArray<readonly [source: string, text: string]> = [
  // Printing
  ["{{ ['a', 1, true, none, 2.0] }}", "['a', 1, True, None, 2.0]"],
  ["{{ {'a': \"it's\"} }}", "{'a': \"it's\"}"],
  ["{{ (1,) }} {{ (1, 2) }}", "(1,) (1, 2)"],
  ["{{ 1e16 }} {{ 0.00001 }} {{ 3 / 2 }} {{ 4 / 2 }}", "1e+16 1e-05 1.5 2.0"],
  ["[{{ none | string }}|{{ missing | trim }}|{{ missing }}]", "[None||]"],
  // JSON
  ["{{ {'a': [1, 2.0, none], 'b': 'é<>'} | tojson }}", '{"a": [1, 2.0, null], "b": "é<>"}'],
  ["{{ {'a': [1]} | tojson(indent=2) }}", '{\n  "a": [\n    1\n  ]\n}'],
  ["{{ {'b': 1, 'a': 2} | tojson(separators=(',', ':'), sort_keys=true) }}", '{"a":2,"b":1}'],
  // Dictionaries, lists, tuples
  ["{{ {1: 'one', none: 'no'}[1] }}", "one"],
  ["{% set d = {'items': 5} %}{{ d['items'] }} {{ d.get('x', 7) }}", "5 7"],
  ["{% set l = [1] %}{{ l.append(2) }}{{ l }}", "None[1, 2]"],
  ["{% set a, b = 1, 2 %}{{ b }}{{ a }}", "21"],
  ["{% for k, v in {'x': 1}.items() %}{{ k }}={{ v }}{% endfor %}", "x=1"],
  ["{{ [3, 1, 2] | sort | join('-') }} {{ 'ab' * 2 }} {{ [0] * 3 }}", "1-2-3 abab [0, 0, 0]"],
  ["{{ 'héllo🦙'[-2:] }} {{ 'abc'[::-1] }} {{ [1, 2, 3][1:] }}", "o🦙 cba [2, 3]"],
  ["{{ [{'t': 'b'}, {'t': 'a'}] | map(attribute='t') | list }}", "['b', 'a']"],
  [
    "{% for k, l in [{'t': 2}, {'t': 1}] | groupby('t') %}{{ k }}{{ l }}{% endfor %}",
    "1[{'t': 1}]2[{'t': 2}]",
  ],
  ["{{ none | selectattr('x') | list }}", "[]"],
  // Texts
  ["{{ '%s has %05.1f' % ('a', 2) }} {{ '%d%%' | format(5) }}", "a has 002.0 5%"],
  ["{{ '{} {x} {0!r:>5}'.format('a', x=1) }}", "a 1   'a'"],
  ["{{ ' a b '.split() }} {{ 'a,b,c'.rsplit(',', 1) }}", "['a', 'b'] ['a,b', 'c']"],
  ["{{ 'abc'.replace('', '-') }} {{ 'x\\ty'.strip('x') }}", "-a-b-c- \ty"],
  // Undefined and none
  ["{{ missing is defined }} {{ none is none }} {{ missing or 'x' }}", "False True x"],
  ["{{ {'a': none}.a }} {{ {'a': none}.get('a', 1) }}", "None None"],
  ["{{ x if false }}|{{ 1 if true else y.z }}", "|1"],
  // Scopes
  ["{% set x = 1 %}{% for i in [1] %}{% set x = 2 %}{% endfor %}{{ x }}", "1"],
  ["{% set n = namespace(x=1) %}{% for i in [1] %}{% set n.x = 2 %}{% endfor %}{{ n.x }}", "2"],
  ["{% macro m(a, b=2) %}{{ a }}{{ b }}{{ varargs }}{% endmacro %}{{ m(1, 3, 4) }}", "13(4,)"],
  ["{% macro m() %}[{{ caller('x') }}]{% endmacro %}{% call(y) m() %}{{ y }}{% endcall %}", "[x]"],
  ["{% for i in [1, 2, 3] %}{% if i == 2 %}{% continue %}{% endif %}{{ i }}{% endfor %}", "13"],
  [
    "{% for i in [1, 2] %}{{ loop.index }}{{ loop.last }}{{ loop.previtem }} {% endfor %}",
    "1False 2True1 ",
  ],
  ["{% for i in [[1, []]] recursive %}{{ i[0] }}{{ loop(i[1]) }}{% endfor %}", "1"],
  // White space
  ["a\n  {% if true %}\n  b\n  {% endif %}\nc\n", "a\n  b\nc"],
  ["a  {{- 1 -}}  b {#- x -#} c", "a1bc"],
  ["{% raw %}{{ x }}{% endraw %}|{% generation %}y{% endgeneration %}", "{{ x }}|y"],
  ["{{ strftime_now('%d %b %Y %-H:%M') }}", "04 Jul 2026 9:05"],
  // Precedence
  [
    "{{ 1 < 2 < 3 }} {{ not 1 == 2 }} {{ 2 ** 3 ** 2 }} {{ -2 | abs }} {{ 7 // 2 }}{{ -7 % 3 }}",
    "True True 64 2 32",
  ],
];

describe("a template", () => {
  it.each(prints)("%s", (source, text) => {
    expect(render(source)).toBe(text);
  });

  it("does not take private-use characters for unprintable ones: they mark outside text", () => {
    const text = String.fromCodePoint(0xf0000);
    expect(render("{{ [x] }}{{ x | tojson(ensure_ascii=true) }}", { x: text })).toBe(
      `['${text}']"${text}"`,
    );
  });
});

describe("a mistake in a template", () => {
  const faults: ReadonlyArray<readonly [source: string, words: RegExp, offset: number]> = [
    ["a\n{{ x | nothing }}", /no filter `nothing`/, 9],
    ["{{ x.y.z }}", /`x` is undefined/, 4],
    ["{% if true %}", /`endif` is missing/, 0],
    ["{{ 'abc }}", /the string is not closed/, 3],
    ["{{ 1 + 'a' }}", /`\+` is not supported between int and str/, 5],
    ["{% import 'x' %}", /`import` needs other files/, 0],
    ["{{ ( ]", /unexpected `\]`, expected `\)`/, 5],
    ["{{ raise_exception('no') }}", /^no$/, 3],
  ];

  it.each(faults)("%s is told with its place", (source, message, offset) => {
    expect(() => render(source)).toThrow(
      expect.objectContaining({ message: expect.stringMatching(message), offset }),
    );
  });
});
