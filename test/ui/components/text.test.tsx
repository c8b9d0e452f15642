// Tests that drawn strings cannot control the terminal.

import { expect, test, vi } from "vitest";
import { Text } from "../../../source/ui/components/text.tsx";
import { renderAt } from "../support/render.tsx";

test("control sequences become visible", () => {
  // It would fill the clipboard: Ink passes such sequences on.
  const clipboard = "\u001b]52;c;aGk=\u0007";
  expect(renderAt(<Text>{clipboard}</Text>).text()).toBe("^[]52;c;aGk=^G");
  expect(renderAt(<Text>{"a\u001b[2J\u009b31m\tb"}</Text>).text()).toBe("a^[[2J\\x9b31m b");
});

test("marks of text direction and invisible characters are dropped, line breaks stay", () => {
  expect(renderAt(<Text>{"a\u202eb\u200bc\nd"}</Text>).lines()).toEqual(["abc", "d"]);
});

test("strings beside and within other text are clean", () => {
  const error = vi.spyOn(console, "error");
  const tree = (
    <Text>
      {"\u001b]0;a\u0007"}
      <Text bold>{["\u001b]0;b\u0007", <Text key="c">{"\u001b]0;c\u0007"}</Text>]}</Text>
      {"\u001b]0;d\u0007"}
    </Text>
  );
  expect(renderAt(tree).text()).toBe("^[]0;a^G^[]0;b^G^[]0;c^G^[]0;d^G");
  expect(error).not.toHaveBeenCalled();
  error.mockRestore();
});
