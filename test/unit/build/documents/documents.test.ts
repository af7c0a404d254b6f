// Tests the bytes of the documents and their Last-Modified.
import { describe, expect, it } from 'vitest';
import type { VersionRecord } from '../../../../build/contract/documents.ts';
import type { DocumentStamp } from '../../../../build/contract/serving-index.ts';
import type { PackageName } from '../../../../build/contract/name.ts';
import {
  distUrl,
  formatProviders,
  formatRoot,
  parseProvider,
  stampDocument,
} from '../../../../build/documents/documents.ts';
import { digestOf } from '../../../../build/shared/text/digest-of.ts';
import { normalizeVersion } from '../../../../build/contract/version.ts';
import { referenceOf } from '../samples.ts';

const name = 'acme/hello' as PackageName;
const settings = { metadataUrl: '/p2/%package%$%hash%.json', distBaseUrl: undefined };

function record(version: string): VersionRecord {
  const dist = {
    type: 'zip',
    url: `/dist/${name}/${version}.zip`,
    reference: referenceOf('1'),
    shasum: '1'.repeat(40),
  };
  return { name, version, version_normalized: normalizeVersion(version) ?? '', dist } as unknown as VersionRecord;
}

const entry = { since: '2026-03-01T10:20:30.456Z' };
const version = (label: string): { readonly record: VersionRecord; readonly entry: typeof entry } => ({
  record: record(label),
  entry,
});

describe('formatRoot', () => {
  it('packages.json has the fields of the interface, with the mirror that lets paths work', () => {
    expect(JSON.parse(formatRoot([name], settings))).toEqual({
      packages: {},
      'metadata-url': '/p2/%package%$%hash%.json',
      'available-packages': ['acme/hello'],
      mirrors: [{ 'dist-url': '/dist/%package%/%prettyVersion%.zip?ref=%reference%', preferred: true }],
    });
  });

  it('the mirror has the path below which clients reach the registry', () =>
    expect(JSON.parse(formatRoot([name], { ...settings, publicPath: '/composer' }))).toMatchObject({
      mirrors: [{ 'dist-url': '/composer/dist/%package%/%prettyVersion%.zip?ref=%reference%', preferred: true }],
    }));

  it('an empty packages.json prevents a client from requesting every dependency', () => {
    expect(JSON.parse(formatRoot([], settings))).toMatchObject({
      'available-packages': [],
      'available-package-patterns': ['~none~/~none~'],
    });
  });
});

describe('formatProviders', () => {
  it('dev versions are in a document of their own, newest first, and both documents can be read back', () => {
    const { stable, dev } = formatProviders(name, ['1.0.0', 'dev-main', '1.10.0', '1.2.0'].map(version));
    expect(parseProvider(stable, name).map(({ version }) => version)).toEqual(['1.10.0', '1.2.0', '1.0.0']);
    expect(parseProvider(dev ?? '', name).map(({ version }) => version)).toEqual(['dev-main']);
    expect(
      formatProviders(
        name,
        parseProvider(stable, name).map((one) => ({ record: one, entry })),
      ).stable,
    ).toBe(stable);
  });

  it('a package without dev versions has no dev document, and every package has a stable one', () => {
    expect(formatProviders(name, [version('1.0.0')]).dev).toBeUndefined();
    expect(parseProvider(formatProviders(name, [version('dev-main')]).stable, name)).toEqual([]);
  });

  it('a document contains the time of first publication of each content, in whole seconds', () => {
    const { stable } = formatProviders(name, [
      version('2.0.0'),
      {
        record: record('1.0.0'),
        entry: { since: '2026-03-01T10:20:30.456Z', first_published: '2026-02-01T00:00:00.999Z' },
      },
    ]);
    expect(parseProvider(stable, name).map((one) => one['published-time'])).toEqual([
      '2026-03-01T10:20:30+00:00',
      '2026-02-01T00:00:00+00:00',
    ]);
  });

  it('dev versions are listed as in VcsRepository: the default branch first, then branches by name', () => {
    const branches = [
      'dev-b',
      '1.0.x-dev',
      'dev-1.0-fix',
      'dev-main',
      '1.x-dev',
      'dev-a',
      'dev-\u{1f600}',
      'dev-\uff5e',
    ].map(version);
    const given = branches.map(({ record: one, entry: standing }) => ({
      record: one.version === 'dev-main' ? { ...one, 'default-branch': true as const } : one,
      entry: one.version === '1.0.x-dev' ? { ...standing, branch: '1.0' } : standing,
    }));
    const order = ['dev-main', '1.0.x-dev', 'dev-1.0-fix', '1.x-dev', 'dev-a', 'dev-b', 'dev-\uff5e', 'dev-\u{1f600}'];
    for (const listed of [given, given.toReversed()])
      expect(parseProvider(formatProviders(name, listed).dev ?? '', name).map((one) => one.version)).toEqual(order);
  });

  it('a document never lists a version twice', () => {
    expect(() => formatProviders(name, [version('1.0.0'), version('v1.0')])).toThrow(
      'acme/hello has two records of one version',
    );
  });
});

describe('distUrl', () => {
  it('a dist URL is the path of the interface', () => {
    expect(distUrl(name, 'dev-feature/x', settings)).toBe('/dist/acme/hello/dev-feature/x.zip');
  });

  it('an absolute dist URL is encoded, because a client cuts at # and refuses spaces', () => {
    expect(distUrl(name, 'dev-100%#1?', { ...settings, distBaseUrl: 'https://r.example' })).toBe(
      'https://r.example/dist/acme/hello/dev-100%25%231%3F.zip?ref=%reference%',
    );
  });
});

describe('stampDocument', () => {
  it('the date of a document stays for equal bytes, and rises by at least a second for others', () => {
    const first = { last_modified: 100, sha256: digestOf('a') };
    expect(stampDocument([], 'a', 100)).toEqual(first);
    expect(stampDocument([first], 'a', 200)).toBe(first);
    expect(stampDocument([first], 'b', 100)?.last_modified).toBe(101);
    expect(stampDocument([first], 'b', 500)?.last_modified).toBe(500);
  });

  it('the date keeps rising for a document that was removed and came back', () => {
    const gone = stampDocument([{ last_modified: 100, sha256: digestOf('a') }], undefined, 100) as DocumentStamp;
    expect(gone).toEqual({ last_modified: 101, sha256: null });
    expect(stampDocument([gone], 'a', 100)?.last_modified).toBe(102);
  });

  it('the date rises above every date that readers may have seen, also where announced bytes return', () => {
    const [announced, cutOff] = [
      { last_modified: 100, sha256: digestOf('a') },
      { last_modified: 900, sha256: digestOf('b') },
    ];
    expect(stampDocument([announced, cutOff], 'a', 500)?.last_modified).toBe(901);
    expect(stampDocument([announced, cutOff], 'b', 500)).toBe(cutOff);
    expect(stampDocument([announced, { ...announced, sha256: digestOf('damaged') }], 'a', 50)?.last_modified).toBe(101);
    expect(stampDocument([announced, { ...announced, last_modified: 300 }], 'a', 500)?.last_modified).toBe(300);
  });
});
