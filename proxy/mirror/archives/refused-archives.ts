// Why archives were refused when they were last fetched, for `libretto why`. No decision depends on these texts.

import { mkdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { PackageName } from '../../../build/contract/name.ts';
import { QuarantineError } from '../../../build/contract/quarantine.ts';
import { replaceFile } from '../../../build/shared/files/atomic-file.ts';
import { messageOf } from '../../../build/shared/text/message-of.ts';
import { UpstreamRefused } from '../upstream/mirror-failure.ts';
import { entriesIn } from './accepted-archive-store.ts';

/** Below the folder of the mirror. */
export const refusedFolder = 'refused';

/** Keeps the text, or forgets it: the archive was accepted. `folder`: of the mirror. `key`: begins with the name. */
export async function writeRefusal(folder: string, key: string, text?: string): Promise<void> {
  const path = join(folder, refusedFolder, `${key}.txt`);
  if (text === undefined) return rm(path, { force: true });
  await mkdir(dirname(path), { recursive: true });
  await replaceFile(path, [text]);
}

export async function readRefusals(folder: string, name: PackageName): Promise<readonly string[]> {
  const vendor = join(folder, refusedFolder, dirname(name));
  const files = (await entriesIn(vendor)).filter(
    (file) => file.startsWith(`${basename(name)} `) && file.endsWith('.txt'),
  );
  return Promise.all(files.map((file) => readFile(join(vendor, file), 'utf8').catch(messageOf)));
}

/** The refusal of an archive that its check found at fault. `from`: its address. The fault itself names no local file. */
export function refusalOf(from: string, cause: unknown): UpstreamRefused {
  const isOfArchive = cause instanceof QuarantineError && cause.code !== 'UNREADABLE_FILE';
  const forClients = `The archive of this version at the upstream repository is refused. ${messageOf(cause)}`;
  return new UpstreamRefused(`${from}: ${messageOf(cause)}`, { cause, ...(isOfArchive && { forClients }) });
}
