// The lines that install the package from this registry, at the address that the reader uses.

import type { Child } from 'hono/jsx';
import { registryLines, requireLine, tokenLine } from '../../../../build/shared/text/install-lines.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { Notice } from '../../components/notice.tsx';
import { A } from '../../components/place.tsx';

interface InstallPanelProps {
  /** `acme/hello:^2.4`; undefined: every version is malware */
  readonly requirement: string | undefined;
  /** the address of the registry; undefined: not configured, which only happens in the catalogue */
  readonly origin: string | undefined;
  /** true: the reader may create tokens */
  readonly makesTokens: boolean;
}

export function InstallPanel({ requirement, origin, makesTokens }: InstallPanelProps): Child {
  if (requirement === undefined)
    return <Notice kind="bad">Every version is malware, so no line that installs it is shown.</Notice>;
  return (
    <section class="stack-tight" aria-labelledby="install">
      <h2 id="install">Install</h2>
      <CodeBlock
        label="the lines that install it"
        text={[...(origin === undefined ? [] : registryLines(origin)), requireLine(requirement)].join('\n')}
      />
      {origin === undefined ? (
        <p class="small soft">
          The project must know the registry. Its address is not configured: set <code>publicUrl</code> in
          libretto.json, and publish the catalogue again.
        </p>
      ) : (
        <TokenAdvice {...{ origin, makesTokens }} />
      )}
    </section>
  );
}

function TokenAdvice({ origin, makesTokens }: { readonly origin: string; readonly makesTokens: boolean }): Child {
  return (
    <details>
      <summary>Give Composer a token first</summary>
      <div class="stack-tight">
        <CodeBlock label="the line that gives Composer a token" text={tokenLine(origin, 'YOUR_TOKEN')} />
        <p class="small soft">
          Run it once in the project. Replace YOUR_TOKEN with a read token
          {makesTokens ? (
            <>
              : <A to="/tokens/new">create a token</A>.
            </>
          ) : (
            '; a maintainer creates it.'
          )}
        </p>
      </div>
    </details>
  );
}
