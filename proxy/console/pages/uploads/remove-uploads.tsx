// The questions before an upload is withdrawn, and before unused ZIPs are removed.

import { Form } from '../../components/form.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { formatCount, formatBytes } from '../../components/quantity.ts';
import type { PageOutcome, PageView, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import type { FormState } from '../../request/form-fields.ts';
import { artifactsFor, type UploadPageServices } from './services.ts';

export function registerRemovingUploads(pages: Pages, services: UploadPageServices): void {
  pages.form({
    path: '/uploads/cleanup',
    operation: 'cleanUpArtifacts',
    show: (request, state) => askCleanup(services, request, state),
    submit: async (request) => {
      const retentionDays = await services.artifactRetention();
      await artifactsFor(services, request).cleanUp({ retentionDays, dryRun: false });
      return { to: '/uploads', notice: 'cleaned' };
    },
  });
  pages.form({
    path: '/uploads/:id/withdraw',
    operation: 'deleteArtifact',
    show: (request, state) => askWithdrawal(services, request, state),
    submit: async (request) => {
      await artifactsFor(services, request).withdraw(request.param('id'));
      return { to: '/uploads', notice: 'withdrawn' };
    },
  });
}

async function askWithdrawal(
  services: UploadPageServices,
  request: SignedInRequest,
  state: FormState,
): Promise<PageOutcome> {
  const { name, version, status } = await artifactsFor(services, request).get(request.param('id'));
  if (status !== 'published') return { to: '/uploads' };
  const title = `Withdraw ${name} ${version}?`;
  return {
    title,
    section: 'uploads',
    content: (
      <>
        <PageHead
          title={title}
          sentence="The registry no longer offers this version. Existing lock files still install it, unless the policy blocks it."
        />
        <Form state={state} submit="Withdraw version" isDanger cancel="/uploads" asksPassword={request.asksPassword} />
      </>
    ),
  };
}

async function askCleanup(services: UploadPageServices, request: SignedInRequest, state: FormState): Promise<PageView> {
  const retentionDays = await services.artifactRetention();
  const plan = await artifactsFor(services, request).cleanUp({ retentionDays, dryRun: true });
  const count = plan.artifacts.length + plan.leftovers.length;
  const title = 'Remove unused ZIPs?';
  return {
    title,
    section: 'uploads',
    content: (
      <>
        <PageHead
          title={title}
          sentence={
            count === 0
              ? `There is nothing to remove: withdrawn and superseded ZIPs are kept for ${formatCount(retentionDays, 'day')}.`
              : `${formatCount(count, 'ZIP')} with ${formatBytes(plan.bytes)} will be removed. It cannot be undone.`
          }
          trail={[{ label: 'Uploads', to: '/uploads' }]}
        />
        <ul>
          {plan.artifacts.map(({ name, version, status }) => (
            <li>{`${name} ${version}, ${status}`}</li>
          ))}
          {plan.leftovers.length === 0 ? null : (
            <li>
              {formatCount(
                plan.leftovers.length,
                'leftover of an interrupted upload',
                'leftovers of interrupted uploads',
              )}
            </li>
          )}
        </ul>
        {count === 0 ? null : (
          <Form state={state} submit="Remove ZIPs" isDanger cancel="/uploads" asksPassword={request.asksPassword} />
        )}
      </>
    ),
  };
}
