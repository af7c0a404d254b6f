// The lines that install the package from this registry, at the address that the reader uses.

import type { Child } from 'hono/jsx';
import { registryLines, requireLine, tokenLine } from '../../../../build/shared/text/install-lines.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { A } from '../../components/place.tsx';

interface InstallPanelProps {
  /** `acme/hello:^2.4` */
  readonly requirement: string;
  /** the address of the registry */
  readonly origin: string;
  /** true: the reader may create tokens */
  readonly makesTokens: boolean;
}

export function InstallPanel({ requirement, origin, makesTokens }: InstallPanelProps): Child {
  return (
    <section class="stack-tight" aria-labelledby="install">
      <h2 id="install">Install</h2>
      <CodeBlock
        label="the lines that install it"
        text={[...registryLines(origin), requireLine(requirement)].join('\n')}
      />
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
    </section>
  );
}
