// The packages of the tests of the catalogue: several versions with texts, more dependents and packages than fit on one
// page, an abandoned package, one with an advisory, a branch, and one whose every text attacks the page.

import { below, type Tree } from './package-tree.ts';
import { whoLibrary } from './who-library.ts';

const readme = `# Billing

Invoices, **dunning** and SEPA export.

See [the manual](https://elsewhere.example/manual) and [a file](docs/file.md).

![A diagram](https://elsewhere.example/diagram.png)
`;
const changelog = '# Changelog\n\n## 2.4.0\n\n- Rounds taxes by line.\n';

/** Runs as soon as it becomes an element. */
export const attack = '"><img src=x onerror="document.title=1"><script>document.title=1</script>';

const billing = (version: string): Tree => ({
  ...whoLibrary('acme/billing', version, {
    description: 'Invoices, dunning and SEPA export.',
    keywords: ['invoice'],
    homepage: 'https://elsewhere.example/billing',
    authors: [{ name: 'Grace Hopper' }],
    require: { php: '>=8.1', 'acme/core': '^1.0', 'other/library': '*' },
    suggest: { 'acme/old': 'for invoices of last year' },
  }),
  'README.md': readme,
  'CHANGELOG.md': changelog,
});

const hostile: Tree = {
  ...whoLibrary('acme/hostile', '1.0.0', {
    description: attack,
    keywords: [attack],
    homepage: 'javascript:document.title=1',
    support: { docs: 'javascript:document.title=1', source: `https://elsewhere.example/${attack}` },
    authors: [{ name: attack, homepage: 'javascript:document.title=1' }],
    license: attack,
    type: 'library',
    suggest: { 'ext-intl': attack },
  }),
  'README.md': `${attack}\n\n[link](javascript:document.title=1)\n`,
  'CHANGELOG.md': attack,
};

const small = (at: number): Tree =>
  below(
    `packages/small-${at}`,
    whoLibrary(`small/package-${String(at).padStart(2, '0')}`, '1.0.0', { require: { 'acme/core': '^1.0' } }),
  );

/** One line for Composer's rules of advisories. */
const advisories = {
  advisories: {
    'acme/billing': [
      {
        advisoryId: 'ACME-2026-1',
        packageName: 'acme/billing',
        affectedVersions: '<2.4.0',
        title: 'Invoices without taxes',
        cve: null,
        link: 'https://elsewhere.example/advisory',
        reportedAt: '2026-11-01T00:00:00+00:00',
        sources: [{ name: 'acme', remoteId: 'ACME-2026-1' }],
      },
    ],
    'acme/hostile': [
      {
        advisoryId: 'MAL-2026-1',
        packageName: 'acme/hostile',
        affectedVersions: '*',
        title: 'Steals keys',
        cve: null,
        link: null,
        reportedAt: '2026-11-01T00:00:00+00:00',
        sources: [{ name: 'acme', remoteId: 'MAL-2026-1' }],
      },
    ],
  },
};

/** Sources in `packages`, and a libretto.json for them. */
export const cataloguePackages: Tree = {
  ...below('packages/billing-2.0.0', billing('2.0.0')),
  ...below('packages/billing-2.4.0', billing('2.4.0')),
  ...below('packages/core', whoLibrary('acme/core', '1.2.0')),
  ...below('packages/core-dev', whoLibrary('acme/core', undefined)),
  ...below('packages/old', whoLibrary('acme/old', '1.0.0', { abandoned: 'acme/core' })),
  ...below('packages/dotted', whoLibrary('acme/name.with.dots', '1.0.0')),
  ...below('packages/hostile', hostile),
  ...Object.assign({}, ...Array.from({ length: 52 }, (_, at) => small(at))),
  'advisories.json': { json: advisories },
  'libretto.json': {
    json: {
      name: 'Packages of Acme',
      publicUrl: 'https://packages.example.org',
      sources: ['packages'],
      advisories: 'advisories.json',
    },
  },
};
