// `libretto package list`: the published packages of a data folder, or those of a remote registry that the token sees.
// With --purged: the purged versions (purged-versions.ts).

import { isNamePattern, matchAnyName } from '../../../build/shared/patterns/package-pattern.ts';
import { listPackages } from '../../../proxy/packages/operations.ts';
import { createCatalogue } from '../../../proxy/packages/catalogue.ts';
import type { SummaryDocument } from '../../../proxy/packages/package-schema.ts';
import { createLocalPublishedFiles } from '../../../proxy/core/tree/published-files.ts';
import { formatOrigin } from '../../config/config.ts';
import { shown } from '../../config/setting-values.ts';
import { readDataFolder } from '../../data-folder/open-data-folder.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { counted, printJson, printLines, printProblems, formatTable } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';
import { allPages } from '../../remote/all-pages.ts';
import { callRemotely } from '../../remote/call-remotely.ts';
import { remoteOf, type Remote } from '../../remote/remote.ts';
import { printPurged } from './purged-versions.ts';
import { treeDamage } from '../../tree/damaged-tree.ts';

interface PackageList {
  readonly packages: readonly PackageLine[];
  /** names of packages whose files are damaged */
  readonly unread: readonly string[];
}

export async function run(context: Context, given: CommandInput): Promise<number> {
  const { flags, operands } = given;
  refuseUnusable(operands, flags['purged'] === true);
  const remote = await remoteOf(flags, context);
  if (flags['purged'] === true) return printPurged(context, flags, remote);
  const { packages, unread } = remote === undefined ? await listLocally(context, flags) : await listThere(remote);
  const matches = operands.length === 0 ? () => true : matchAnyName(operands);
  const matching = packages.filter(({ name }) => matches(name));
  if (flags['json'] === true) printJson(context.stdout, { packages: matching.map(lineOf) });
  else if (matching.length > 0) printLines(context.stdout, describePackages(matching));
  else printLines(context.remarks, [nothing(operands, packages.length)]);
  if (unread.length === 0) return 0;
  const damaged = unread.length === 1 ? '1 package is' : `${counted(unread.length, 'package')} are`;
  printProblems(context.stderr, [
    `${damaged} damaged and not listed, such as ${unread[0] ?? ''}. \`libretto verify\` names the repair.`,
  ]);
  return 1;
}

/** Throws UsageError. */
function refuseUnusable(patterns: readonly string[], ofPurged: boolean): void {
  if (ofPurged && patterns.length > 0) throw new UsageError('--purged lists all purged versions: leave the names out.');
  const wrong = patterns.find((pattern) => !isNamePattern(pattern));
  if (wrong === undefined) return;
  throw new UsageError(
    `The pattern is ${shown(wrong)}; allowed: a name such as acme/hello, or a pattern such as acme/* or *hello*. Put ` +
      'a pattern in quotes.',
  );
}

async function listLocally(context: Context, flags: CommandInput['flags']): Promise<PackageList> {
  const { data, origin } = await readDataFolder(context, flags, 'tree');
  if (origin.value !== undefined)
    throw new UsageError(
      `The packages are at an origin (${formatOrigin(origin.origin)}), not in the data folder. Run the command on the ` +
        'building host, or name the registry with --url.',
    );
  const damage = treeDamage(data.value);
  if (damage !== undefined) throw new UsageError(damage);
  const catalogue = createCatalogue(createLocalPublishedFiles(data.value));
  const nowMs = context.now().getTime();
  const { all } = await catalogue.read(nowMs);
  return { packages: [...all.values()], unread: await catalogue.unread(nowMs) };
}

async function listThere(remote: Remote): Promise<PackageList> {
  const packages = await allPages((query) => callRemotely(remote, listPackages, query), { sort: 'name' });
  return { packages, unread: [] };
}

/** Only the fields that both a data folder and every version of the API have. */
function lineOf(one: PackageLine): PackageLine {
  const { name, description, type, abandoned, latest_version, versions, updated_at } = one;
  return { name, description, type, abandoned, latest_version, versions, updated_at };
}

function nothing(patterns: readonly string[], packages: number): string {
  if (packages === 0) return 'Nothing is published. Publish packages with `libretto build SOURCE`.';
  return `No package matches ${patterns.join(' or ')}. \`libretto package list\` shows all ${packages}.`;
}

// The text of packages on the command line. Pure.

/** A published package in a list. */
type PackageLine = Omit<SummaryDocument, 'keywords' | 'downloads'>;

function describePackages(packages: readonly PackageLine[]): string[] {
  const rows = packages.map(({ name, latest_version: latest, versions, type, abandoned }) => [
    name,
    latest,
    String(versions),
    type,
    abandonedText(abandoned),
  ]);
  const head = ['NAME', 'NEWEST', 'VERSIONS', 'TYPE', ''];
  return formatTable(head, rows);
}

function abandonedText(abandoned: boolean | string): string {
  if (typeof abandoned === 'string') return `abandoned, use ${abandoned}`;
  return abandoned ? 'abandoned' : '';
}
