// The pages about the policy: its rules and exceptions, what they hit first, and the feeds that they read.

import type { Child } from 'hono/jsx';
import type { PolicyView } from '../../../policy/admin/policy-views.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { registerEditing } from './edit-policy.tsx';
import { registerPolicyExplanation } from './explain-page.tsx';
import { registerFeeds } from './feeds-page.tsx';
import { showHits } from './hits-page.tsx';
import { PolicyFrame } from './policy-frame.tsx';
import { ExceptionTable, RuleTable } from './rule-table.tsx';
import type { PolicyPageServices } from './services.ts';

export function registerPolicyPages(pages: Pages, services: PolicyPageServices): void {
  pages.page({
    path: '/policy',
    operation: 'getPolicy',
    notices: {
      saved: 'The policy is saved. It counts from the next request.',
      same: 'Nothing was changed: this is the policy in effect.',
    },
    show: (request) => showPolicy(services, request),
  });
  registerEditing(pages, services);
  pages.page({ path: '/policy/hits', operation: 'listPolicyHits', show: (request) => showHits(services, request) });
  registerFeeds(pages, services);
  registerPolicyExplanation(pages, services);
}

async function showPolicy({ policyAdmin }: PolicyPageServices, request: SignedInRequest): Promise<PageView> {
  const policy = await policyAdmin.get();
  return {
    title: 'Policy',
    section: 'policy',
    content: (
      <PolicyFrame {...{ policy, request }} tab="rules">
        <Rules policy={policy} />
        <Exceptions policy={policy} nowMs={request.nowMs} />
      </PolicyFrame>
    ),
  };
}

function Rules({ policy }: { readonly policy: PolicyView }): Child {
  const rules = [
    ...policy.rules_of_settings.map((rule) => ({ rule, isOfSettings: true })),
    ...policy.rules.map((rule) => ({ rule, isOfSettings: false })),
  ];
  if (rules.length === 0)
    return (
      <EmptyState icon="shield-check" title="No rule yet">
        A rule blocks versions, warns of them or notes their use: for example those of a malware list, with a severe
        advisory, or too young.
      </EmptyState>
    );
  return <RuleTable rules={rules} />;
}

function Exceptions({ policy: { exceptions }, nowMs }: { readonly policy: PolicyView; readonly nowMs: number }): Child {
  if (exceptions.length === 0) return null;
  return (
    <section class="stack-tight">
      <h2>Exceptions</h2>
      <ExceptionTable {...{ exceptions, nowMs }} />
    </section>
  );
}
