// A process that creates, copies and removes models in a store for so many rounds.
import { copyModel, createModel } from "../../source/store/library/create-model.ts";
import { ModelStore } from "../../source/store/library/model-store.ts";
import { removeModel } from "../../source/store/library/remove-model.ts";
import { prune } from "../../source/store/library/upkeep.ts";
import { ModelCatalog } from "../../source/store/model-catalog.ts";
import { defineModel } from "../../source/store/model-definition.ts";
import { parseModelReference } from "../../source/store/model-reference.ts";

const [folder = "", file = "", own = "", shared = "", rounds = ""] = process.argv.slice(2);
const store = new ModelStore(folder);
const catalog = new ModelCatalog({ store });

for (let round = 0; round < Number(rounds); round += 1) {
  await create(own, round, true);
  await create(shared, round, round % 2 === 0);
  await copyModel(catalog, store, own, nameOf(`${own}-copy`));
  const resolved = await catalog.resolve(own);
  if (resolved.system !== `round ${round} of ${own}`) throw new Error(`${own} is another model`);
  await removeModel(catalog, store, own);
  await catalog.resolve(`${own}-copy`);
  await prune(store);
}

async function create(name: string, round: number, copy: boolean): Promise<void> {
  const definition = defineModel({ from: [file], system: `round ${round} of ${name}` });
  const resolveName = (reference: string) => catalog.parentOf(reference);
  await createModel(store, nameOf(name), definition, { copy, resolveName });
}

function nameOf(name: string) {
  const reference = parseModelReference(name);
  if (reference.kind !== "name") throw new Error(`${name} is a path`);
  return reference.name;
}
