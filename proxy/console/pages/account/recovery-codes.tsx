// Ten new recovery codes, shown once: after two-factor authentication was turned on, and after they were renewed.

import type { Child } from 'hono/jsx';
import type { Secret } from '../../../../build/shared/text/secret.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead } from '../../components/page-head.tsx';
import type { PageView } from '../../frame/definitions.ts';

/** `done`: what was just done; a sentence. */
export function recoveryCodesView(done: string, codes: readonly Secret[]): PageView {
  return { title: 'Your recovery codes', content: <RecoveryCodes done={done} codes={codes} /> };
}

function RecoveryCodes({ done, codes }: { readonly done: string; readonly codes: readonly Secret[] }): Child {
  return (
    <>
      <PageHead title="Your recovery codes" sentence="Each code replaces one code of your authenticator." />
      <Notice kind="good">{done}</Notice>
      <div class="form">
        <p>Store these codes now, for example in a password manager. They are shown only once.</p>
        <CodeBlock text={codes.map((code) => code.reveal()).join('\n')} label="your recovery codes" />
        <div class="row">
          <ButtonLink to="/account" kind="primary">
            I have stored them
          </ButtonLink>
        </div>
      </div>
    </>
  );
}
