// `npm run release`: makes the files of a release. It changes nothing else: no tag, no upload.
//
//   released/libretto-VERSION.tgz       the package, for `npm install -g`
//   released/libretto-VERSION.cdx.json  what is inside, as CycloneDX
//   released/RELEASE-NOTES.md           the section of CHANGELOG.md
//   released/SHA256SUMS                 checksums, for `sha256sum -c`
//
// The same commit gives the same bytes in every clone, for every user, at any time.

import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { sectionOf } from './changelog.mjs';
import { completePackage } from './complete-package.mjs';
import { writeDocuments } from './documents.mjs';
import { packTarball } from './tarball.mjs';

const root = dirname(import.meta.dirname);
const say = (text) => process.stdout.write(`${text}\n`);
const read = (path) => readFileSync(join(root, path), 'utf8');

/** The most that an installed package takes on the disk. */
const mostInstalledMegabytes = 25;

/** The text as one word of a shell. */
const shellWord = (text) => (/^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`);

/** The release cannot be made: a message for people. */
class Refused extends Error {}

const options = {
  out: { type: 'string', default: join(root, 'released') },
  draft: { type: 'boolean', default: false },
  'skip-audit': { type: 'boolean', default: false },
  'this-system': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
};

const help = `npm run release -- [--out DIRECTORY] [--draft] [--skip-audit] [--this-system]

Makes the package, its checksums, its list of contents and the release notes in DIRECTORY (released).

  --draft        a package to look at, from any state of the folder and the changes under "Unreleased"
  --skip-audit   without a look at known advisories, where the registry cannot be asked
  --this-system  a package for this system alone, without binaries that npm would have to fetch

Example: npm run release -- --out /tmp/release`;

const orDraft = 'or make a draft: npm run release -- --draft';

/** What git says, or undefined without git or a repository. */
function git(...args) {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trimEnd() : undefined;
}

function refuseDirtyTree() {
  const changes = git('status', '--porcelain');
  if (changes === undefined)
    throw new Refused(
      `${root} is no git repository, so nobody could tell what is in the package. Release from a clone.`,
    );
  if (changes === '') return;
  const paths = changes.split('\n').map((line) => line.slice(3));
  const [first, ...others] = paths;
  throw new Refused(
    others.length === 0
      ? `1 file differs from the last commit: ${first}. Commit or remove it, ${orDraft}`
      : `${paths.length} files differ from the last commit, such as ${first}. Commit or remove them, ${orDraft}`,
  );
}

function refuseReleasedVersion(version) {
  const tagged = git('rev-parse', '--verify', '--quiet', `refs/tags/v${version}^{commit}`);
  if (tagged !== undefined && tagged !== git('rev-parse', 'HEAD'))
    throw new Refused(
      `Version ${version} is released already: the tag v${version} is at ${tagged.slice(0, 8)}. ` +
        'Raise "version" in package.json and build/contract/libretto-version.ts.',
    );
}

/** The release notes. */
function notesOf(version, isDraft) {
  const changelog = read('CHANGELOG.md');
  const unreleased = sectionOf(changelog, 'Unreleased') ?? '';
  if (isDraft) return unreleased;
  const notes = sectionOf(changelog, version) ?? '';
  if (notes === '')
    throw new Refused(`CHANGELOG.md has no section "## ${version}". Give the changes of this version that heading.`);
  if (unreleased !== '')
    throw new Refused(
      `CHANGELOG.md has changes under "Unreleased", and version ${version} would contain them. Give them the heading of ` +
        `a version, and raise "version" in package.json and build/contract/libretto-version.ts, ${orDraft}`,
    );
  return notes;
}

function audit() {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['release/audit.mjs'], {
    cwd: root,
    encoding: 'utf8',
  });
  say(`${stdout}${stderr}`.trim());
  if (status === 69)
    throw new Refused(
      'Advisories are unknown. Try again later, or release without them: ' +
        `npm run release -- ${values.draft ? '--draft ' : ''}--skip-audit`,
    );
  if (status === 1) throw new Refused('A known advisory concerns the package or a tool that makes it: see above.');
  if (status !== 0) throw new Refused('The audit did not run: see above.');
}

async function completeLibraries(onlyThisSystem) {
  const missing = await completePackage(root, { mayFetch: !onlyThisSystem });
  if (missing.length === 0) return;
  if (!onlyThisSystem)
    throw new Refused(
      `Binaries for other systems are missing: ${missing.map(({ name, reason }) => `${name} (${reason})`).join('; ')}. ` +
        'Run this command where npm reaches its registry, or make a package for this system: --this-system',
    );
  say(`The package is for this system alone: ${missing.map(({ name }) => name).join(', ')} left out (--this-system).`);
}

/** The paths in the package: `files` of package.json, as npm understands it. */
function packagedPaths() {
  const listing = execFileSync('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return JSON.parse(listing)[0].files.map(({ path }) => path);
}

function refuseLargePackage(paths) {
  const blocks = paths.map((path) => Math.ceil(statSync(join(root, path)).size / 4096) * 4096);
  const megabytes = blocks.reduce((sum, size) => sum + size, 0) / 2 ** 20;
  if (megabytes > mostInstalledMegabytes)
    throw new Refused(
      `Installed, the package would take ${megabytes.toFixed(1)} MB, and ${mostInstalledMegabytes} MB are allowed. ` +
        'See what is large with: npm pack --dry-run --ignore-scripts',
    );
  return megabytes;
}

async function tarball(paths) {
  const { bin } = JSON.parse(read('package.json'));
  const { createCompressor } = await import('../lib/cli/compressor.js');
  const compressor = createCompressor();
  const deflate = (bytes) => {
    const parts = [];
    for (let at = 0; at < bytes.length; at += compressor.stepBytes) {
      const isLast = at + compressor.stepBytes >= bytes.length;
      parts.push(Buffer.from(compressor.deflate(bytes.subarray(at, at + compressor.stepBytes), isLast)));
    }
    return Buffer.concat(parts);
  };
  return packTarball(root, paths, { executable: Object.values(bin), deflate });
}

/** Writes the files with SHA256SUMS, and returns the checksums. Other files of the folder stay. */
function writeRelease(out, files) {
  mkdirSync(out, { recursive: true });
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(out, name), bytes);
  const sums = Object.entries(files).map(
    ([name, bytes]) => `${createHash('sha256').update(bytes).digest('hex')}  ${name}`,
  );
  writeFileSync(join(out, 'SHA256SUMS'), `${sums.join('\n')}\n`);
  return sums;
}

async function main() {
  const { values } = parseArgs({ options });
  if (values.help) return say(help);
  const { version } = JSON.parse(read('package.json'));
  if (!values.draft) {
    refuseDirtyTree();
    refuseReleasedVersion(version);
  }
  const notes = notesOf(version, values.draft);
  execFileSync('npm', ['run', '--silent', 'bundle'], { cwd: root, stdio: 'inherit' });
  if (values['skip-audit']) say('Advisories were not checked (--skip-audit). Run `npm run audit` before you publish.');
  else audit();
  await writeDocuments(root);
  await completeLibraries(values['this-system']);
  const paths = packagedPaths();
  const megabytes = refuseLargePackage(paths);
  const name = `libretto-${version}${values.draft ? '-draft' : ''}`;
  const out = resolve(values.out);
  const sums = writeRelease(out, {
    [`${name}.tgz`]: await tarball(paths),
    [`${name}.cdx.json`]: read('lib/sbom.cdx.json'),
    'RELEASE-NOTES.md': `# Libretto ${version}${values.draft ? ' (draft)' : ''}\n\n${notes}\n`,
  });
  say(`${paths.length} files, ${megabytes.toFixed(1)} MB when installed. In ${relative(process.cwd(), out) || '.'}:`);
  for (const sum of sums) say(sum);
  say(`Try it: npm install -g ${shellWord(join(out, `${name}.tgz`))}`);
  if (!values.draft) say(`Then mark the commit: git tag -a v${version} -m "Libretto ${version}"`);
}

try {
  await main();
} catch (error) {
  if (!(error instanceof Refused) && !error.code?.startsWith('ERR_PARSE_ARGS')) throw error;
  process.stderr.write(`No release: ${error.message}\n`);
  process.exitCode = error instanceof Refused ? 1 : 2;
}
