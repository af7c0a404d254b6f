// Searches for secrets in logs, the state with its audit log, and the data folder with its archives. A secret is a text
// in the form of Libretto's secrets, or a value that was sent or answered under a name for secrets. Every test registry
// is searched when it ends (F15).

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import AdmZip from 'adm-zip';
import { expect } from 'vitest';
import { parseToken } from '../../proxy/core/tokens/token-format.ts';
import { filesBelow } from './files-below.ts';

const secretNames =
  /^(?:token|secret|password|current_password|new_password|setup_code|recovery_codes|private_key|uri|material)$/;
const forms =
  /\b(?:lib_[rw]_[0-9A-Za-z]{38}|(?:inv|set)_[0-9A-Za-z]{32}|whsec_[0-9A-Za-z+/]{43}=|eyJ[\w-]{8,}\.[\w-]{20,}\.[\w-]{40,}|[A-Z2-7]{4}(?:-[A-Z2-7]{4}){5})\b/g;
/** Shorter values may be ordinary words. */
const shortest = 12;

const remembered = new Set<string>();
let rememberedIn: string | undefined;

/**
 * The secrets of the running test file. Files share a process, and one may send as a secret what another publishes. A
 * script outside of Vitest, such as the one of the pictures, has no file.
 */
function secretsOfFile(): Set<string> {
  const testPath = process.env['VITEST_POOL_ID'] === undefined ? undefined : expect.getState().testPath;
  if (testPath !== rememberedIn) remembered.clear();
  rememberedIn = testPath;
  return remembered;
}

/** Remembers every secret in a request or an answer. */
export function rememberSecrets(json: unknown, name = ''): void {
  if (typeof json === 'string') {
    // an endpoint with v1a answers its public key there
    if (secretNames.test(name) && json.length >= shortest && !json.startsWith('whpk_')) secretsOfFile().add(json);
  } else if (Array.isArray(json)) for (const item of json) rememberSecrets(item, name);
  else if (typeof json === 'object' && json !== null)
    for (const [key, value] of Object.entries(json)) rememberSecrets(value, key);
}

/** Throws an Error with the place and the beginning of the secret. */
export function assertNoSecrets(text: string, where: string): void {
  const found = [...(text.match(forms) ?? [])].filter(
    (one) => !one.startsWith('lib_') || parseToken(one) !== undefined,
  );
  // as it is, and as JSON escapes it
  const values = [...secretsOfFile()].filter(
    (one) => text.includes(one) || text.includes(JSON.stringify(one).slice(1, -1)),
  );
  const [leak] = [...found, ...values];
  if (leak !== undefined) throw new Error(`${where} holds a secret: ${leak.slice(0, 10)}…`);
}

/** Searches all files below a data folder except its keys, and the contents of its ZIPs. */
export function assertNoSecretsBelow(folder: string): void {
  if (!existsSync(folder)) return;
  const keys = join(folder, 'keys');
  for (const path of existsSync(keys) ? filesBelow(keys) : []) rememberSecrets(JSON.parse(readFileSync(path, 'utf8')));
  for (const path of filesBelow(folder)) {
    if (path.startsWith(keys)) continue;
    const bytes = readFileSync(path);
    assertNoSecrets(bytes.toString('latin1'), path);
    // some tests make files that are no ZIPs
    if (path.endsWith('.zip') && bytes.includes('PK\x05\x06', 0, 'latin1'))
      for (const file of new AdmZip(path).getEntries())
        assertNoSecrets(file.getData().toString('latin1'), `${path}, ${file.entryName}`);
  }
}
