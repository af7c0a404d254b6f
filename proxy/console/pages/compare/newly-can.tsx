// What the second of two versions can do that the first could not: by its composer.json, and by its files and code.

import type { Child } from 'hono/jsx';
import { RegistryError } from '../../../../build/contract/errors.ts';
import { capabilitiesOf, capabilityKey, describeCapability } from '../../../../build/review/capabilities.ts';
import { describeFinding, type Finding } from '../../../../build/review/finding.ts';
import { differenceOf, type CapabilityDifference } from '../../../../build/review/gained-capabilities.ts';
import type { ArchiveReview } from '../../../../build/review/review-archives.ts';
import type { Contents } from '../../../contents/contents.ts';
import type { Unseen } from '../../../contents/look-inside.ts';
import type { PublishedVersion } from '../../../packages/published-package.ts';
import { Notice } from '../../components/notice.tsx';
import { A } from '../../components/place.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { formatCount } from '../../components/values.tsx';
import { visibleText } from '../../components/visible-text.ts';
import { packagePath } from '../package/open-package.ts';
import type { ComparedPair } from './compared-files.tsx';

interface NewlyCanProps {
  readonly pair: ComparedPair;
  /** of the records of both */
  readonly capabilities: CapabilityDifference;
  /** of the archives; undefined: the server is too busy to look now */
  readonly review: ArchiveReview | Unseen | undefined;
}

/** A busy server answers by the records alone. */
export async function reviewed(
  contents: Pick<Contents, 'review'>,
  before: PublishedVersion,
  after: PublishedVersion,
): Promise<Omit<NewlyCanProps, 'pair'>> {
  const review = await contents.review(before.entry, after.entry).catch((error: unknown) => {
    if (!(error instanceof RegistryError)) throw error;
    return undefined;
  });
  return { capabilities: differenceOf(capabilitiesOf(before.record), capabilitiesOf(after.record)), review };
}

export function NewlyCan({ pair, capabilities: { gained }, review }: NewlyCanProps): Child {
  return (
    <section class="stack-tight">
      <h2>What it can newly do</h2>
      {gained.length === 0 ? (
        <p class="soft">By its composer.json: nothing.</p>
      ) : (
        <ul>
          {gained.map((one) => (
            <li key={capabilityKey(one)}>{visibleText(describeCapability(one))}</li>
          ))}
        </ul>
      )}
      <Reviewed {...{ pair, review }} />
    </section>
  );
}

function Reviewed({ pair, review }: Omit<NewlyCanProps, 'capabilities'>): Child {
  if (review === undefined)
    return <Notice kind="info">The server reviews other archives at the moment. Load the page again.</Notice>;
  if (review.kind === 'unseen')
    return <Notice kind="warn">Its files and code were not reviewed: {review.sentence}</Notice>;
  const { findings, left } = review;
  if (findings.length === 0) return <p class="soft">By its files and code: nothing, as far as the review sees.</p>;
  return (
    <>
      <Table caption="What its files and code can newly do" columns={columnsOf(pair)} rows={findings} />
      {left === 0 ? null : <p class="soft small">{formatCount(left, 'finding')} more are not listed.</p>}
    </>
  );
}

function columnsOf({ name, after }: ComparedPair): readonly Column<Finding>[] {
  return [
    { label: 'Finding', cell: (finding) => <strong>{visibleText(describeFinding(finding))}</strong> },
    {
      label: 'Place',
      cell: ({ file, line }) => {
        if (file === null) return <span class="soft">the package</span>;
        const path = packagePath(name, 'files', { version: after.version, path: file });
        return (
          <A to={line === null ? path : `${path}#L${line}`}>
            <code>{visibleText(line === null ? file : `${file}:${line}`)}</code>
          </A>
        );
      },
    },
    { label: 'Composer loads it', cell: ({ loaded }) => (loaded ? 'yes' : <span class="soft">no</span>) },
  ];
}
