// Tests that rows of a table become commands of a screen, which read their context at each call.

import { expect, test } from "vitest";
import { bindCommands, commandRow } from "../../../source/ui/frame/command-table.ts";

interface Lamp {
  isOn: boolean;
}

const command = commandRow<Lamp>("lamp", "Lamps");
const rows = [
  command("toggle", ["t"], "Switch the lamp", {
    hint: ({ isOn }) => (isOn ? "off" : "on"),
    when: () => true,
    run: (lamp) => {
      lamp.isOn = !lamp.isOn;
      return undefined;
    },
  }),
  command("dim", ["d"], "Dim the lamp", {
    hint: "dim",
    slash: ["/dim"],
    when: ({ isOn }) => isOn,
    run: (_, argument) => `dimmed to ${argument}`,
  }),
];

test("hints and availability follow the context, and arguments are passed on", () => {
  const [toggle, dim] = bindCommands(rows, { isOn: false });
  if (toggle === undefined || dim === undefined) throw new Error("there are two rows");
  expect(dim).toMatchObject({ id: "lamp.dim", group: "Lamps", keys: ["d"], slash: ["/dim"] });
  expect([toggle.hint(), dim.hint(), dim.isValid()]).toEqual(["on", "dim", false]);
  toggle.run("");
  expect([toggle.hint(), dim.isValid(), dim.run("20 %")]).toEqual(["off", true, "dimmed to 20 %"]);
});
