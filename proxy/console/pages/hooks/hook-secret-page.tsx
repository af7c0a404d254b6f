// The page that shows the secret of a webhook, once, with the address to enter beside it.

import type { Secret } from '../../../../build/shared/text/secret.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead } from '../../components/page-head.tsx';
import type { PageView } from '../../frame/definitions.ts';
import type { HookPlace } from './services.ts';

interface HookSecretProps {
  readonly place: HookPlace;
  readonly secret: Secret;
  /** the whole address of the webhook */
  readonly address: string;
}

export function hookSecretView({ place, secret, address }: HookSecretProps): PageView {
  const title = `Secret of the webhook of ${place.name}`;
  return {
    title,
    section: 'repositories',
    content: (
      <>
        <PageHead title={title} sentence="Enter both at the provider." trail={place.trail} />
        <Notice kind="warn">
          Copy the secret now. It is shown only this once: a reload of this page changes nothing, and does not show it
          again.
        </Notice>
        <section class="stack">
          <h2>Address</h2>
          <CodeBlock label="the address" text={address} />
          <h2>Secret</h2>
          <CodeBlock label="the secret" text={secret.reveal()} />
        </section>
        <div class="row">
          <ButtonLink to={place.path} kind="primary">
            I have copied it
          </ButtonLink>
        </div>
      </>
    ),
  };
}
