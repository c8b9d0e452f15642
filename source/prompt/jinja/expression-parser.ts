// Parser of Jinja expressions, with Jinja2's precedence.
import type {
  Argument,
  BinaryOperator,
  CompareOperator,
  Expression,
  FilterCall,
} from "./syntax-tree.ts";
import type { TokenStream } from "./token-stream.ts";
import { Float } from "./values.ts";

const compareOperators: ReadonlySet<string> = new Set(["==", "!=", "<", "<=", ">", ">="]);
const constants: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
  ["none", null],
  ["None", null],
]);

/** @param takesCondition true if a following `if` belongs to the expression */
export function parseExpression(tokens: TokenStream, takesCondition = true): Expression {
  return tokens.nested(() => (takesCondition ? parseCondition(tokens) : parseOr(tokens)));
}

/** Parses expressions separated by commas as a tuple. */
export function parseTuple(
  tokens: TokenStream,
  { takesCondition = true, mayBeEmpty = false } = {},
): Expression {
  const { at } = tokens.current;
  if (mayBeEmpty && tokens.is("operator", ")")) return { kind: "tuple", items: [], at };
  const first = parseExpression(tokens, takesCondition);
  if (!tokens.is("operator", ",")) return first;
  const items = [first];
  while (tokens.skip("operator", ",")) {
    if (endsTuple(tokens)) break;
    items.push(parseExpression(tokens, takesCondition));
  }
  return { kind: "tuple", items, at };
}

function endsTuple(tokens: TokenStream): boolean {
  return (
    tokens.is("block-end") ||
    tokens.is("variable-end") ||
    tokens.is("operator", ")") ||
    tokens.is("operator", "=") ||
    tokens.is("name", "recursive")
  );
}

function parseCondition(tokens: TokenStream): Expression {
  let value = parseOr(tokens);
  while (tokens.is("name", "if")) {
    const { at } = tokens.next();
    const test = parseOr(tokens);
    const otherwise = tokens.skip("name", "else") ? parseExpression(tokens) : undefined;
    value = { kind: "condition", test, value, otherwise, at };
  }
  return value;
}

function parseOr(tokens: TokenStream): Expression {
  let left = parseAnd(tokens);
  while (tokens.is("name", "or")) {
    const { at } = tokens.next();
    left = { kind: "or", left, right: parseAnd(tokens), at };
  }
  return left;
}

function parseAnd(tokens: TokenStream): Expression {
  let left = parseNot(tokens);
  while (tokens.is("name", "and")) {
    const { at } = tokens.next();
    left = { kind: "and", left, right: parseNot(tokens), at };
  }
  return left;
}

function parseNot(tokens: TokenStream): Expression {
  if (!tokens.is("name", "not")) return parseComparison(tokens);
  const { at } = tokens.next();
  return { kind: "not", operand: tokens.nested(() => parseNot(tokens)), at };
}

function parseComparison(tokens: TokenStream): Expression {
  const { at } = tokens.current;
  const first = parseSum(tokens);
  const others: Array<{ operator: CompareOperator; operand: Expression }> = [];
  for (;;) {
    const operator = compareOperator(tokens);
    if (operator === undefined) break;
    others.push({ operator, operand: parseSum(tokens) });
  }
  return others.length === 0 ? first : { kind: "compare", first, others, at };
}

function compareOperator(tokens: TokenStream): CompareOperator | undefined {
  const { kind, text } = tokens.current;
  if (kind === "operator" && compareOperators.has(text)) {
    tokens.next();
    return text as CompareOperator;
  }
  if (tokens.skip("name", "in")) return "in";
  const { following } = tokens;
  if (tokens.is("name", "not") && following.kind === "name" && following.text === "in") {
    tokens.next();
    tokens.next();
    return "not in";
  }
  return undefined;
}

function parseBinary(
  tokens: TokenStream,
  operators: readonly string[],
  parseOperand: (tokens: TokenStream) => Expression,
): Expression {
  let left = parseOperand(tokens);
  while (tokens.current.kind === "operator" && operators.includes(tokens.current.text)) {
    const { text, at } = tokens.next();
    const operator = text as BinaryOperator;
    left = { kind: "binary", operator, left, right: parseOperand(tokens), at };
  }
  return left;
}

const parseSum = (tokens: TokenStream) => parseBinary(tokens, ["+", "-"], parseConcat);
const parseProduct = (tokens: TokenStream) =>
  parseBinary(tokens, ["*", "/", "//", "%"], parsePower);
const parsePower = (tokens: TokenStream) => parseBinary(tokens, ["**"], parseUnary);

function parseConcat(tokens: TokenStream): Expression {
  const { at } = tokens.current;
  const items = [parseProduct(tokens)];
  while (tokens.skip("operator", "~")) items.push(parseProduct(tokens));
  const [first] = items;
  return items.length === 1 && first !== undefined ? first : { kind: "concat", items, at };
}

function parseUnary(tokens: TokenStream): Expression {
  return parseFilters(tokens, parseSigned(tokens));
}

function parseSigned(tokens: TokenStream): Expression {
  const isNegative = tokens.is("operator", "-");
  if (!isNegative && !tokens.is("operator", "+")) return parsePostfix(tokens, parsePrimary(tokens));
  const { at } = tokens.next();
  const operand = tokens.nested(() => parseSigned(tokens));
  return { kind: isNegative ? "negative" : "positive", operand, at };
}

function parsePrimary(tokens: TokenStream): Expression {
  const { kind, text, at } = tokens.current;
  switch (kind) {
    case "name": {
      tokens.next();
      const value = constants.get(text);
      return value === undefined
        ? { kind: "name", name: text, at }
        : { kind: "constant", value, at };
    }
    case "string": {
      let value = "";
      while (tokens.is("string")) value += tokens.next().text;
      return { kind: "constant", value, at };
    }
    case "integer":
      tokens.next();
      return { kind: "constant", value: Number(text), at };
    case "float":
      tokens.next();
      return { kind: "constant", value: new Float(Number(text)), at };
    case "operator":
      if (text === "(") return parseParentheses(tokens);
      if (text === "[") return parseList(tokens);
      if (text === "{") return parseDict(tokens);
  }
  throw tokens.fault(`expected an expression, found ${tokens.found}`);
}

function parseParentheses(tokens: TokenStream): Expression {
  tokens.next();
  const value = parseTuple(tokens, { mayBeEmpty: true });
  tokens.expect("operator", ")");
  return value;
}

function parseList(tokens: TokenStream): Expression {
  const { at } = tokens.next();
  const items: Expression[] = [];
  while (!tokens.is("operator", "]")) {
    if (items.length > 0) tokens.expect("operator", ",");
    if (tokens.is("operator", "]")) break;
    items.push(parseExpression(tokens));
  }
  tokens.expect("operator", "]");
  return { kind: "list", items, at };
}

function parseDict(tokens: TokenStream): Expression {
  const { at } = tokens.next();
  const entries: Array<[Expression, Expression]> = [];
  while (!tokens.is("operator", "}")) {
    if (entries.length > 0) tokens.expect("operator", ",");
    if (tokens.is("operator", "}")) break;
    const key = parseExpression(tokens);
    tokens.expect("operator", ":");
    entries.push([key, parseExpression(tokens)]);
  }
  tokens.expect("operator", "}");
  return { kind: "dict", entries, at };
}

function parsePostfix(tokens: TokenStream, start: Expression): Expression {
  let object = start;
  for (;;) {
    const { at } = tokens.current;
    if (tokens.skip("operator", ".")) object = parseMember(tokens, object, at);
    else if (tokens.skip("operator", "[")) object = parseSubscript(tokens, object, at);
    else if (tokens.is("operator", "(")) {
      object = { kind: "call", callee: object, args: parseArguments(tokens), at: start.at };
    } else return object;
  }
}

function parseMember(tokens: TokenStream, object: Expression, at: number): Expression {
  if (tokens.is("integer")) {
    const index = Number(tokens.next().text);
    return { kind: "item", object, index: { kind: "constant", value: index, at }, at };
  }
  return { kind: "attribute", object, name: tokens.expect("name").text, at };
}

function parseSubscript(tokens: TokenStream, object: Expression, at: number): Expression {
  const bound = () =>
    tokens.is("operator", ":") || tokens.is("operator", "]") ? undefined : parseExpression(tokens);
  const from = bound();
  if (from !== undefined && !tokens.is("operator", ":")) {
    tokens.expect("operator", "]");
    return { kind: "item", object, index: from, at };
  }
  tokens.expect("operator", ":");
  const to = bound();
  const step = tokens.skip("operator", ":") ? bound() : undefined;
  tokens.expect("operator", "]");
  return { kind: "slice", object, from, to, step, at };
}

/** Parses arguments in parentheses. */
function parseArguments(tokens: TokenStream): Argument[] {
  tokens.expect("operator", "(");
  const args: Argument[] = [];
  while (!tokens.is("operator", ")")) {
    if (args.length > 0) tokens.expect("operator", ",");
    if (tokens.is("operator", ")")) break;
    if (tokens.skip("operator", "**")) {
      args.push({ spread: "dict", value: parseExpression(tokens) });
    } else if (tokens.skip("operator", "*")) {
      args.push({ spread: "list", value: parseExpression(tokens) });
    } else if (tokens.is("name") && tokens.following.text === "=") {
      const name = tokens.next().text;
      tokens.next();
      args.push({ name, value: parseExpression(tokens) });
    } else {
      const { at } = tokens.current;
      if (args.some(({ name }) => name !== undefined)) {
        throw tokens.fault("a positional argument follows a named one", at);
      }
      args.push({ value: parseExpression(tokens) });
    }
  }
  tokens.expect("operator", ")");
  return args;
}

function parseFilters(tokens: TokenStream, start: Expression): Expression {
  let input = start;
  for (;;) {
    if (tokens.is("operator", "|")) {
      tokens.next();
      input = { kind: "filter", input, ...parseFilterCall(tokens) };
    } else if (tokens.is("name", "is")) {
      input = parseTest(tokens, input);
    } else if (tokens.is("operator", "(")) {
      input = { kind: "call", callee: input, args: parseArguments(tokens), at: input.at };
    } else return input;
  }
}

/** Parses a filter's name and arguments after its `|`. */
export function parseFilterCall(tokens: TokenStream): FilterCall {
  const { text: name, at } = tokens.expect("name");
  const args = tokens.is("operator", "(") ? parseArguments(tokens) : [];
  return { name, args, at };
}

const notAnArgument: ReadonlySet<string> = new Set(["else", "or", "and", "is", "if", "not", "in"]);

function parseTest(tokens: TokenStream, input: Expression): Expression {
  tokens.next();
  const negated = tokens.skip("name", "not");
  const { text: name, at } = tokens.expect("name");
  let args: Argument[] = [];
  const { kind, text } = tokens.current;
  if (tokens.is("operator", "(")) args = parseArguments(tokens);
  else if (
    ["string", "integer", "float"].includes(kind) ||
    (kind === "name" && !notAnArgument.has(text)) ||
    (kind === "operator" && (text === "[" || text === "{"))
  ) {
    args = [{ value: parsePostfix(tokens, parsePrimary(tokens)) }];
  }
  return { kind: "test", input, name, args, negated, at };
}
