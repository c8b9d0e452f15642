// The gateway's keys for the admin API.

import { keyState } from "../../api-keys/key-record.ts";
import type { KeyDocument, NewKeyDocument } from "../../cloud/admin/documents.ts";
import type { KeyAdministration } from "../../cloud/admin/services.ts";
import type { CloudKey } from "../../cloud/keys/cloud-key.ts";
import type { CloudKeyStore, CreatedKey } from "../../cloud/keys/cloud-key-store.ts";

export interface KeyAdministrationOptions {
  keys: CloudKeyStore;
  organisation: string;
  cutRequestsOf: (keyId: string) => void;
}

export function keyAdministration(options: KeyAdministrationOptions): KeyAdministration {
  const { keys, organisation, cutRequestsOf } = options;
  return {
    list: () => keys.list().map(keyDocument),
    find: (id, wanted) => keyDocument(keys.find(id, wanted)),
    create: (request) => {
      const { expiresInMs, description, ...rest } = request;
      const created = keys.create({
        ...rest,
        organisation: request.organisation ?? organisation,
        apps: request.apps ?? [],
        description: description ?? "",
        expiresAt: expiresInMs === undefined ? undefined : Date.now() + expiresInMs,
      });
      return newKeyDocument(created);
    },
    revoke: (id, hard) => {
      const key = keys.revoke(id);
      if (hard) cutRequestsOf(key.id);
      return keyDocument(key);
    },
    rotate: (id, graceMs) => newKeyDocument(keys.rotate(id, graceMs)),
  };
}

function newKeyDocument({ key, token }: CreatedKey): NewKeyDocument {
  return { key: keyDocument(key), token };
}

function keyDocument(key: CloudKey): KeyDocument {
  const { replacedBy: _unshown, apps, description, ...rest } = key;
  return {
    ...rest,
    apps: [...apps],
    description: description === "" ? undefined : description,
    state: keyState(key, Date.now()),
  };
}
