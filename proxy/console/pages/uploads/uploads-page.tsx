// The list of uploads, with the form that publishes a ZIP. A refused upload shows the page again, with the reason.

import { useContext, type Child } from 'hono/jsx';
import type { PublishedFrom } from '../../../artifacts/published-from.ts';
import type { ArtifactRecord, ArtifactStatus } from '../../../artifacts/artifact.ts';
import { mostUploadBytes } from '../../../artifacts/stage-upload.ts';
import { Badge } from '../../components/badge.tsx';
import { BuiltElsewhere, type State, Notice } from '../../components/notice.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { Icon } from '../../components/icon.tsx';
import { ReasonText } from '../../components/marked-text.tsx';
import { PageHead, A, hrefTo, PlaceContext, MainLink } from '../../components/place.tsx';
import { Pager } from '../../components/pager.tsx';
import { formatBytes, Time } from '../../components/values.tsx';
import { visibleText } from '../../components/visible-text.ts';
import { Table, type Column } from '../../components/table.tsx';
import { CiRun } from '../ci-run.tsx';

export const uploadsPerPage = 50;

export interface UploadsPageProps {
  /** the uploads of this page, newest first */
  readonly rows: readonly ArtifactRecord[];
  readonly total: number;
  /** from 1 */
  readonly page: number;
  readonly authorOf: (author: string) => string;
  readonly mayUpload: boolean;
  readonly hasBuilder: boolean;
  readonly mayRemove: boolean;
  /** why the last upload was refused; undefined: it was not */
  readonly refusal: string | undefined;
  /** the name of the refused file; empty if it is unknown */
  readonly file: string;
  /** the version that was typed for a refused upload */
  readonly given: string;
  /** what the last upload published */
  readonly published: { readonly record: ArtifactRecord; readonly created: boolean } | undefined;
}

export function UploadsPage(props: UploadsPageProps): Child {
  const { total, rows, page, mayUpload, hasBuilder, mayRemove, refusal, file, given, published } = props;
  return (
    <>
      <PageHead
        title="Uploads"
        sentence="A ZIP with a composer.json is published at once, as one version of its package."
        actions={
          mayRemove && total > 0 ? <ButtonLink to="/uploads/cleanup" icon="trash-2" label="Clean up" /> : undefined
        }
      />
      <BuiltElsewhere hasBuilder={hasBuilder} />
      <div id="upload-result">
        {refusal === undefined ? null : <Refused reason={refusal} file={file} />}
        {published === undefined ? null : <Published {...published} />}
      </div>
      {mayUpload ? <UploadForm version={given} /> : null}
      {total === 0 && hasBuilder ? (
        <EmptyState icon="upload" title="No upload yet">
          {mayUpload ? 'Choose a ZIP above. ' : 'A maintainer can upload a ZIP. '}
          CI systems use <code>libretto publish</code> with a write token.
        </EmptyState>
      ) : (
        <Listed {...props} />
      )}
      <Pager
        shown={rows.length}
        from={(page - 1) * uploadsPerPage}
        total={total}
        pathOf={(wanted) => (wanted === 1 ? '/uploads' : `/uploads?page=${wanted}`)}
        perPage={uploadsPerPage}
      />
    </>
  );
}

function Refused({ reason, file }: { readonly reason: string; readonly file: string }): Child {
  return (
    <Notice kind="bad">
      {file === '' ? null : (
        <>
          <strong>{visibleText(file)}</strong>:{' '}
        </>
      )}
      <ReasonText text={reason} />
    </Notice>
  );
}

function Listed(props: UploadsPageProps): Child {
  return props.total === 0 ? null : <Table caption="Uploads" columns={columnsOf(props)} rows={props.rows} />;
}

function Published({ record: { name, version }, created }: NonNullable<UploadsPageProps['published']>): Child {
  return (
    <Notice kind="good">
      <A to={`/packages/${name}`}>
        {name} {version}
      </A>{' '}
      {created ? 'is published.' : 'is published. The same content was uploaded before.'}
    </Notice>
  );
}

/** With JavaScript a file can be dropped on it, and a bar shows the progress. */
function UploadForm({ version }: { readonly version: string }): Child {
  const action = hrefTo(useContext(PlaceContext), '/uploads/file');
  return (
    <form class="form panel" method="post" action={action} enctype="multipart/form-data" data-upload>
      <div class="field">
        <label for="file">ZIP of a package</label>
        <span class="hint" id="file-hint">
          {`At most ${mostUploadBytes / 1024 / 1024} MiB. Its composer.json names the package.`}
          <span class="drop-hint"> You can also drop the ZIP here: its upload begins at once.</span>
        </span>
        <input type="file" id="file" name="file" accept=".zip,application/zip" aria-describedby="file-hint" required />
      </div>
      <div class="field">
        <label for="version">Version</label>
        <span class="hint" id="version-hint">
          Only where its composer.json has no “version”, such as 1.2.0.
        </span>
        <input id="version" name="version" value={version} aria-describedby="version-hint" maxlength={200} />
      </div>
      <progress max={1} value={0} hidden aria-label="Progress of the upload" />
      <div class="row">
        <button class="button primary">
          <Icon name="upload" />
          Upload
        </button>
      </div>
    </form>
  );
}

const statusKinds: Readonly<Record<ArtifactStatus, State>> = {
  published: 'good',
  withdrawn: 'warn',
  superseded: 'info',
  staged: 'warn',
};

function columnsOf({ authorOf, mayRemove }: UploadsPageProps): readonly Column<ArtifactRecord>[] {
  const withdrawal: Column<ArtifactRecord> = {
    label: 'Action',
    isPlain: true,
    cell: ({ id, status, name, version }) =>
      status === 'published' || status === 'staged' ? (
        <ButtonLink
          to={`/uploads/${id}/withdraw`}
          kind="small"
          icon="ban"
          aria-label={`Withdraw ${name} ${version}`}
          data-dialog
          label="Withdraw"
        />
      ) : null,
  };
  return [
    {
      label: 'Version',
      cell: ({ name, version }) => <MainLink to={`/packages/${name}`} text={`${name} ${version}`} />,
    },
    { label: 'State', cell: ({ status }) => <Badge kind={statusKinds[status]} label={status} /> },
    { label: 'Size', isNumber: true, cell: ({ size }) => formatBytes(size) },
    { label: 'Uploaded', cell: ({ created_at: at }) => <Time at={at} /> },
    { label: 'By', cell: ({ created_by: by, published_from: from }) => <Author by={authorOf(by)} from={from} /> },
    ...(mayRemove ? [withdrawal] : []),
  ];
}

/** `from`: undefined if no CI job published it. */
function Author({ by, from }: { readonly by: string; readonly from: PublishedFrom | undefined }): Child {
  if (from === undefined) return <span class="soft">{by}</span>;
  return (
    <span class="small">
      CI: <CiRun run={from} />
    </span>
  );
}
