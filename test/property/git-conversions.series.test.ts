// Tests random trees whose .gitattributes change the blobs' content: the files and bytes of every version equal `git
// archive`.

import { fc } from '../util/seeded-check.ts';
import { afterAll, describe, expect, it } from 'vitest';
import { createGitSource } from '../../build/sources/git/git-source.ts';
import type { ContentListing } from '../../build/archive/content.ts';
import type { Release } from '../../build/sources/release.ts';
import { archivedContents, contentsOf } from '../util/git-archive.ts';
import { createRepository, testGitEnvironment, type FileSpec, type RepositoryStep } from '../util/git-repository.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { playsSeries } from '../util/series.ts';

const versions = playsSeries ? 120 : 50;

const path = fc
  .tuple(fc.constantFrom('', '', 'a/', 'a/b/', 'docs/'), fc.constantFrom('a.php', 'b.txt', 'c.bat', 'ü.txt', 'README'))
  .map((both) => both.join(''));
const text = fc.constantFrom(
  'one\ntwo\n',
  'one\r\ntwo\n',
  'one\r\ntwo\r\n',
  '$Id$ and $Id: old $\n',
  '$Format:%H %h %t %p %an %cI %D$\n',
  'é\u20ac\n',
  'no end',
  '',
  '\0binary\n',
  '$Format:%s%n%b$\n',
);
const content = fc.oneof(
  { weight: 9, arbitrary: text.map((value): string | FileSpec => value) },
  { weight: 1, arbitrary: fc.constant<FileSpec>({ mode: '120000', content: '.' }) },
);
const pattern = fc.constantFrom('*', '*.php', '*.txt', '*.bat', 'a/*', 'a/**', '/README', 'docs', 'ü.txt', 'b.txt');
const state = fc.constantFrom(
  'text',
  '-text',
  '!text',
  'text=auto',
  'text=input',
  'text=odd',
  'crlf',
  '-crlf',
  'crlf=input',
  'eol=crlf',
  'eol=crlf',
  'eol=lf',
  '-eol',
  '!eol',
  'ident',
  '-ident',
  'ident=yes',
  'export-subst',
  'export-subst',
  '-export-subst',
  '!export-subst',
  'working-tree-encoding=UTF-16',
  'working-tree-encoding=UTF-16LE-BOM',
  'working-tree-encoding=latin1',
  'working-tree-encoding=utf8',
  '!working-tree-encoding',
  'binary',
  '-binary',
  'all',
  '-all',
  'export-ignore',
  'filter=lfs',
  'diff=php',
);
const line = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(pattern, fc.array(state, { minLength: 1, maxLength: 3 }))
      .map(([one, states]) => `${one} ${states.join(' ')}`),
  },
  fc.constantFrom('[attr]all ident eol=crlf', '[attr]binary -diff', '# none'),
);
const attributes = fc.array(line, { minLength: 1, maxLength: 5 }).map((lines) => `${lines.join('\n')}\n`);
const tree = fc.record({
  files: fc.array(fc.tuple(path, content), { minLength: 2, maxLength: 10 }),
  root: attributes,
  nested: fc.option(attributes, { freq: 3 }),
});

describe.skipIf(lacks('git'))('content that attributes change', () => {
  const folder = temporaryFolder('git-conversions');
  afterAll(() => folder.remove());

  it('equals git archive for every version', async () => {
    const steps = fc
      .sample(tree, { numRuns: versions, seed: 20_260_118 })
      .flatMap(({ files, root, nested }, index): RepositoryStep[] => [
        {
          commit: `tree-${index}`,
          files: {
            'composer.json': '{"name":"acme/lib"}',
            '.gitattributes': root,
            ...(nested === null ? {} : { 'a/.gitattributes': nested }),
            ...Object.fromEntries(files),
          },
        },
        { tag: `1.${index}.0`, at: `tree-${index}`, annotated: index % 2 === 0 },
        { deleteRef: `refs/heads/tree-${index}` },
      ]);
    const repository = createRepository(folder.at('lib'), steps);
    const source = createGitSource({
      location: { kind: 'path', path: repository.path },
      cacheDirectory: folder.at('cache'),
      timeoutMs: 120_000,
      environment: { PATH: testGitEnvironment.PATH },
    });
    const scan = await source.scan(undefined);
    if (scan.outcome !== 'read') throw new Error(JSON.stringify(scan));
    const bytesOf = new Map<string, string>();
    for (const release of scan.releases) {
      const expected = archivedContents(repository, release.reference);
      const found = await contentsOf(release);
      expect([...found.keys()].sort(), release.version).toEqual(
        [...new Set([...expected.keys(), 'composer.json'])].sort(),
      );
      for (const [name, bytes] of expected)
        expect(found.get(name)?.toString('latin1'), `${release.version} ${name}`).toBe(bytes.toString('latin1'));
      // equal identities are deflated once for all versions
      for (const { path: name, identity } of (await listed(release)).files) {
        const bytes = found.get(name)?.toString('latin1') ?? '';
        expect(bytesOf.get(identity) ?? bytes, `${release.version} ${name}`).toBe(bytes);
        bytesOf.set(identity, bytes);
      }
    }
    await source.close();
    expect(scan.releases.length).toBe(versions);
    expect([...bytesOf.keys()].filter((identity) => !identity.startsWith('git:')).length).toBeGreaterThan(100);
  });
});

const listed = ({ content: files }: Release): Promise<ContentListing> =>
  'copyTo' in files ? Promise.reject(new Error('it has an archive of its own')) : files.list();
