// Tokens: their form, and checks of mistyped ones.
import { expect, test } from "vitest";
import { drawToken, parseToken, readKeyId, serverKeyPrefix } from "../../source/api-keys/token.ts";

const draw = () => drawToken(serverKeyPrefix);

test("a token is prefix, id, secret and checksum, of fixed lengths", () => {
  expect(draw().token).toMatch(/^mk_[a-z2-7]{12}[0-9A-Za-z]{43}[0-9A-Za-z]{6}$/);
});

test("no two have the same id or secret", () => {
  const tokens = Array.from({ length: 200 }, draw);
  expect(new Set(tokens.map(({ id }) => id)).size).toBe(200);
  expect(new Set(tokens.map(({ secret }) => secret)).size).toBe(200);
});

test("is parsed into its parts", () => {
  const { id, secret, token } = draw();
  expect(parseToken(serverKeyPrefix, token)).toEqual({ id, secret });
});

test("one wrong letter anywhere is noticed", () => {
  const { token } = draw();
  for (let place = 0; place < token.length; place += 1) {
    const other = token[place] === "a" ? "b" : "a";
    const mistyped = token.slice(0, place) + other + token.slice(place + 1);
    expect(parseToken(serverKeyPrefix, mistyped)).toBeUndefined();
  }
});

test.each(["", "mk_", "sk-1234", "ollama", "mk_".padEnd(64, "é")])("%j is not a token", (text) => {
  expect(parseToken(serverKeyPrefix, text)).toBeUndefined();
});

test("a token of another kind is refused", () => {
  expect(parseToken(serverKeyPrefix, drawToken("dk_").token)).toBeUndefined();
});

test("an id is parsed alone, after its prefix, and from the token", () => {
  const { id, token } = draw();
  for (const text of [id, `mk_${id}`, token]) expect(readKeyId(serverKeyPrefix, text)).toBe(id);
  for (const text of ["", "x", `${id}a`, id.toUpperCase(), token.slice(0, -1)]) {
    expect(readKeyId(serverKeyPrefix, text)).toBeUndefined();
  }
});
