// What a sync did: counts, lists of versions, and the versions that it left out with the reason.

import type { Child } from 'hono/jsx';
import { groupBy } from '../../../../build/shared/collections/group-by.ts';
import type { JobReport } from '../../../sync/job.ts';
import { ReasonText } from '../../components/marked-text.tsx';
import { Notice } from '../../components/notice.tsx';
import { A } from '../../components/place.tsx';
import { formatCount, formatNumber } from '../../components/values.tsx';
import { Table } from '../../components/table.tsx';
import { VersionLink } from '../package/version-link.tsx';

/** `3 added, 1 left out`, `no change`. */
export function reportWords({ counts: { added, changed, withdrawn, quarantined } }: JobReport): string {
  const parts = [
    [added, 'added'],
    [changed, 'changed'],
    [withdrawn, 'withdrawn'],
    [quarantined, 'left out'],
  ] as const;
  const words = parts.filter(([count]) => count > 0).map(([count, verb]) => `${formatNumber(count)} ${verb}`);
  return words.length === 0 ? 'no change' : words.join(', ');
}

/** Nothing without such versions. */
export function LeftOutVersions({ report }: { readonly report: JobReport }): Child {
  const { quarantined, counts } = report;
  if (counts.quarantined === 0) return null;
  return (
    <section class="stack">
      <h2>Left out</h2>
      <Notice kind="warn">
        {`${formatCount(counts.quarantined, 'version')} cannot be published. Correct the source, and sync again.`}
      </Notice>
      <Table
        caption="Versions that were left out"
        columns={[
          { label: 'Version', cell: (one) => versionWords(one) },
          { label: 'Reason', cell: ({ message }) => <ReasonText text={message} /> },
          { label: 'Where', cell: ({ where }) => <code class="whole">{where}</code> },
        ]}
        rows={quarantined}
      />
      <Cut shown={quarantined.length} all={counts.quarantined} />
    </section>
  );
}

/** The added, changed and withdrawn versions by package; nothing without them. A mirrored version has no page. */
export function ChangedVersions({
  report: { added, changed, withdrawn, counts },
  isMirrored,
}: {
  readonly report: JobReport;
  readonly isMirrored: boolean;
}): Child {
  return (
    <>
      <Versions title="Added" versions={added} all={counts.added} isLinked={!isMirrored} />
      <Versions title="Changed" versions={changed} all={counts.changed} isLinked={!isMirrored} />
      <Versions title="Withdrawn" versions={withdrawn} all={counts.withdrawn} isLinked={false} />
    </>
  );
}

interface VersionsProps {
  readonly title: string;
  readonly versions: JobReport['added'];
  /** the number with those that are not listed */
  readonly all: number;
  readonly isLinked: boolean;
}

function Versions({ title, versions, all, isLinked }: VersionsProps): Child {
  if (versions.length === 0) return null;
  const byName = groupBy(versions, ({ name }) => name ?? '');
  return (
    <section class="stack-tight">
      <h2>{title}</h2>
      <ul>
        {[...byName].map(([name, ofPackage]) => (
          <li>
            <A to={`/packages/${name}`}>{name}</A>
            {ofPackage.map(({ version }) => (
              <> {isLinked ? <VersionLink name={name} version={version ?? ''} /> : version}</>
            ))}
          </li>
        ))}
      </ul>
      <Cut shown={versions.length} all={all} />
    </section>
  );
}

function versionWords({ name, version }: JobReport['added'][number]): string {
  return [name, version].filter((part) => part !== null).join(' ') || 'a package without a name';
}

function Cut({ shown, all }: { readonly shown: number; readonly all: number }): Child {
  return all > shown ? <p class="soft small">{formatNumber(all - shown)} more are not listed.</p> : null;
}
