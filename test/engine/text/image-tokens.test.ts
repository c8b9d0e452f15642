// Image numbers among tokens: positions of images in a context, and places to cut it.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ImageTokens } from "../../../source/engine/text/image-tokens.ts";

describe("an image among tokens", () => {
  it("has the same unique numbers each time", () => {
    const images = new ImageTokens();
    const cat = images.numbersOf("cat", 3, 3);
    expect(images.numbersOf("dog", 2, 2).some((number) => cat.includes(number))).toBe(false);
    expect(images.numbersOf("cat", 3, 3)).toEqual(cat);
    expect(cat.every((number) => number < 0)).toBe(true);
    expect(images.lengthAt(cat[0] ?? 0)).toBe(3);
  });

  it("is never cut in two", () => {
    const images = new ImageTokens();
    const tokens = [7, 8, ...images.numbersOf("cat", 3, 3), 9];
    expect(tokens.map((_, index) => images.boundary(tokens, index))).toEqual([0, 1, 2, 2, 2, 5]);
    expect(images.boundary(tokens, tokens.length)).toBe(tokens.length);
  });

  it("may take fewer positions than it has tokens", () => {
    const images = new ImageTokens();
    const cat = images.numbersOf("cat", 4, 2);
    const tokens = [7, ...cat, 8, ...cat, 9];
    expect([0, 1, 5, 6, 10, 11].map((index) => images.position(tokens, index))).toEqual([
      0, 1, 3, 4, 6, 7,
    ]);
  });

  it("has a position that follows from the tokens before it", () => {
    const image = fc.record({ tokens: fc.integer({ min: 1, max: 9 }), less: fc.nat(8) });
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.nat(100), image), { maxLength: 30 }), (parts) => {
        const images = new ImageTokens();
        const tokens: number[] = [];
        let position = 0;
        for (const [index, part] of parts.entries()) {
          expect(images.position(tokens, tokens.length)).toBe(position);
          if (typeof part === "number") {
            tokens.push(part);
            position += 1;
          } else {
            const positions = Math.max(1, part.tokens - part.less);
            tokens.push(...images.numbersOf(`${index}`, part.tokens, positions));
            position += positions;
          }
        }
        expect(images.position(tokens, tokens.length)).toBe(position);
      }),
    );
  });
});
