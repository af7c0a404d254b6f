// `libretto mirror verify`: exit code 0 when all archives have their accepted bytes, otherwise 1. A release that its
// upstream has changed is no fault, since the server still serves the accepted archive; the command prints an alarm. It
// names versions without a ZIP archive, because they are not mirrored.

import { RegistryError } from '../../../build/contract/errors.ts';
import { verifyMirror, mirroredNames } from '../../../proxy/mirror/archives/mirror-inventory.ts';
import { runMirrorCommand, type MirrorWork } from '../../mirror/mirror-command.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { counted, firstOf, printJson, printLines, printProblems, printWarnings } from '../../io/output.ts';
import { join } from 'node:path';
import type { PackageName } from '../../../build/contract/name.ts';
import { CachedNames, documentFiles } from '../../../proxy/mirror/catalogue/cached-names.ts';
import { cachedRecords, noVersions } from '../../../proxy/mirror/documents/cached-versions.ts';
import type { MirrorRules } from '../../../proxy/mirror/rules/mirror-rules.ts';
import { rootUrlOf } from '../../../proxy/mirror/upstream/upstream-root.ts';
import { folderOf } from '../../../proxy/mirror/upstream/stored-document.ts';
import { unofferedVersions, type UnofferedVersions } from '../../mirror/unoffered-versions.ts';

// Finds versions of all stored packages that are not offered as their upstream has them: releases that it has changed
// since they were accepted, and versions that are left out. The stored documents are compared; no request is sent.

type DifferentVersions = UnofferedVersions & { readonly name: PackageName };

/** By package. Rejects if the private names are unknown, as `belongs` of the mirror does. */
async function differentVersions(
  { mirror, folder, rules: readRules }: MirrorWork,
  context: Context,
): Promise<readonly DifferentVersions[]> {
  const rules = await readRules();
  const nowMs = context.now().getTime();
  const found: DifferentVersions[] = [];
  for (const name of await storedNames(folder, rules)) {
    const belonging = await mirror.belongs(name, { nowMs, epoch: 0 });
    if (belonging.to !== 'upstreams') continue;
    const { records: accepted } = await mirror.archiveStore.inspect(name);
    for (const id of belonging.ids) {
      const url = rules.upstreams.find((upstream) => upstream.id === id)?.url;
      const cached = url === undefined ? noVersions : await cachedRecords(name, folder, url);
      if (cached.records.length === 0) continue;
      const parts = { cached, accepted, rules: rules.releases, nowMs, arrivals: mirror.arrivals };
      found.push({ name, ...(await unofferedVersions(name, parts)) });
      break;
    }
  }
  return found;
}

/** The packages with an accepted archive, or a stored document. */
async function storedNames(folder: string, { upstreams }: Pick<MirrorRules, 'upstreams'>): Promise<Set<PackageName>> {
  const names = new Set<PackageName>();
  for await (const name of mirroredNames(folder)) names.add(name);
  for (const { url } of upstreams) {
    const documents = new CachedNames(join(folder, 'p2', folderOf(rootUrlOf(url)), 'p2'), documentFiles);
    for (const name of (await documents.look()).keys()) names.add(name);
  }
  return names;
}

export async function run(context: Context, given: CommandInput): Promise<number> {
  return runMirrorCommand(context, given, async (work) => {
    const result = await verify(work);
    const { archives, faults, unreadable } = result;
    const ok = faults.length + unreadable.length === 0;
    const different = await differentOrUnknown(work, context);
    const changed = different?.flatMap(({ name, changed: rows }) => rows.map((one) => ({ name, ...one }))) ?? null;
    const withoutZip = different?.flatMap(withoutZipIn) ?? null;
    if (given.flags['json'] === true)
      printJson(context.stdout, { ok, archives, faults, unreadable, changed, without_zip: withoutZip });
    else printLines(context.stdout, [summarize(result)]);
    printProblems(context.stderr, [
      ...firstOf(faults.map(describeFault), 40),
      ...firstOf(
        unreadable.map(({ message }) => `  ${message}.`),
        40,
      ),
      ...firstOf(
        (changed ?? []).map(({ name, version, message }) => `  ALARM, ${name} ${version}: ${message}.`),
        40,
      ),
      ...firstOf(
        (withoutZip ?? []).map(({ name, version, because }) => `  ${name} ${version} is not mirrored: ${because}.`),
        40,
      ),
    ]);
    return ok ? 0 : 1;
  });
}

interface ArchiveFault {
  readonly name: string;
  readonly version: string;
  /** SHA-1 of the accepted archive */
  readonly shasum: string;
  /** SHA-1 of the present archive; null: the archive is missing */
  readonly found: string | null;
}

interface VerifiedMirror {
  /** the number of checked archives */
  readonly archives: number;
  readonly faults: readonly ArchiveFault[];
  /** records that cannot be read */
  readonly unreadable: readonly { readonly path: string; readonly message: string }[];
}

async function verify({ mirror, folder }: MirrorWork): Promise<VerifiedMirror> {
  let archives = 0;
  const found = await verifyMirror(folder, mirror.archiveStore, () => (archives += 1));
  const faults = found.archives.map(({ record: { name, version, shasum }, found: digest }) => ({
    name,
    version,
    shasum,
    found: digest ?? null,
  }));
  return { archives, faults, unreadable: found.records.map(({ path, message }) => ({ path, message })) };
}

function summarize({ archives, faults, unreadable }: VerifiedMirror): string {
  const checked = `Checked ${counted(archives, 'archive')}: `;
  const found = faults.length + unreadable.length;
  if (found === 0) return `${checked}all as accepted.`;
  const advice = ' Archives are fetched again on their next request, and must have the same bytes.';
  return `${checked}${counted(found, 'fault')}.${faults.length === 0 ? '' : advice}`;
}

function describeFault({ name, version, shasum, found }: ArchiveFault): string {
  const fault = found === null ? 'the archive is missing' : `the archive has SHA-1 ${found}, accepted was ${shasum}`;
  return `  ${name} ${version}: ${fault}`;
}

function withoutZipIn({ name, left_out: leftOut }: DifferentVersions) {
  return leftOut.flatMap(({ version, reason, because }) =>
    reason === 'dist-type' || reason === 'no-dist' ? [{ name, version, reason, because }] : [],
  );
}

/** null: an origin does not list the private names. */
async function differentOrUnknown(work: MirrorWork, context: Context): Promise<readonly DifferentVersions[] | null> {
  try {
    return await differentVersions(work, context);
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    printWarnings(context.stderr, [`It is unknown whether upstreams changed releases: ${error.message}`]);
    return null;
  }
}
