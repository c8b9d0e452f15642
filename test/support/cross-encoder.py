"""Computes the scores of test/support/cross-encoder.ts from its numbers, without llama.cpp.

Reads {"size", "weights", "pairs": lists of tokens} from standard input; prints a list of scores
before the sigmoid. BERT as in its paper, with the two-layer head of RoBERTa's classifier.
"""
import json
import math
import sys

given = json.load(sys.stdin)
size, weights = given["size"], given["weights"]
width = size["width"]


def rows(name, columns):
    flat = weights[name]
    return [flat[start : start + columns] for start in range(0, len(flat), columns)]


def linear(vector, name):
    matrix = rows(f"{name}.weight", len(vector))
    return [sum(a * b for a, b in zip(row, vector)) + bias for row, bias in zip(matrix, weights[f"{name}.bias"])]


def norm(vector, name):
    mean = sum(vector) / len(vector)
    variance = sum((value - mean) ** 2 for value in vector) / len(vector)
    scale = 1 / math.sqrt(variance + 1e-12)
    return [(value - mean) * scale * w + b for value, w, b in zip(vector, weights[f"{name}.weight"], weights[f"{name}.bias"])]


def gelu(value):
    return 0.5 * value * (1 + math.tanh(math.sqrt(2 / math.pi) * (value + 0.044715 * value**3)))


def add(*vectors):
    return [sum(values) for values in zip(*vectors)]


def attention(states, block):
    heads = size["heads"]
    length = width // heads
    queries, keys, values = ([linear(state, f"{block}.attn_{part}") for state in states] for part in "qkv")
    results = []
    for query in queries:
        result = []
        for head in range(heads):
            part = slice(head * length, (head + 1) * length)
            scores = [sum(a * b for a, b in zip(query[part], key[part])) / math.sqrt(length) for key in keys]
            powers = [math.exp(score - max(scores)) for score in scores]
            shares = [power / sum(powers) for power in powers]
            result += [sum(share * value[part][i] for share, value in zip(shares, values)) for i in range(length)]
        results.append(linear(result, f"{block}.attn_output"))
    return results


def score(tokens):
    words, places = rows("token_embd.weight", width), rows("position_embd.weight", width)
    kind = rows("token_types.weight", width)[0]
    states = [norm(add(words[token], kind, places[at]), "token_embd_norm") for at, token in enumerate(tokens)]
    for layer in range(size["layers"]):
        block = f"blk.{layer}"
        seen = attention(states, block)
        states = [norm(add(state, more), f"{block}.attn_output_norm") for state, more in zip(states, seen)]
        inner = [linear([gelu(value) for value in linear(state, f"{block}.ffn_up")], f"{block}.ffn_down") for state in states]
        states = [norm(add(state, more), f"{block}.layer_output_norm") for state, more in zip(states, inner)]
    return linear([math.tanh(value) for value in linear(states[0], "cls")], "cls.output")[0]


print(json.dumps([score(tokens) for tokens in given["pairs"]]))
