// Looks for secrets where none may be: logs, the state with its audit log, the data folder with its archives. A secret
// is what has the form of one of ours, and every value that was sent or answered under a name that says so. What runs a
// registry for a test looks when it ends (F15).

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import AdmZip from 'adm-zip';

import { parseToken } from '../../proxy/auth/token-format.ts';

const secretNames =
  /^(?:token|secret|password|current_password|new_password|setup_code|recovery_codes|private_key|uri|material)$/;
const forms =
  /\b(?:lib_[rw]_[0-9A-Za-z]{38}|(?:inv|set)_[0-9A-Za-z]{32}|eyJ[\w-]{8,}\.[\w-]{20,}\.[\w-]{40,}|[A-Z2-7]{4}(?:-[A-Z2-7]{4}){5})\b/g;
/** Shorter ones are words as well. */
const shortest = 12;

const remembered = new Set<string>();

/** Takes down every secret in what was sent or answered. */
export function rememberSecrets(json: unknown, name = ''): void {
  if (typeof json === 'string') {
    if (secretNames.test(name) && json.length >= shortest) remembered.add(json);
  } else if (Array.isArray(json)) for (const item of json) rememberSecrets(item, name);
  else if (typeof json === 'object' && json !== null)
    for (const [key, value] of Object.entries(json)) rememberSecrets(value, key);
}

/** Throws an Error that says where, with the beginning of the secret. */
export function assertNoSecrets(text: string, where: string): void {
  const found = [...(text.match(forms) ?? [])].filter(
    (one) => !one.startsWith('lib_') || parseToken(one) !== undefined,
  );
  // as it is, and as it stands in JSON
  const values = [...remembered].filter((one) => text.includes(one) || text.includes(JSON.stringify(one).slice(1, -1)));
  const [leak] = [...found, ...values];
  if (leak !== undefined) throw new Error(`${where} holds a secret: ${leak.slice(0, 10)}…`);
}

/** All files below a data folder but its keys, and what is in its ZIPs. */
export function assertNoSecretsBelow(folder: string): void {
  const keys = join(folder, 'keys');
  for (const path of filesBelow(keys)) rememberSecrets(JSON.parse(readFileSync(path, 'utf8')));
  for (const path of filesBelow(folder)) {
    if (path.startsWith(keys)) continue;
    const bytes = readFileSync(path);
    assertNoSecrets(bytes.toString('latin1'), path);
    // tests make some that are none
    if (path.endsWith('.zip') && bytes.includes('PK\x05\x06', 0, 'latin1'))
      for (const file of new AdmZip(path).getEntries())
        assertNoSecrets(file.getData().toString('latin1'), `${path}, ${file.entryName}`);
  }
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
