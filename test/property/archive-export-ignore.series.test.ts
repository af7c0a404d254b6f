// Compares random trees with random .gitattributes with git: selectFiles selects exactly the files of `git archive`.
// One `git fast-import` writes all trees into one repository, and git archives each.

import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fc } from '../util/seeded-check.ts';
import { selectFiles } from '../../build/archive/select.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { playsSeries } from '../util/series.ts';

const trees = playsSeries ? 250 : 100;

type Tree = ReadonlyMap<string, string>;

// few common names, so that patterns match paths, and some odd ones
const name = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'b', 'ab', 'foo.php') },
  fc.constantFrom('docs', 'Docs', 'foox', '.hidden', 'a b', 'é', 'x[1]', 'a-b', '#c', '!d', 'q*', 'back\\slash'),
);
const filePath = fc.array(name, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'));
const wildcard = fc.constantFrom(
  '*',
  '**',
  '***',
  '?',
  '??',
  '*.php',
  'foo*',
  'foo**',
  '*b',
  'a*',
  '[ab]',
  '[!a]',
  '[^b]*',
  '[a-z]*',
  '[[:alpha:]]',
  '[[:upper:]]*',
  '[]a]',
  '[a',
  '[[:nope:]]',
  'f?o*',
  '\\#c',
  '\\!d',
  'x\\[1\\]',
  'q\\*',
  'back\\\\slash',
  'a\\',
  '\\a',
  '?**',
  'a?**',
  '*b**',
  'a[!x]b',
  'b[^x]a*',
);
const segment = fc.oneof(
  { weight: 3, arbitrary: name },
  { weight: 2, arbitrary: wildcard },
  fc.tuple(wildcard, name).map((both) => both.join('')),
);
const rawPattern = fc
  .tuple(
    fc.constantFrom('', '', '', '', '/', '/', '**/', '!'),
    fc.oneof(
      segment.map((one) => [one]),
      fc.array(segment, { minLength: 1, maxLength: 3 }),
    ),
    fc.constantFrom('', '', '', '', '/', '/**', '//'),
  )
  .map(([start, segments, end]) => `${start}${segments.join('/')}${end}`);
const quote = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('é', '\\303\\251').replaceAll('b', '\\142')}"`;
const pattern = rawPattern.chain((raw) =>
  raw.includes(' ') ? fc.constant(quote(raw)) : fc.constantFrom(raw, raw, raw, quote(raw)),
);
const set = fc.oneof({ weight: 4, arbitrary: fc.constant('export-ignore') }, fc.constantFrom('hide', 'deeper'));
const state = fc.oneof(
  { weight: 7, arbitrary: set },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom('-', '!'), set).map((both) => both.join('')) },
  fc.constantFrom('export-ignore=no', 'hide=', 'text', 'diff=php', '-', 'bad,name'),
);
const rule = fc
  .tuple(
    fc.constantFrom('', '', '', ' ', '\t'),
    pattern,
    fc.constantFrom(' ', ' ', ' ', ' ', ' ', ' ', '\t ', ''),
    fc.array(state, { minLength: 1, maxLength: 2 }),
    fc.constantFrom('', '', ' ', '\r'),
  )
  .map(([indent, text, gap, states, end]) => `${indent}${text}${gap}${states.join(' ')}${end}`);
const macro = fc.constantFrom(
  '[attr]hide export-ignore',
  '[attr]deeper hide -text',
  '[attr]hide -export-ignore',
  '[attr]hide export-ignore -deeper',
  '[attr]bad,name export-ignore',
  '[attr] export-ignore',
  '"[attr]hide" export-ignore',
);
const oddity = fc.constantFrom(
  '# comment export-ignore',
  '',
  'a',
  '"unfinished export-ignore',
  '"a"export-ignore',
  `a${' '.repeat(2030)}export-ignore`,
  `a${' '.repeat(2040)}export-ignore`,
  '\ufeffa export-ignore',
  'a\0 export-ignore',
);
const line = fc.oneof({ weight: 12, arbitrary: rule }, { weight: 3, arbitrary: macro }, oddity);
const attributes = fc.array(line, { minLength: 1, maxLength: 6 }).map((lines) => lines.join('\n'));

const tree: fc.Arbitrary<Tree> = fc
  .record({
    files: fc.array(filePath, { minLength: 6, maxLength: 16 }),
    macros: fc.subarray(['[attr]hide export-ignore', '[attr]deeper hide'], { minLength: 0 }),
    root: attributes,
    nested: fc.array(fc.tuple(filePath, attributes), { maxLength: 2 }),
  })
  .map(({ files, macros, root, nested }) => {
    const kept = new Map<string, string>([['.gitattributes', [...macros, root].join('\n')]]);
    const add = (path: string, text: string): void => {
      const parents = path.split('/').map((_, index, all) => all.slice(0, index).join('/'));
      const clash =
        parents.some((parent) => kept.has(parent)) || [...kept.keys()].some((other) => other.startsWith(`${path}/`));
      if (!clash) kept.set(path, text);
    };
    for (const [folder, text] of nested) add(`${folder}/.gitattributes`, text);
    for (const path of files) add(path, '');
    return kept;
  });

describe.skipIf(lacks('git'))('export-ignore', () => {
  const folder = temporaryFolder('export-ignore');
  const environment = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder.path,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
  };
  const git = (args: readonly string[], input = ''): Buffer =>
    execFileSync('git', args, {
      cwd: folder.path,
      env: environment,
      input,
      stdio: ['pipe', 'pipe', 'ignore'],
      maxBuffer: 1 << 28,
    });
  const samples = fc.sample(tree, { numRuns: trees, seed: 20_250_101 });

  beforeAll(() => {
    git(['init', '--quiet', '--bare', '.']);
    git(['fast-import', '--quiet'], samples.map(commitOf).join(''));
  });
  afterAll(() => folder.remove());

  it('export-ignore selects the same files as git archive', async () => {
    let leftOut = 0;
    for (const [index, sample] of samples.entries()) {
      const listed = filesOfTar(git(['archive', '--format=tar', `refs/heads/t${index}`]));
      // composer.json and credentials have rules of their own; no tree here has any
      const found = await selectFiles(
        [...sample.keys()].map((path) => ({ path })),
        { attributes: attributeFilesOf(sample), excludes: [] },
      );
      expect(found.files.map(({ path }) => path).toSorted(), describeTree(sample)).toEqual(listed.toSorted());
      leftOut += sample.size - listed.length;
    }
    expect(leftOut, 'a test of rules that leave nothing out proves nothing').toBeGreaterThan(trees);
  });
});

function attributeFilesOf(sample: Tree): { readonly directory: string; readonly text: string }[] {
  return [...sample]
    .filter(([path]) => /(?:^|\/)\.gitattributes$/.test(path))
    .map(([path, text]) => ({ directory: path.replace(/\/?\.gitattributes$/, ''), text }));
}

function describeTree(sample: Tree): string {
  return [...sample]
    .map(([path, text]) => `${path}${text === '' ? '' : `:\n${text.replace(/^/gm, '    ')}`}`)
    .join('\n');
}

function commitOf(sample: Tree, index: number): string {
  const files = [...sample].map(
    ([path, text]) => `M 100644 inline ${JSON.stringify(path)}\ndata ${Buffer.byteLength(text)}\n${text}\n`,
  );
  return `commit refs/heads/t${index}\ncommitter T <t@example.org> 0 +0000\ndata 0\n${files.join('')}\n`;
}

/** Names of the regular files; git's tar has ustar headers only, because these names are short. */
function filesOfTar(tar: Buffer): string[] {
  const files: string[] = [];
  for (let at = 0; at + 512 <= tar.length && tar[at] !== 0;) {
    const header = tar.subarray(at, at + 512);
    const text = (start: number, length: number): string =>
      header
        .subarray(start, start + length)
        .toString('utf8')
        .replace(/\0.*$/s, '');
    const prefix = text(345, 155);
    if (text(156, 1) === '0') files.push(prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`);
    at += 512 + Math.ceil(Number.parseInt(text(124, 12), 8) / 512) * 512;
  }
  return files;
}
