// Pages for what is refused: each says what is wrong and what to do.

import type { Child } from 'hono/jsx';
import { errorTable, type RegistryError } from '../../../build/contract/errors.ts';
import type { InternalFault } from '../../core/http/internal-fault.ts';
import { waitAfter } from '../../core/http/wait-before-retry.ts';
import { MarkedText } from '../components/marked-text.tsx';
import { A, PageHead } from '../components/place.tsx';
import { Notice } from '../components/notice.tsx';
import type { PageView } from '../frame/definitions.ts';

const titles: Readonly<Partial<Record<RegistryError['code'], string>>> = {
  NOT_FOUND: 'Nothing is here',
  NOT_AVAILABLE: 'This server cannot do that',
  INSUFFICIENT_SCOPE: 'You may not do that',
  AUTHENTICATION_REQUIRED: 'Sign in first',
  TOO_MANY_ATTEMPTS: 'Too many attempts',
};

export function refusalView(error: RegistryError): PageView {
  const title = titles[error.code] ?? 'That did not work';
  return {
    title,
    status: error.status,
    retryAfterSeconds: waitAfter(error),
    allow: error.code === 'METHOD_NOT_ALLOWED' ? String(error.details['allow']) : undefined,
    content: (
      <>
        <PageHead title={title} sentence={<MarkedText text={error.message} />} />
        <p>
          <A to="/overview">Go to the overview</A>
        </p>
      </>
    ),
  };
}

/**
 * The session ended while a form was filled in. `page`: of the form, where people come after signing in. `isUpload`: it
 * has a file, which browsers do not send again.
 */
export function endedSessionView(page: string, isUpload: boolean): PageView {
  const title = 'Your session has ended';
  const signIn = `/sign-in?next=${encodeURIComponent(page)}`;
  if (isUpload)
    return {
      title,
      status: 401,
      content: (
        <>
          <PageHead title={title} sentence="Nothing was published. Sign in, and choose the file once more." />
          <p>
            <A to={signIn}>Sign in</A>
          </p>
        </>
      ),
    };
  return {
    title,
    status: 401,
    content: (
      <>
        <PageHead title={title} sentence="Nothing was done. This page still has what you typed." />
        <ol class="stack-tight">
          <li>
            <A to={signIn} target="_blank" rel="noopener">
              Sign in in another tab
            </A>
            .
          </li>
          <li>Then reload this page here. The browser sends the form once more.</li>
        </ol>
      </>
    ),
  };
}

/** `requestId`: names the request in the log. */
export function failureView(
  { code, message, retryAfterSeconds, isLogged }: InternalFault,
  requestId: string,
): PageView {
  const { status, message: standard } = errorTable[code];
  const title = 'The server cannot do that now';
  return {
    title,
    status,
    retryAfterSeconds,
    content: (
      <>
        <PageHead title={title} sentence={message ?? standard} />
        <p>
          The id of this request is <code>{requestId}</code>.
          {isLogged ? ' The log of the registry has the reason under this id.' : ''}
        </p>
        <p>
          <A to="/overview">Go to the overview</A>
        </p>
      </>
    ),
  };
}

/** `path`: of the page with the form; undefined: there is none. */
export function foreignPostView(path: string | undefined): PageView {
  const title = 'This form came from another site';
  return {
    title,
    status: 403,
    content: (
      <>
        <PageHead title={title} sentence="Nothing was done. Open the page here, and send the form again." />
        <p>
          <A to={path ?? '/overview'}>{path === undefined ? 'Go to the overview' : 'Open the page'}</A>
        </p>
      </>
    ),
  };
}

/**
 * `host`: as the browser sent it. `isUnsafe`: the connection is not encrypted, so that the name alone does not help.
 */
export function unknownHostView(host: string | undefined, isUnsafe: boolean): PageView {
  return {
    title: 'Unknown host name',
    status: 400,
    bare: true,
    content: (
      <>
        <h1>Unknown host name</h1>
        <p>
          The console does not answer requests for <code>{host ?? 'no host'}</code>. This protects it from pages of
          other sites that claim this name.
        </p>
        <p>
          If the name is yours, add it to the setting <code>consoleHosts</code>, or set <code>publicUrl</code> to the
          address of the registry. Then restart the server.
        </p>
        {isUnsafe ? (
          <>
            <h2>The connection is not encrypted either</h2>
            <p>The console also needs one of these, since anyone on the way could read passwords:</p>
            <TransportRemedies />
          </>
        ) : null}
      </>
    ),
  };
}

/** `host`: as the browser sent it. */
export function unsafeTransportView(host: string | undefined): PageView {
  return {
    title: 'This connection is not encrypted',
    status: 403,
    bare: true,
    content: (
      <>
        <h1>This connection is not encrypted</h1>
        <Notice kind="warn">
          Anyone between this browser and {host ?? 'the server'} could read passwords. So nobody can sign in here.
        </Notice>
        <h2>What the operator can do</h2>
        <TransportRemedies />
        <p>
          On the machine of the server itself,{' '}
          <code>{`http://localhost${/:\d+$/.exec(host ?? '')?.[0] ?? ''}/ui/`}</code> works.
        </p>
      </>
    ),
  };
}

function TransportRemedies(): Child {
  return (
    <ul class="stack-tight">
      <li>
        Give the server a certificate: <code>--tls-cert</code> and <code>--tls-key</code>.
      </li>
      <li>
        Put a reverse proxy with HTTPS in front, and set <code>publicUrl</code> to its address.
      </li>
      <li>
        For a trial in one's own network, set <code>consoleAllowHttp</code> to <code>true</code>.
      </li>
    </ul>
  );
}
