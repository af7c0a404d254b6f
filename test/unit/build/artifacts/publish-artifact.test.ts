// Tests publishing and withdrawing artifacts. After any failure the folder of artifacts is as it was before.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { VersionBuild } from '../../../../build/artifacts/artifact-tree.ts';
import { publishArtifact } from '../../../../build/artifacts/publish-artifact.ts';
import type { PublishOutcome } from '../../../../build/artifacts/outcome.ts';
import { withdrawArtifact } from '../../../../build/artifacts/withdraw-artifact.ts';
import { build } from '../../../../build/build.ts';
import type { BuildEffects, BuildRequest } from '../../../../build/scan/build-request.ts';
import { takeLock } from '../../../../build/output/lock.ts';
import { zipOf } from '../../../util/hostile-zip.ts';
import { below, libraryTree, writeTree } from '../../../util/package-tree.ts';
import { allFiles, publishedVersions } from '../../../util/published-tree.ts';
import { temporaryFolder, type TemporaryFolder } from '../../../util/temporary-folder.ts';

let folder: TemporaryFolder;
beforeEach(() => void (folder = temporaryFolder('publish-artifact')));
afterEach(() => folder.remove());

const effects: BuildEffects = { now: () => new Date(), progress: () => undefined, environment: {} };
const request = (sources: readonly string[] = []): BuildRequest => ({
  dataDirectory: folder.at('data'),
  arguments: sources,
  baseDirectory: folder.path,
  configured: undefined,
  fallback: undefined,
  forget: [],
  strict: false,
  allowRepublish: false,
  jobs: 1,
  metadataUrl: '/p2/%package%.json',
  distBaseUrl: undefined,
});
const artifactBuild = (more: Partial<BuildEffects> = {}): VersionBuild => ({
  request: request(),
  effects: { ...effects, ...more },
  waitMs: 0,
});

function stage(content: string, fields: Readonly<Record<string, unknown>> = {}): string {
  const path = folder.at('data/artifacts/.staging/upload.zip');
  mkdirSync(folder.at('data/artifacts/.staging'), { recursive: true });
  writeFileSync(
    path,
    zipOf([{ name: 'composer.json', data: JSON.stringify({ name: 'acme/hello', description: content, ...fields }) }]),
  );
  return path;
}
const publish = (content: string, version: string, more: Partial<BuildEffects> = {}): Promise<PublishOutcome> =>
  publishArtifact({ path: stage(content), version }, artifactBuild(more));
const files = (): Record<string, string> =>
  Object.fromEntries(
    allFiles(folder.at('data/artifacts')).map((path) => [
      path,
      readFileSync(folder.at('data/artifacts', path), 'latin1'),
    ]),
  );
const stopped = { stop: AbortSignal.abort(new Error('stopped')) };

describe('publishArtifact', () => {
  it('a failed build restores all files, the earlier content of a dev version too', async () => {
    await expect(publish('one', 'dev-main', stopped)).rejects.toThrow('stopped');
    expect(files()).toEqual({});
    await publish('one', 'dev-main');
    const [before, published] = [files(), publishedVersions(folder.at('data'))];
    await expect(publish('two', 'dev-main', stopped)).rejects.toThrow('stopped');
    expect([files(), publishedVersions(folder.at('data'))]).toEqual([before, published]);
  });

  it('a publication during another build leaves no file behind', async () => {
    const lock = await takeLock(folder.at('data/build/lock'), effects.now);
    await expect(publish('one', '1.0.0')).rejects.toThrow('uses this data folder');
    await lock.release();
    expect(files()).toEqual({});
  });

  it('a version that another source publishes is refused, and the other source stays untouched', async () => {
    writeTree(folder.at('packages'), below('hello', libraryTree('acme/hello', { version: '1.0.0' })));
    await build(request(['./packages']), effects);
    rmSync(folder.at('packages'), { recursive: true });
    expect(await publish('one', '1.0.0')).toMatchObject({ outcome: 'refused', code: 'VERSION_EXISTS' });
    expect(await publish('one', '1.1.0')).toMatchObject({ outcome: 'published' });
    expect(Object.keys(publishedVersions(folder.at('data')))).toEqual(['acme/hello@1.1.0', 'acme/hello@1.0.0']);
  });

  it('publishing a ZIP again restores the ZIP that was lost from its folder', async () => {
    await publish('one', '1.0.0');
    const before = files();
    rmSync(folder.at('data/artifacts/acme'), { recursive: true });
    expect(await publish('one', '1.0.0')).toMatchObject({ outcome: 'published' });
    expect(files()).toEqual(before);
  });

  it('remains of killed processes in the staging folder are removed once no process owns them', async () => {
    mkdirSync(folder.at('data/artifacts/.staging'), { recursive: true });
    writeFileSync(folder.at('data/artifacts/.staging/upload-killed.zip'), 'half');
    await publish('one', '1.0.0');
    expect(Object.keys(files())).toContain('.staging/upload-killed.zip');
    const later = { now: () => new Date(Date.now() + 2 * 3_600_000) };
    // its own folder is equally old by that clock
    await publishArtifact({ path: stage('two'), version: '1.1.0' }, artifactBuild(later)).catch(() => undefined);
    expect(Object.keys(files())).not.toContain('.staging/upload-killed.zip');
  });

  it('a package called dev is published, although its name could begin a branch', async () => {
    const path = stage('one', { name: 'acme/dev' });
    expect(await publishArtifact({ path, version: 'dev-1.0' }, artifactBuild())).toMatchObject({
      outcome: 'published',
      version: 'dev-1.0',
    });
  });
});

describe('withdrawArtifact', () => {
  it('withdrawing the last artifact leaves an empty folder, and later builds accept the empty folder', async () => {
    const published = await publish('one', '1.0.0');
    if (published.outcome !== 'published') throw new Error('unreachable');
    const content = { name: published.name, version: published.version as never, reference: published.reference };
    const before = files();
    await expect(withdrawArtifact(content, artifactBuild(stopped))).rejects.toThrow('stopped');
    expect(files()).toEqual(before);
    expect(await withdrawArtifact(content, artifactBuild())).toMatchObject({ outcome: 'withdrawn' });
    expect(publishedVersions(folder.at('data'))).toEqual({});
    expect(await build(request(), effects)).toMatchObject({ failed: [], withdrawn: [], published: false });
    expect(await withdrawArtifact(content, artifactBuild())).toMatchObject({ outcome: 'withdrawn' });
    expect(await publish('one', '1.0.0')).toMatchObject({ outcome: 'published' });
    expect(files()).toEqual(before);
  });
});
