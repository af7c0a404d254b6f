// Tests the records of artifacts when publications and their records arrive in different orders.

import { existsSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { createArtifacts, type Artifacts } from '../../../../proxy/artifacts/artifacts.ts';
import { createChildPublisher } from '../../../../proxy/artifacts/child-publisher.ts';
import type { ArtifactPublisher, ArtifactPublication } from '../../../../proxy/artifacts/publisher.ts';
import { createAuditedStore } from '../../../../proxy/state/audit.ts';
import { createMemoryStore } from '../../../../proxy/core/state/memory-store.ts';
import type { BuildRun } from '../../../../proxy/sync/build-runner.ts';
import { temporaryFolder } from '../../../util/temporary-folder.ts';

const folder = temporaryFolder('artifacts');
afterAll(() => folder.remove());

const publication = (reference: string, serial: number, version = 'dev-main'): ArtifactPublication => ({
  name: 'acme/hello',
  version,
  version_normalized: version,
  reference: reference.repeat(40),
  sha256: reference.repeat(64),
  sha1: reference.repeat(40),
  size: 1,
  url: `/dist/acme/hello/${version}.zip`,
  serial,
});

/** `published`: the builder's result, by the path that it gets. */
function artifactsOver(published: Readonly<Record<string, ArtifactPublication>>): Artifacts {
  const now = (): number => 1_800_000_000_000;
  const publisher: ArtifactPublisher = {
    publish: async ({ path }) => ({
      ...(published[path] ?? (await Promise.reject(new Error('unknown')))),
      notices: [],
      staged: false,
    }),
    approve: () => Promise.reject(new Error('unknown')),
    withdraw: async () => undefined,
  };
  return createArtifacts({
    store: createAuditedStore({ store: createMemoryStore(), now }),
    now,
    randomBytes,
    actor: 'cli:test',
    publisher,
    dataDirectory: folder.path,
  });
}

describe('the record of a dev version', () => {
  it('is superseded from the start where a later publication was recorded first', async () => {
    const artifacts = artifactsOver({ early: publication('a', 1), late: publication('b', 2) });
    const late = await artifacts.publish({ path: 'late' });
    const early = await artifacts.publish({ path: 'early' });
    expect([early.record.status, (await artifacts.get(late.record.id)).status]).toEqual(['superseded', 'published']);
    expect((await artifacts.publish({ path: 'late' })).created).toBe(false);
  });

  it('is written once, however many callers record the same publication at once', async () => {
    const artifacts = artifactsOver({ a: publication('a', 1) });
    const all = await Promise.all(Array.from({ length: 5 }, () => artifacts.publish({ path: 'a' })));
    expect(new Set(all.map(({ record }) => record.id)).size).toBe(1);
    expect(all.filter(({ created }) => created)).toHaveLength(1);
    expect(await artifacts.list()).toHaveLength(1);
  });

  it('one of two simultaneous contents of a dev version is published', async () => {
    const artifacts = artifactsOver({ a: publication('a', 1), b: publication('b', 2) });
    await Promise.all([artifacts.publish({ path: 'a' }), artifacts.publish({ path: 'b' })]);
    expect((await artifacts.list()).map(({ reference, status }) => [reference[0], status]).sort()).toEqual([
      ['a', 'superseded'],
      ['b', 'published'],
    ]);
  });
});

describe('a builder in a process of its own', () => {
  const publish = (run: BuildRun): Promise<unknown> => {
    const path = folder.at('staged.zip');
    writeFileSync(path, '');
    return createChildPublisher({ run: async () => run }, 'user:usr_ada')
      .publish({ path })
      .finally(() => expect(existsSync(path)).toBe(false));
  };

  it('a builder without the lock is reported as busy', () =>
    expect(publish({ exitCode: 75, report: undefined, messages: '' })).rejects.toMatchObject({ code: 'BUILD_BUSY' }));
  it('a builder whose object store does not answer is no busy one', () =>
    expect(
      publish({ exitCode: 75, report: undefined, messages: 'libretto: GET s3://b/x: no whole answer came (…).\n' }),
    ).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', message: expect.stringMatching(/^The object store/) }));
  it('a builder that died is an internal error', () =>
    expect(publish({ exitCode: -1, report: undefined, messages: 'killed' })).rejects.toThrow(
      'the builder ended with -1: killed',
    ));
  it('a builder with malformed output is an internal error', () =>
    expect(publish({ exitCode: 0, report: { outcome: 'published' }, messages: '' })).rejects.toThrow(
      "the builder's answer has no name",
    ));
  it('a builder that refused the artifact gives the reason', () =>
    expect(
      publish({
        exitCode: 1,
        report: { outcome: 'refused', code: 'ARCHIVE_UNSAFE', message: 'why', details: { reason: 'ARCHIVE_UNSAFE' } },
        messages: '',
      }),
    ).rejects.toMatchObject({ code: 'ARCHIVE_UNSAFE', message: 'why' }));
});
