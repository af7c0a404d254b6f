// The page that shows what a receiver verifies requests with, once: after an endpoint was made, and after it got a new
// secret.

import type { Child } from 'hono/jsx';
import type { EndpointDocument } from '../../../notifications/endpoints/endpoint-schema.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { Fact } from '../../components/fact.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { Icon } from '../../components/icon.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead } from '../../components/place.tsx';
import type { PageView } from '../../frame/definitions.ts';
import { endpointPath, notificationsTrail } from './services.ts';

interface SecretPageProps {
  readonly endpoint: EndpointDocument;
  /** of `v1a`: the public key */
  readonly secret: string;
  /** what was done: a sentence */
  readonly sentence: string;
}

export function endpointSecretView(props: SecretPageProps): PageView {
  return { title: `Secret of ${props.endpoint.name}`, section: 'notifications', content: <SecretPage {...props} /> };
}

function SecretPage({ endpoint, secret, sentence }: SecretPageProps): Child {
  const isPublic = endpoint.signature === 'v1a';
  return (
    <>
      <PageHead title={endpoint.name} sentence={sentence} trail={notificationsTrail} />
      {isPublic ? (
        <Notice kind="info">
          The receiver needs this public key. It is no secret: the page of the endpoint shows it, too.
        </Notice>
      ) : (
        <Notice kind="warn">
          Copy the secret now. It is shown only this once: a reload of this page changes nothing, and does not show it
          again.
        </Notice>
      )}
      <section class="stack">
        <h2>{isPublic ? 'Public key' : 'Secret'}</h2>
        <CodeBlock label={isPublic ? 'the public key' : 'the secret'} text={secret} />
      </section>
      <Verifying isPublic={isPublic} />
      <div class="row">
        <ButtonLink to={endpointPath(endpoint)} kind="primary" label="I have copied it" />
      </div>
    </>
  );
}

function Verifying({ isPublic }: { readonly isPublic: boolean }): Child {
  return (
    <section class="stack">
      <h2>How the receiver verifies a request</h2>
      <dl class="facts panel">
        <Fact label="webhook-id">The id of the event, the same in each attempt. Ignore an id that you know.</Fact>
        <Fact label="webhook-timestamp">
          Seconds since 1970. Refuse a request that is more than five minutes old or early.
        </Fact>
        <Fact label="webhook-signature">
          One or more signatures with spaces between them. One must fit <code>id.timestamp.body</code>.
        </Fact>
      </dl>
      <p>
        The libraries of{' '}
        <a href="https://github.com/standard-webhooks/standard-webhooks" rel="noreferrer">
          Standard Webhooks
          <Icon name="external-link" label="at another site" />
        </a>{' '}
        {isPublic
          ? 'describe it, with ed25519 as v1a.'
          : 'do it in PHP, JavaScript, Python, Go, Java, Ruby and others.'}
      </p>
      <details>
        <summary>In PHP, without a library</summary>
        <CodeBlock label="the lines that verify a request" text={isPublic ? publicKeyLines : sharedSecretLines} />
      </details>
    </section>
  );
}

const firstLines = [
  "$body = file_get_contents('php://input');",
  "$signed = $_SERVER['HTTP_WEBHOOK_ID'] . '.' . $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] . '.' . $body;",
  "$isFresh = abs(time() - (int) $_SERVER['HTTP_WEBHOOK_TIMESTAMP']) <= 300;",
  '$isSigned = false;',
  "foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE']) as $signature) {",
];
const lastLines = ['}', 'if (!$isFresh || !$isSigned) {', '    http_response_code(401);', '    exit;', '}'];

const sharedSecretLines = [
  "$key = base64_decode(substr(getenv('WEBHOOK_SECRET'), strlen('whsec_')));",
  ...firstLines,
  "    $expected = 'v1,' . base64_encode(hash_hmac('sha256', $signed, $key, true));",
  '    $isSigned = $isSigned || hash_equals($expected, $signature);',
  ...lastLines,
].join('\n');

const publicKeyLines = [
  "$key = base64_decode(substr(getenv('WEBHOOK_PUBLIC_KEY'), strlen('whpk_')));",
  ...firstLines,
  "    $bytes = base64_decode(substr($signature, strlen('v1a,')));",
  '    $isSigned = $isSigned || (strlen($bytes) === 64 && sodium_crypto_sign_verify_detached($bytes, $signed, $key));',
  ...lastLines,
].join('\n');
