// Stored state of apps, in one database.
import path from "node:path";
import type { Clock } from "../../base/clock.ts";
import { AppRecords } from "./app-records.ts";
import { BundleStore } from "./bundle-store.ts";
import type { StateDatabase } from "./database.ts";
import { EnvironmentRecords } from "./environment-records.ts";
import { EventLog } from "./event-log.ts";
import { ReplicaRecords } from "./replica-records.ts";
import { RevisionRecords } from "./revision-records.ts";
import { SecretBox } from "./secret-box.ts";
import { hasSecrets, SecretStore } from "./secret-store.ts";

export interface CloudStore {
  database: StateDatabase;
  apps: AppRecords;
  environments: EnvironmentRecords;
  revisions: RevisionRecords;
  replicas: ReplicaRecords;
  events: EventLog;
  secrets: SecretStore;
  bundles: BundleStore;
}

/**
 * @throws ProductError `CLOUD_STATE_UNUSABLE` when the encryption key does not match the stored
 * secrets
 */
export function openStore(database: StateDatabase, stateFolder: string, clock: Clock): CloudStore {
  const file = path.join(stateFolder, "keys", "secrets");
  const box = SecretBox.open(file, hasSecrets(database));
  const secrets = new SecretStore(database, box, clock);
  secrets.examine();
  const environments = new EnvironmentRecords(database, clock);
  return {
    database,
    environments,
    apps: new AppRecords(database, environments, clock),
    revisions: new RevisionRecords(database, clock),
    replicas: new ReplicaRecords(database, clock),
    events: new EventLog(database, clock),
    secrets,
    bundles: new BundleStore(path.join(stateFolder, "bundles")),
  };
}
