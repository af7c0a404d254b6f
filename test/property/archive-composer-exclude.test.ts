// Compares random archive.exclude rules with Composer's own PHP class: both exclude the same paths. One PHP process
// answers all cases.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fc } from '../util/seeded-check.ts';
import { describe, expect, it } from 'vitest';
import { compileComposerExcludes } from '../../build/archive/rules/composer-exclude.ts';
import { lacks, toolPath } from '../util/tool.ts';
import { playsSeries } from '../util/series.ts';

/** The folder of the classes in Debian's composer package; a composer.phar does not offer them. */
const composerClasses = '/usr/share/php/Composer/autoload.php';

const script = `
require ${JSON.stringify(composerClasses)};
error_reporting(0);
$answers = [];
foreach (json_decode(stream_get_contents(STDIN), true) as [$rules, $paths]) {
    $filter = new Composer\\Package\\Archiver\\ComposerExcludeFilter('/', $rules);
    foreach ($paths as $path) $answers[] = [$filter->filter('/' . $path, false), $filter->filter('/' . $path, true)];
}
echo json_encode($answers);
`;

const names = [
  'a',
  'b',
  'ab',
  'docs',
  'Docs',
  'foo.php',
  'foo.txt',
  'xdocs',
  '.hidden',
  '.a',
  'a b',
  'é',
  '[x]',
  'a-b',
  '#c',
  '!d',
  'q*',
  '{b}',
  'b,c',
  'a+b',
  '$x',
  '^y',
  '1',
  '(z)',
  ']',
];
const name = fc.constantFrom(...names);
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'));
const pieces = [
  '*',
  '**',
  '***',
  '?',
  '*.php',
  'foo*',
  '{a,b}',
  '{foo,docs}.{php,txt}',
  '{a,{b,docs}}',
  '{,a}b',
  '{a',
  'a}',
  '}',
  '\\{b\\}',
  '\\}',
  '[ab]',
  '[!a]',
  '[^a]',
  '[a-z]*',
  '[[:alpha:]]',
  '[[:digit:][:upper:]]*',
  '[[:nope:]]',
  '[:alpha:]',
  '[]a]',
  '[',
  ']',
  '[*]',
  '[?]',
  '[a/b]',
  '[z-a]',
  '[a.b]',
  '[[=a=]]',
  '\\*',
  '\\?',
  '\\a',
  '\\\\',
  '\\',
  '\\/**',
  '\\[x\\]',
  'a,b',
  '.',
  '..',
  '.*',
  '(',
  ')',
  '|',
  '+',
  '^',
  '$',
  '#',
  ' ',
  '[x',
  'a]',
];
const piece = fc.oneof(name, fc.constantFrom(...pieces));
const rule = fc
  .tuple(
    fc.constantFrom('', '', '', '/', '//', '!', '!!', '!/'),
    fc.array(piece, { maxLength: 4 }),
    fc.constantFrom('/', '/', ''),
    fc.constantFrom('', '', '/', '/**', '//'),
  )
  .map(([start, parts, joint, end]) => `${start}${parts.join(joint)}${end}`);
const sample = fc.tuple(
  fc.array(rule, { minLength: 1, maxLength: 3 }),
  fc.array(path, { minLength: 1, maxLength: 12 }),
);

describe.skipIf(lacks('php', 'composer') || !existsSync(composerClasses))('archive.exclude', () => {
  it('archive.exclude excludes the same paths as Composer', () => {
    const samples = fc.sample(sample, { numRuns: playsSeries ? 20_000 : 1500, seed: 20_250_101 });
    const theirs: unknown = JSON.parse(
      execFileSync(toolPath('php'), ['-d', 'pcre.jit=0', '-r', script], {
        input: JSON.stringify(samples),
        maxBuffer: 1 << 28,
      }).toString(),
    );
    const ours = samples.flatMap(([rules, paths]) => {
      const filter = compileComposerExcludes(rules, () => {});
      return paths.map((path) => ({ rules, path, answer: [filter(path, false), filter(path, true)] }));
    });
    expect(Array.isArray(theirs) && theirs.length).toBe(ours.length);
    const different = ours.filter(
      ({ answer }, index) => JSON.stringify(answer) !== JSON.stringify((theirs as unknown[])[index]),
    );
    expect(different.slice(0, 10)).toEqual([]);
    expect(ours.filter(({ answer }) => answer[0]).length).toBeGreaterThan(samples.length / 4);
  });
});
