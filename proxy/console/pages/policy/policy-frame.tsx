// The frame of the pages about the policy: its name, what a visitor can do with it, and the tabs.

import type { Child } from 'hono/jsx';
import type { PolicyView } from '../../../policy/admin/policy-views.ts';
import { ButtonLink } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead } from '../../components/place.tsx';
import { Tabs } from '../../components/tabs.tsx';
import type { SignedInRequest } from '../../frame/definitions.ts';
import { mayChange } from './services.ts';

interface PolicyFrameProps {
  readonly policy: PolicyView;
  readonly tab: 'rules' | 'feeds' | 'hits' | 'held';
  readonly request: SignedInRequest;
  readonly children?: Child;
}

export function PolicyFrame({ policy, tab, request, children }: PolicyFrameProps): Child {
  const { may } = request;
  const tabs = [
    { label: 'Rules', to: '/policy', isCurrent: tab === 'rules' },
    ...(may('listPolicyHits') ? [{ label: 'First hits', to: '/policy/hits', isCurrent: tab === 'hits' }] : []),
    ...(may('listHeldReleases') ? [{ label: 'Held', to: '/policy/held', isCurrent: tab === 'held' }] : []),
    ...(may('listPolicyFeeds') ? [{ label: 'Feeds', to: '/policy/feeds', isCurrent: tab === 'feeds' }] : []),
  ];
  return (
    <>
      <PageHead
        title="Policy"
        sentence="Rules about every version of every package, whatever the client is."
        actions={<Actions {...{ policy, request }} />}
      />
      {tabs.length < 2 ? null : <Tabs label="About the policy" tabs={tabs} />}
      {policy.file === null ? null : (
        <Notice kind="info">
          The policy is the file <code class="breaks">{policy.file}</code> on the host of this server. Change it there:
          the server reads it again within seconds.
        </Notice>
      )}
      {policy.fault === null ? null : (
        <Notice kind="bad">
          <p>The policy file has a fault. The last good policy, which you see here, stays in effect.</p>
          <p class="breaks">{policy.fault}</p>
        </Notice>
      )}
      {children}
    </>
  );
}

function Actions({ policy, request }: Pick<PolicyFrameProps, 'policy' | 'request'>): Child {
  if (mayChange(request, policy))
    return <ButtonLink to="/policy/edit" kind="primary" icon="pencil" label="Edit the policy" />;
  return request.may('checkPolicy') ? <ButtonLink to="/policy/check" icon="play" label="Try another policy" /> : null;
}
