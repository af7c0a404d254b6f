// The sources that the recorded builds publish: packages in folders, a git repository, ZIPs, an inline package with its
// archive, advisories and filters. All dates are fixed.

import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { zipOf } from '../../util/hostile-zip.ts';
import { createRepository, openRepository } from '../../util/git-repository.ts';
import { below, libraryTree, writeTree, type Tree } from '../../util/package-tree.ts';
import type { Workspace } from './workspace.ts';

const fixedDate = new Date('2024-01-02T03:04:06Z');
/** 2024-01-01T00:00:00Z, in seconds */
const commitTime = 1_704_067_200;

/** Writes files below `folder`, and gives all of them the same date. */
export function writeDated(folder: string, tree: Tree): void {
  writeTree(folder, tree);
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    utimesSync(join(folder, path), fixedDate, fixedDate);
}

/** A ZIP of one package, ready for an upload. */
export function packageZip(name: string, version: string, more: Readonly<Record<string, unknown>> = {}): Buffer {
  const json = JSON.stringify({ name, version, description: `${name} as a ZIP.`, license: 'MIT', ...more });
  return zipOf([
    { name: 'package/composer.json', data: Buffer.from(json), stored: true },
    { name: 'package/src/Bought.php', data: Buffer.from(`<?php // ${name} ${version}\n`), stored: true },
    { name: 'package/README.md', data: Buffer.from(`# ${name}\n\nVersion ${version}.\n`), stored: true },
  ]);
}

/** Folders: two versions of one library, one that requires it, one that excludes files, and faulty ones. */
export function writeDirectories(workspace: Workspace): void {
  writeDated(workspace.at('packages'), {
    ...below('hello-1.0', {
      ...libraryTree('acme/hello', { version: '1.0.0', time: '2023-06-01T10:00:00+00:00' }),
      'README.md': '# Hello\n\nSays *hello*.\n',
      'CHANGELOG.md': '# Changes\n\n## 1.0.0\n\n- First.\n',
    }),
    ...below('hello-1.1', {
      ...libraryTree('acme/hello', { version: '1.1.0', time: '2023-09-01T10:00:00+00:00', keywords: ['greeting'] }),
      'README.md': '# Hello 1.1\n\n<script>alert(1)</script>\n',
    }),
    ...below('shop', {
      ...libraryTree('acme/shop', {
        version: '2.0.0-beta.1',
        type: 'project',
        require: { php: '>=8.1', 'acme/hello': '^1.0' },
        provide: { 'psr/log-implementation': '1.0' },
        archive: { exclude: ['/docs', '*.log'] },
      }),
      'docs/internal.md': 'not in the archive\n',
      'debug.log': 'nor this\n',
      'bin/shop': { content: '#!/bin/sh\necho shop\n', mode: 0o755 },
      '.gitattributes': '/tests export-ignore\n',
      'tests/ShopTest.php': '<?php\n',
    }),
    ...below('old', libraryTree('acme/old', { version: '0.9.0', abandoned: 'acme/hello' })),
  });
}

/** Versions that cannot be published, each for a different reason. */
export function writeFaulty(workspace: Workspace): void {
  writeDated(workspace.at('faulty'), {
    ...below('no-version', libraryTree('acme/no-version')),
    ...below('bad-version', libraryTree('acme/bad-version', { version: 'one point two' })),
    ...below(
      'bad-constraint',
      libraryTree('acme/bad-constraint', { version: '1.0.0', require: { 'acme/hello': '^^1' } }),
    ),
    ...below('bad-name', { 'composer.json': { json: { name: 'NoVendor', version: '1.0.0' } } }),
    'broken/composer.json': '{"name": "acme/broken",',
    ...below('good', libraryTree('acme/good', { version: '1.0.0' })),
  });
}

/** A work tree with two tags, a branch with an alias, and a second branch. */
export function writeRepository(workspace: Workspace): void {
  const files = (text: string, fields = {}): Record<string, string> => ({
    'composer.json': JSON.stringify({
      name: 'acme/tool',
      description: 'A tool.',
      license: 'MIT',
      extra: { 'branch-alias': { 'dev-main': '2.x-dev' } },
      ...fields,
    }),
    'src/Tool.php': `<?php // ${text}\n`,
    'README.md': `# Tool\n\n${text}\n`,
  });
  createRepository(workspace.at('tool'), [
    { commit: 'main', files: files('first'), authorTime: commitTime },
    { tag: 'v1.0.0', at: 'main' },
    {
      commit: 'main',
      files: { ...files('second', { require: { 'acme/hello': '^1.0' } }), 'CHANGELOG.md': '# Changes\n\n- Second.\n' },
      authorTime: commitTime + 3600,
    },
    { tag: '1.1.0', at: 'main', annotated: true },
    { commit: 'main', files: files('third'), authorTime: commitTime + 7200 },
    { branch: 'feature/x', from: 'main' },
    { tag: 'nonsense', at: 'main' },
  ]);
}

/** Adds a commit to the branch. */
export function pushCommit(workspace: Workspace): void {
  openRepository(workspace.at('tool'), [
    { commit: 'main', files: { 'src/Tool.php': '<?php // fourth\n' }, authorTime: commitTime + 10_800 },
  ]);
}

/** ZIPs of a vendor, one of them unsafe. */
export function writeZips(workspace: Workspace): void {
  writeDated(workspace.at('bought'), {
    'widget-1.0.0.zip': packageZip('bought/widget', '1.0.0'),
    'widget-1.2.0.zip': packageZip('bought/widget', '1.2.0', { require: { php: '>=8.2' } }),
    'unsafe.zip': zipOf([{ name: '../escape.php', data: Buffer.from('<?php'), stored: true }]),
  });
}

const advisories = [
  {
    advisoryId: 'ACME-2026-1',
    packageName: 'acme/hello',
    affectedVersions: '<1.1.0',
    title: 'Greets everybody',
    cve: 'CVE-2026-0001',
    link: 'https://acme.example/1',
    severity: 'high',
    reportedAt: '2026-03-01T12:00:00+00:00',
  },
  {
    advisoryId: 'ACME-2026-2',
    packageName: 'acme/tool',
    affectedVersions: '*',
    title: 'A blunt tool',
    reportedAt: '2026-04-01T12:00:00+00:00',
  },
];

/** The libretto.json of a recorded registry; `more` overrides its fields. */
export function writeConfiguration(workspace: Workspace, more: Readonly<Record<string, unknown>> = {}): void {
  writeDated(workspace.at('inline'), { 'inline-3.0.0.zip': packageZip('acme/inline', '3.0.0') });
  const inline = {
    name: 'acme/inline',
    version: '3.0.0',
    license: 'MIT',
    dist: { type: 'zip', url: 'inline/inline-3.0.0.zip', reference: 'abc123' },
  };
  const configuration = {
    name: 'Packages of Acme',
    description: 'What Acme publishes.',
    homepage: 'https://acme.example',
    data: 'data',
    sources: [
      'packages',
      { type: 'git', path: 'tool', branches: ['main', 'feature/*'] },
      { type: 'artifact', path: 'bought' },
      { type: 'package', packages: [inline] },
    ],
    abandoned: { 'bought/widget': 'acme/hello' },
    advisories: 'advisories.json',
    filters: {
      malware: [
        {
          package: 'bought/widget',
          constraint: '1.0.0',
          reason: 'The release was stolen',
          url: 'https://acme.example/incident',
        },
      ],
    },
    ...more,
  };
  writeTree(workspace.at(), { 'advisories.json': { json: advisories }, 'libretto.json': { json: configuration } });
}

/** All sources except the faulty ones. */
export function writeSources(workspace: Workspace): void {
  writeDirectories(workspace);
  writeRepository(workspace);
  writeZips(workspace);
  writeConfiguration(workspace);
}
