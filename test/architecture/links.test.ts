// Tests that every link in the documentation leads to a target. Pages, decisions, rows, figures and invariants in code
// and tests exist in docs/, and so do the files that the documentation of the architecture names.

import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commentsOf, linksOf, markdownPages, numbersAfter, pathsIn } from './links.ts';
import { root, sourceFiles } from './source-files.ts';

const pages = markdownPages();
const pageAt = new Map(pages.map((page) => [page.path, page]));
const product = sourceFiles('cli', 'build', 'proxy');
const tests = sourceFiles('test');
const page = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The first cell of each row that is `prefix` and a number. */
const idsIn = (text: string, prefix: string): ReadonlySet<number> =>
  new Set([...text.matchAll(new RegExp(`^\\| ${prefix}(\\d+) \\|`, 'gm'))].map((match) => Number(match[1])));

const reliability = page('docs/reliability.md');
const known = {
  row: idsIn(reliability, ''),
  figure: idsIn(reliability, 'F'),
  invariant: idsIn(page('docs/INVARIANTS.md'), 'I'),
  decision: new Set(
    [...page('docs/DECISIONS.md').matchAll(/<a id="d(\d+)"><\/a>\n\n### D(\d+)\. /g)].map((match) =>
      match[1] === match[2] ? Number(match[1]) : NaN,
    ),
  ),
};

/** The ids in a text that docs/ does not have. */
function unknownIds(text: string): string[] {
  const single = (letter: string): number[] =>
    [...text.matchAll(new RegExp(`\\b${letter}(\\d{1,2})\\b`, 'g'))].map((match) => Number(match[1]));
  const lost = (numbers: readonly number[], ids: ReadonlySet<number>, name: string): string[] =>
    numbers.filter((id) => !ids.has(id)).map((id) => `${name} ${id}`);
  return [
    ...lost([...numbersAfter('row', text), ...numbersAfter('case', text)], known.row, 'row'),
    ...lost(numbersAfter('decision', text), known.decision, 'decision'),
    ...lost(single('F'), known.figure, 'F'),
    ...lost(single('I'), known.invariant, 'I'),
  ];
}

/** The comments of each file, and the titles of tests that name an id. */
const proseOf = new Map(
  [...product, ...tests].map((file) => {
    const titles = file.text.match(/['"`][^'"`\n]*\b(?:(?:row|case)s? \d|F\d|I\d)[^'"`\n]*['"`]/g) ?? [];
    return [file.path, [commentsOf(file), ...titles].join('\n')];
  }),
);

describe('the documentation', () => {
  it('has links to existing files and anchors', () => {
    const broken = pages.flatMap((from) =>
      linksOf(from)
        .filter(({ path, anchor }) => {
          if (!existsSync(join(root, path))) return true;
          const target = pageAt.get(path);
          return anchor !== undefined && target !== undefined && !target.anchors.has(anchor);
        })
        .map(({ target }) => `${from.path} -> ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it('lists every page in docs/README.md, and each command in the page of commands', () => {
    const indexes = [pageAt.get('docs/README.md'), pageAt.get('docs/reference/cli.md')];
    const listed = new Set(
      indexes.flatMap((index) => (index === undefined ? [] : linksOf(index))).map(({ path }) => path),
    );
    const pagesOfDocs = [...pageAt.keys()].filter((path) => path.startsWith('docs/') && path !== 'docs/README.md');
    expect(pagesOfDocs.filter((path) => !listed.has(path))).toEqual([]);
  });

  it('has a glossary in alphabetical order, with an entry for each word in italics', () => {
    const rows = [...page('docs/reference/glossary.md').matchAll(/^\| ([^|]+) \| (.+) \|$/gm)].slice(2);
    const words = rows.map(([, word = '']) => word.toLowerCase().replaceAll(/[^a-z0-9 ]/g, ''));
    expect(words).toEqual(words.toSorted((one, other) => (one < other ? -1 : 1)));
    const names = new Set(rows.flatMap(([, word = '']) => word.toLowerCase().split(/, | \(/)));
    const singular = (word: string): string => word.replace(/ies$/, 'y').replace(/s$/, '');
    const italics = rows.flatMap(([, , text = '']) =>
      [...text.replaceAll(/`[^`]*`|\]\([^)]*\)/g, '').matchAll(/_([^_]+)_/g)].map((match) =>
        (match[1] ?? '').toLowerCase(),
      ),
    );
    expect(italics.filter((word) => !names.has(word) && !names.has(singular(word)))).toEqual([]);
    expect(names.size).toBeGreaterThan(100);
  });

  it('names existing source files', () => {
    const names = new Set([...product, ...tests].map(({ path }) => basename(path)));
    const isPath = /^(?:cli|build|proxy|test)\/\S*\.(?:ts|mjs)$|^(?:cli|proxy|test|packages-src)\/\S*\/$/;
    const missing = (path: string): boolean =>
      isPath.test(path) ? !existsSync(join(root, path)) : /^[a-z0-9-]+\.ts$/.test(path) && !names.has(path);
    expect(
      ['ARCHITECTURE.md', 'DECISIONS.md', 'INVARIANTS.md', 'reliability.md'].flatMap((name) =>
        pathsIn(page(`docs/${name}`))
          .filter(missing)
          .map((path) => `${name}: ${path}`),
      ),
    ).toEqual([]);
  });

  it('gives the reason for each dependency in the table of libraries', () => {
    const table = page('docs/DECISIONS.md').split('\n## Libraries\n').at(-1) ?? '';
    const words = new Set(table.split(/[\s|,]+/));
    const { dependencies, devDependencies } = JSON.parse(page('package.json')) as Record<string, object>;
    const names = Object.keys({ ...dependencies, ...devDependencies }).filter((name) => !name.startsWith('@types/'));
    expect(names.filter((name) => !words.has(name))).toEqual([]);
  });

  it('gives each row and figure one number, without a gap', () => {
    const { decision: _, ...numbered } = known;
    for (const ids of Object.values(numbered))
      expect([...ids].sort((a, b) => a - b)).toEqual(Array.from({ length: ids.size }, (_, at) => at + 1));
  });

  it('gives each decision a number of its own', () => {
    const numbers = [...page('docs/DECISIONS.md').matchAll(/^### D(\d+)\. /gm)].map((match) => Number(match[1]));
    expect(numbers.filter((number, at) => numbers.indexOf(number) !== at)).toEqual([]);
    expect(numbers.filter((number) => !known.decision.has(number))).toEqual([]);
  });
});

describe('code and tests', () => {
  it('name existing decisions, rows, figures and invariants of docs/', () => {
    const lost = [...proseOf].flatMap(([path, prose]) => unknownIds(prose).map((id) => `${path}: ${id}`));
    expect(lost).toEqual([]);
  });

  it('name existing pages', () => {
    const texts = [
      ...product.map(({ path, text }) => ({ path, text })),
      ...tests.map((file) => ({ path: file.path, text: commentsOf(file) })),
    ];
    const lost = texts.flatMap(({ path, text }) =>
      [...text.matchAll(/\bdocs\/[\w/.-]+\.(?:md|json)\b(?:#([\w-]+))?/g)]
        .filter(([named, anchor]) => {
          const target = named.split('#', 1)[0] ?? '';
          if (!existsSync(join(root, target))) return true;
          return anchor !== undefined && pageAt.get(target)?.anchors.has(anchor) === false;
        })
        .map(([named]) => `${path}: ${named}`),
    );
    expect(lost).toEqual([]);
  });

  it('name the row or figure for which the list of faults names them', () => {
    const rows = reliability.matchAll(/^\| (F?)(\d+) \|.* \| (.*) \|$/gm);
    const silent = [...rows].flatMap(([, letter = '', id = '', cell = '']) =>
      pathsIn(cell)
        .filter((path) => {
          const prose = proseOf.get(path);
          if (prose === undefined) return false;
          return letter === 'F'
            ? !new RegExp(`\\bF${id}\\b`).test(prose)
            : !numbersAfter('row', prose).includes(Number(id));
        })
        .map((path) => `${letter}${id}: ${path}`),
    );
    expect(silent).toEqual([]);
  });
});
