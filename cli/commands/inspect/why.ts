// `libretto why vendor/name [version]`: exit code 0 for what is published, and for a mirrored package or version that
// clients get; otherwise 1.

import { parsePackageName } from '../../../build/contract/name.ts';
import { listShortly } from '../../../build/shared/text/list-shortly.ts';
import { describeSources } from '../../../build/scan/configured.ts';
import type { WhyVersion, WhyAnswer } from '../../../build/contract/why.ts';
import { why, type WhyWithNames } from '../../../build/inspect/why.ts';
import { contentKey, type WithdrawalCause } from '../../../build/contract/withdrawal-cause.ts';
import { createListedNames } from '../../../proxy/core/tree/listed-names.ts';
import { missingIndex } from '../../../proxy/core/tree/missing-index.ts';
import { runText, withRuns, type PublishedBy, type Runs } from '../../builds/published-runs.ts';
import { sourcesOfConfig } from '../../builds/build-request.ts';
import { shownAnswer } from '../../builds/shown-sources.ts';
import { readDataFolder } from '../../data-folder/open-data-folder.ts';
import type { Context } from '../../io/context.ts';
import { counted, firstOf, formatFields, formatTable, printJson, printLines } from '../../io/output.ts';
import type { CommandInput } from '../../io/command.ts';
import { describeMirrored, isOffered, isStored } from '../../mirror/mirrored-name-text.ts';
import { notAPackageName } from '../../text/name-and-version.ts';
import {
  becauseText,
  causesOf,
  documentedVersions,
  shownCauses,
  withdrawalLines,
  type Causes,
} from '../../builds/withdrawal-text.ts';
import { mirroredOf, policyFactsOf, publishedRuns } from './why-lookups.ts';
import { nearestOf } from '../../text/suggest.ts';
import { UsageError } from '../../io/usage-error.ts';

const mostShown = 20;

export async function run(context: Context, { flags, operands }: CommandInput): Promise<number> {
  const { workingDirectory, stdout } = context;
  const config = await readDataFolder(context, flags, 'tree');
  const [given = '', version] = operands;
  const name = parsePackageName(given.toLowerCase());
  if (name === undefined) throw new UsageError(notAPackageName(given));
  const lost = missingIndex(config.data.value, name, createListedNames(config.data.value));
  if (lost !== undefined) throw new UsageError(`${lost.message}: it names the repair.`);
  const described = describeSources(sourcesOfConfig(config) ?? [], workingDirectory, config.data.value);
  const answer = await why({ dataDirectory: config.data.value, name, version, described });
  const { known: _known, ...document } = answer;
  const mirrored = answer.known.versions.length > 0 ? null : await mirroredOf(name, config, context);
  const isMirrored = mirrored?.belongs_to === 'upstreams' && isStored(mirrored);
  const isThere = isMirrored && (version === undefined || isOffered(mirrored, version));
  const suggestions = suggest(answer);
  const [causes, runs] = await Promise.all([
    causesOf(answer, config.data.value),
    publishedRuns(answer, config, context),
  ]);
  const { policy, waiting, lines: said } = await policyFactsOf(name, version, config, context);
  if (flags['json'] === true) {
    const versions = withRuns(documentedVersions(answer.versions, causes), runs);
    const unclear = isMirrored ? [] : document.unclear; // no own source has a name that an upstream has
    printJson(stdout, { ...document, unclear, versions, suggestions, mirrored, policy, waiting });
  } else if (mirrored?.belongs_to === 'upstreams')
    printLines(stdout, [...describeMirrored(name, version, mirrored), ...purged(answer), ...said]);
  else
    printLines(stdout, [
      ...describe(shownAnswer(answer, config.data.value), suggestions, {
        causes: shownCauses(causes, config.data.value),
        runs,
        isBlocked: policy?.outcome === 'blocked',
        instead: insteadOf(answer),
      }),
      ...(mirrored === null ? [] : [`It is not mirrored: ${mirrored.because ?? ''}.`]),
      ...said,
    ]);
  return answer.published || isThere ? 0 : 1;
}

/** Similar names or versions, if the registry does not have the requested one. */
function suggest({ name, version, versions, left_out: leftOut, known }: WhyWithNames): readonly string[] {
  if (versions.length + leftOut.length > 0) return [];
  if (version !== null && known.versions.length > 0) return nearestOf(version, known.versions, 3);
  return nearestOf(name, known.names, 3);
}

/** What the registry has instead of an unknown version or package. */
function insteadOf({ name, version, known }: WhyWithNames): string {
  return version !== null && known.versions.length > 0
    ? `${name} has ${listShortly(known.versions)}: \`libretto why ${name}\`.`
    : '`libretto package list` names the packages.';
}

function describe(
  answer: WhyAnswer,
  suggestions: readonly string[],
  { instead, ...known }: Contents & { readonly instead: string },
): readonly string[] {
  const { name, version, published, versions } = answer;
  const { causes } = known;
  const what = version === null ? name : `${name} ${version}`;
  if (published && version !== null) return [`${what} is published.`, ...contents(versions, known), ...purged(answer)];
  if (published) {
    const current = versions.filter(({ state }) => state === 'published');
    return [
      `${what} is published in ${counted(current.length, 'version')}.`,
      ...table(versions),
      ...firstOf(withdrawalLines(versions, causes), mostShown + 1),
      ...purged(answer),
      ...leftOut(answer),
    ];
  }
  const reasons = [...purged(answer), ...leftOut(answer), ...excluded(answer)];
  const nothing = versions.length === 0 && reasons.length === 0;
  return [
    `${what} is not published.`,
    ...(version === null
      ? [...table(versions), ...firstOf(withdrawalLines(versions, causes), mostShown + 1)]
      : contents(versions, known)),
    ...reasons,
    ...(nothing ? ['No built source is known to have it.', instead] : []),
    ...(suggestions.length === 0 ? [] : [`Did you mean ${suggestions.join(', ')}?`]),
  ];
}

interface Contents {
  readonly causes: Causes;
  readonly runs: Runs;
  /** true: the policy refuses the archives of the version */
  readonly isBlocked: boolean;
}

function contents(versions: readonly WhyVersion[], { causes, runs, isBlocked }: Contents): readonly string[] {
  return versions.flatMap((content) => {
    const key = contentKey(content);
    return [...fieldsOf(content, causes.get(key), runs.get(key)), ...remarks(content, isBlocked)];
  });
}

function fieldsOf(
  content: WhyVersion,
  cause: WithdrawalCause | undefined,
  by: PublishedBy | undefined,
): readonly string[] {
  const { state, since, shasum, size, time, signed_by: signer, archive } = content;
  return [
    '',
    ...formatFields([
      ['version', content.version],
      ['state', `${state}, since ${since}`],
      ...(cause === undefined ? [] : [['withdrawn', becauseText(cause)] as const]),
      ['source', cause?.source ?? content.source],
      ...(by?.published_by ? [['published by', runText(by.published_by)] as const] : []),
      ...(by?.approved_by ? [['uploaded by', by.uploaded_by ?? 'nobody: a source has it'] as const] : []),
      ...(by?.approved_by ? [['approved by', by.approved_by] as const] : []),
      ['reference', content.reference],
      ['sha1', shasum],
      ['archive', `${archive} (${size} bytes)`],
      ...(time === null ? [] : [['released', time] as const]),
      ...(signer === null ? [] : [['signed by', signer] as const]),
    ]),
  ];
}

function remarks({ state }: WhyVersion, isBlocked: boolean): readonly string[] {
  return [
    ...(state === 'withheld' ? ['It was withdrawn by hand; its source may still have it.'] : []),
    ...(state === 'published' || isBlocked
      ? []
      : ['Its archive can still be fetched by this reference, until `libretto prune` removes it.']),
  ];
}

function table(versions: readonly WhyVersion[]): readonly string[] {
  if (versions.length === 0) return [];
  return [
    '',
    ...firstOf(
      formatTable(
        ['VERSION', 'STATE', 'SINCE', 'REFERENCE', 'SOURCE'],
        versions.map((one) => [one.version, one.state, one.since, one.reference.slice(0, 12), one.source]),
      ),
      mostShown + 1,
    ),
  ];
}

function purged({ purged: rows }: WhyAnswer): readonly string[] {
  if (rows.length === 0) return [];
  return [
    '',
    ...firstOf(
      rows.map(
        ({ version, reference, reason, since }) =>
          `${version} (${reference.slice(0, 12)}) was purged on ${since.slice(0, 10)} (${reason}). It never ` +
          'comes back.',
      ),
      mostShown,
    ),
  ];
}

function leftOut({ left_out: found, unclear }: WhyAnswer): readonly string[] {
  return [
    ...found.flatMap(({ version, source, message, where, code }) => [
      '',
      `Left out by the last build of ${source}: ${version ?? ''} (${where})`,
      `  ${message} [${code}]`,
    ]),
    ...(unclear.length === 0
      ? []
      : [
          '',
          'It may be one of these. The last build could not determine their name or version:',
          ...firstOf(
            unclear.map(({ source, where, message, code }) => `  ${source}, ${where}: ${message} [${code}]`),
            mostShown,
          ),
        ]),
  ];
}

function excluded({ excluded_by: limits }: WhyAnswer): readonly string[] {
  if (limits.length === 0) return [];
  return [
    '',
    'libretto.json excludes it from these sources:',
    ...firstOf(
      limits.map(({ source, option, value }) => `  ${source}: ${option}: ${value}`),
      mostShown,
    ),
  ];
}
