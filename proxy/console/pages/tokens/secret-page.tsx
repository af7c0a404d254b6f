// The page that shows a secret, once: after a token was made, and after it got a new secret. It also has the lines that
// give the secret to Composer and to CI systems.

import type { Child } from 'hono/jsx';
import type { Secret } from '../../../../build/shared/text/secret.ts';
import { registryLines, tokenLine, authArguments } from '../../../../build/shared/text/install-lines.ts';
import { quoteForShell } from '../../../../build/shared/text/quote-for-shell.ts';
import { describeAllowance } from '../../../auth/token-allowance.ts';
import type { TokenKind } from '../../../core/tokens/token-format.ts';
import { authDocument, publishLine } from '../../../auth/token-use-text.ts';
import { effectiveLimit, type TokenRecord } from '../../../core/tokens/token.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead } from '../../components/place.tsx';
import type { PageView } from '../../frame/definitions.ts';
import { tokenPath } from './services.ts';

interface SecretPageProps {
  readonly record: TokenRecord;
  readonly secret: Secret;
  /** the address of the registry */
  readonly origin: string;
  readonly defaults: Readonly<Record<TokenKind, number>>;
  /** what happens to the secret before this one; undefined: the token is new */
  readonly former?: string;
}

export function tokenSecretView(props: SecretPageProps): PageView {
  return { title: `Secret of ${props.record.description}`, section: 'tokens', content: <SecretPage {...props} /> };
}

function SecretPage({ record, secret, origin, defaults, former }: SecretPageProps): Child {
  const { host } = new URL(origin);
  const text = secret.reveal();
  return (
    <>
      <PageHead
        title={record.description}
        sentence={former ?? 'The token is created.'}
        trail={[{ label: 'Tokens', to: '/tokens' }]}
      />
      <Notice kind="warn">
        Copy the secret now. It is shown only this once: a reload of this page changes nothing, and does not show it
        again.
      </Notice>
      <section class="stack">
        <h2>Secret</h2>
        <CodeBlock label="the secret" text={text} />
      </section>
      <ForComposer origin={origin} secret={text} limit={effectiveLimit(record, defaults)} />
      {record.kind === 'write' ? <Publishing origin={origin} secret={text} /> : null}
      <Ci host={host} />
      <div class="row">
        <ButtonLink to={tokenPath(record)} kind="primary" label="I have copied it" />
      </div>
    </>
  );
}

interface ForComposerProps {
  readonly origin: string;
  readonly secret: string;
  /** requests an hour; 0: without a limit */
  readonly limit: number;
}

function ForComposer({ origin, secret, limit }: ForComposerProps): Child {
  const { host } = new URL(origin);
  return (
    <section class="stack">
      <h2>Give it to Composer</h2>
      <p>In a project, or with --global for all projects of a user:</p>
      <CodeBlock
        label="the lines for Composer"
        text={[...registryLines(origin), tokenLine(origin, secret)].join('\n')}
      />
      <p>Or write auth.json, beside composer.json. Keep that file out of git:</p>
      <CodeBlock label="the content of auth.json" text={authDocument(host, secret)} />
      <p>Or set an environment variable:</p>
      <CodeBlock
        label="the environment variable"
        text={`export COMPOSER_AUTH=${quoteForShell(authDocument(host, secret))}`}
      />
      <p class="soft small">{describeAllowance(limit).replaceAll('`', '')}</p>
    </section>
  );
}

function Publishing({ origin, secret }: { readonly origin: string; readonly secret: string }): Child {
  return (
    <section class="stack">
      <h2>Publish with it</h2>
      <p>In the folder of a package:</p>
      <CodeBlock label="the line that publishes" text={publishLine(secret, origin, 'libretto')} />
    </section>
  );
}

function Ci({ host }: { readonly host: string }): Child {
  return (
    <section class="stack">
      <h2>In CI</h2>
      {ciSnippets(host).map(({ system, sentence, text }) => (
        <details>
          <summary>{system}</summary>
          <div class="stack-tight">
            <p>{sentence}</p>
            <CodeBlock label={`the job for ${system}`} text={text} />
          </div>
        </details>
      ))}
    </section>
  );
}

// What a CI system needs to install with a token: the token in a secret variable, and a job that gives it to Composer.
// Pure.

interface Snippet {
  readonly system: string;
  /** where to store the secret */
  readonly sentence: string;
  readonly text: string;
}

/** `host`: of the registry, with its port. */
function ciSnippets(host: string): readonly Snippet[] {
  const auth = `composer config --global ${authArguments(host, '"$LIBRETTO_TOKEN"')}`;
  const install = 'composer install --no-interaction';
  return [
    {
      system: 'GitHub Actions',
      sentence: 'Store the secret under Settings, Secrets and variables, Actions, as LIBRETTO_TOKEN.',
      text: lines(
        '- run: |',
        `    ${auth}`,
        `    ${install}`,
        '  env:',
        '    LIBRETTO_TOKEN: ${{ secrets.LIBRETTO_TOKEN }}',
      ),
    },
    {
      system: 'GitLab CI',
      sentence: 'Store the secret under Settings, CI/CD, Variables, as LIBRETTO_TOKEN, masked.',
      text: lines('install:', '  image: composer:2', '  script:', `    - ${auth}`, `    - ${install}`),
    },
    {
      system: 'Bitbucket Pipelines',
      sentence: 'Store the secret under Repository settings, Repository variables, as LIBRETTO_TOKEN, secured.',
      text: lines(
        'pipelines:',
        '  default:',
        '    - step:',
        '        image: composer:2',
        '        script:',
        `          - ${auth}`,
        `          - ${install}`,
      ),
    },
    {
      system: 'Any other system',
      sentence: 'Store the secret in a variable that the job sees and its log hides: LIBRETTO_TOKEN.',
      text: lines(auth, install),
    },
  ];
}

function lines(...all: readonly string[]): string {
  return all.join('\n');
}
