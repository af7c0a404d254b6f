// `npm run measure [-- REVISION…]`: how large the program is, as a table with a column for each revision of git.
// Without one, it measures the tracked files as they are now.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';

const root = dirname(import.meta.dirname);
const git = (...args) => execFileSync('git', args, { cwd: root, maxBuffer: 2 ** 30 });

/** Texts by path. A file with a NUL byte has no lines. */
function readTexts(folder, paths) {
  const files = paths.filter((path) => existsSync(join(folder, path)) && statSync(join(folder, path)).isFile());
  const bytes = files.map((path) => [path, readFileSync(join(folder, path))]);
  return new Map(bytes.filter(([, content]) => !content.includes(0)).map(([path, content]) => [path, String(content)]));
}

/** The texts of a revision, from a copy of it; of the working tree without one. */
function textsOf(revision) {
  if (revision === undefined) return readTexts(root, String(git('ls-files', '-z')).split('\0').filter(Boolean));
  const folder = mkdtempSync(join(tmpdir(), 'libretto-measure-'));
  try {
    execFileSync('tar', ['-x', '-C', folder], { input: git('archive', revision) });
    return readTexts(folder, readdirSync(folder, { recursive: true }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const linesOf = (text) => text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
const below = (texts, ...folders) =>
  [...texts].filter(([path]) => folders.some((folder) => path.startsWith(`${folder}/`)));
const linesBelow = (texts, ...folders) => sum(below(texts, ...folders).map(([, text]) => linesOf(text)));
const entriesOf = (text = '', pattern) => (text.match(pattern) ?? []).length;

/** Whole statements, which may have several lines. */
const importsOf = (text) => text.match(/^(?:import|export) [^;'"]*?(?:from )?'[^'\n]+';$/gm) ?? [];

/** How many files of the program import each path. */
function importersOf(sources) {
  const counts = new Map();
  for (const [path, text] of sources) {
    const targets = [...text.matchAll(/(?:from |import\(|import )'(\.[^'\n]+)'/g)].map(([, target]) =>
      resolve('/', dirname(path), target).slice(1),
    );
    for (const target of new Set(targets)) counts.set(target, (counts.get(target) ?? 0) + 1);
  }
  return counts;
}

/** What people and programs see of an operation: a command and its text, the API, a page, and the operation itself. */
const facePath =
  /^(?:cli\/(?:commands|program|render|text)|proxy\/(?:console|manage|registry|surfaces))\/|^proxy\/[\w/-]+\/(?:operations|(?:connection|endpoint|hook|job|publisher|user)-schema)\.ts$/;

/** The rows of the permission table, one for each operation. */
const operationsOf = (text = '') =>
  entriesOf(/const apiPermissions = \{(.*?)\n\} as const/s.exec(text)?.[1], /^ {2}\w+: /gm);

/** Rows of the table: a name, and its number. */
function measure(texts) {
  const sources = below(texts, 'cli', 'build', 'proxy').filter(([path]) => /\.tsx?$/.test(path));
  const lengths = sources.map(([, text]) => linesOf(text)).sort((one, other) => one - other);
  const importers = importersOf(sources);
  const small = sources.filter(([path, text]) => linesOf(text) <= 60 && importers.get(path) === 1);
  const operations = operationsOf(texts.get('proxy/auth/permissions.ts'));
  const faces = sum(sources.filter(([path]) => facePath.test(path)).map(([, text]) => linesOf(text)));
  return {
    'lines of the program (cli, build, proxy)': sum(lengths),
    'files of the program': sources.length,
    'lines of a file, the median': lengths[Math.floor(lengths.length / 2)] ?? 0,
    'lines of imports': sum(sources.flatMap(([, text]) => importsOf(text).map(linesOf))),
    'files of at most 60 lines with one importer': small.length,
    'lines of proxy/core': linesBelow(texts, 'proxy/core'),
    'lines in git': sum([...texts.values()].map(linesOf)),
    'lines of test/': linesBelow(texts, 'test'),
    'lines of recordings': linesBelow(texts, 'test/recorded/recordings'),
    'lines of docs/': linesBelow(texts, 'docs'),
    'modules with rules (modules.json)': entriesOf(texts.get('test/architecture/modules.json'), /"imports":/g),
    'entries in DECISIONS.md': entriesOf(texts.get('docs/DECISIONS.md'), /^### D\d+\. /gm),
    'operations of the API': operations,
    'lines of commands, API and console for an operation': Math.round(faces / Math.max(operations, 1)),
  };
}

const revisions = process.argv.slice(2);
const columns = (revisions.length === 0 ? [undefined] : revisions).map((revision) => ({
  title: revision ?? 'now',
  rows: measure(textsOf(revision)),
}));
const names = Object.keys(columns[0].rows);
const width = Math.max(...names.map((name) => name.length));
const line = (name, cells) => `${name.padEnd(width)}${cells.map((cell) => String(cell).padStart(12)).join('')}\n`;
process.stdout.write(
  line(
    '',
    columns.map(({ title }) => title),
  ),
);
for (const name of names)
  process.stdout.write(
    line(
      name,
      columns.map(({ rows }) => rows[name]),
    ),
  );
