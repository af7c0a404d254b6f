// What a sync did: counts, lists of versions, and the versions that it left out with the reason.

import type { Child } from 'hono/jsx';
import type { JobReport } from '../../../sync/job.ts';
import { ReasonText } from '../../components/marked-text.tsx';
import { Notice } from '../../components/notice.tsx';
import { formatCount, formatNumber } from '../../components/quantity.ts';
import { Table } from '../../components/table.tsx';

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

/** The added, changed and withdrawn versions; nothing without them. */
export function ChangedVersions({ report }: { readonly report: JobReport }): Child {
  const groups = [
    ['Added', report.added, report.counts.added],
    ['Changed', report.changed, report.counts.changed],
    ['Withdrawn', report.withdrawn, report.counts.withdrawn],
  ] as const;
  return (
    <>
      {groups
        .filter(([, versions]) => versions.length > 0)
        .map(([title, versions, count]) => (
          <section class="stack-tight">
            <h2>{title}</h2>
            <ul>
              {versions.map((one) => (
                <li>{versionWords(one)}</li>
              ))}
            </ul>
            <Cut shown={versions.length} all={count} />
          </section>
        ))}
    </>
  );
}

function versionWords({ name, version }: JobReport['added'][number]): string {
  return [name, version].filter((part) => part !== null).join(' ') || 'a package without a name';
}

function Cut({ shown, all }: { readonly shown: number; readonly all: number }): Child {
  return all > shown ? <p class="soft small">{formatNumber(all - shown)} more are not listed.</p> : null;
}
