// An inline record as a release: its composer.json is the record, its archive the dist it names.

import { createHash } from 'node:crypto';
import { archiveReference } from '../../archive/zip-admission/ready-archive.ts';
import { entryTimeOf } from '../directory/content-digest.ts';
import type { Content, ReadyArchive } from '../../archive/content.ts';
import type { Release } from '../release.ts';
import type { InlineRecord } from './inline-record.ts';

export function inlineRelease(
  record: InlineRecord,
  sha256: string,
  content: Content | ReadyArchive,
  where: string,
): Release {
  const { name, version, normalized, dev, time, defaultBranch, json } = record;
  return {
    name,
    version,
    normalized,
    dev,
    reference: archiveReference(sha256),
    time,
    defaultBranch,
    where,
    recordDigest: createHash('sha256').update(JSON.stringify(json)).digest('hex'),
    composerJson: () => Promise.resolve(json),
    content,
  };
}

/**
 * A metapackage without a dist: Libretto makes an archive with only its composer.json, so that every version has the
 * same proof.
 */
export function metapackageRelease(record: InlineRecord, where: string): Release {
  const bytes = Buffer.from(`${JSON.stringify(record.json, undefined, 4)}\n`);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const files = [{ path: 'composer.json', mode: 'file', identity: `sha256:${sha256}` }] as const;
  const content: Content = {
    list: () => Promise.resolve({ files, withheld: [] }),
    read: async function* () {
      yield bytes;
    },
    entryTime: entryTimeOf(archiveReference(sha256)),
  };
  return inlineRelease(record, sha256, content, where);
}
