// `libretto token explain ID vendor/name [version]`: exit code 0 when the token sees it, 1 when it does not.

import { parsePackageName } from '../../../build/contract/name.ts';
import type { MirroredReleases } from '../../../proxy/auth/explain-token.ts';
import { mirroredText } from '../../../proxy/auth/explanation-text.ts';
import { describeLimits } from '../../../proxy/auth/token-limit-text.ts';
import { explainToken, getToken, type TokenServices } from '../../../proxy/tokens/operations.ts';
import type { TokenExplanation } from '../../../proxy/tokens/token-explanation.ts';
import type { TokenDocument } from '../../../proxy/tokens/token-schema.ts';
import { composeSettings } from '../../compose/settings.ts';
import { firstOf, formatTable } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';
import { mirroredReleases } from '../../mirror/mirrored-releases.ts';
import { openPrivateNames } from '../../mirror/private-names-reader.ts';
import { notAPackageName } from '../../text/name-and-version.ts';
import { operationCommand, type Noun } from '../operation-command.ts';
import { tokenNoun } from './token-noun.ts';

const mostShown = 20;

const noun: Noun<TokenServices> = {
  ...tokenNoun,
  compose: async (opened, context) => {
    const { config, state } = opened;
    const settings = composeSettings(config, context, state);
    const mirrored: MirroredReleases = async (name) => {
      const { read, close } = await openPrivateNames(config, context);
      return mirroredReleases(config, context, { state, settings, privateNames: read })(name).finally(close);
    };
    const { services } = await tokenNoun.compose(opened, context);
    return { services: { ...services, mirroredReleases: mirrored } };
  },
};

export const explain = operationCommand(
  noun,
  async ({ call, operands: [id = '', name = '', version], flags, print }) => {
    const token = await call(getToken, { id });
    if (parsePackageName(name.toLowerCase()) === undefined) throw new UsageError(notAPackageName(name));
    const { from } = flags as { readonly from?: string };
    const explanation = await call(explainToken, { id: token.id, package: name, version, from });
    print(explanation, (document) => describe(document, token));
    return explanation.seen ? 0 : 1;
  },
  { area: 'all' },
);

function describe(explanation: TokenExplanation, token: TokenDocument): readonly string[] {
  const { token_id: id, package: name, version, seen, mirrored, reasons, versions } = explanation;
  const limits = describeLimits(token);
  return [
    `${id} ${seen ? 'sees' : 'does not see'} ` +
      `${name}${version === null ? '' : ` ${version}`}${reasons.length === 0 ? '.' : ':'}`,
    ...reasons.map(({ message }) => `- ${message}.`),
    ...(mirrored ? [mirroredText(versions)] : []),
    ...(versions.length === 0 ? [] : ['', ...firstOf(table(versions, mirrored ? 'mirrored' : 'none'), mostShown)]),
    '',
    limits.length === 0 ? 'The token has no limits.' : 'The token is limited to:',
    ...limits.map(([label, value]) => `  ${label}: ${value}`),
  ];
}

function table(versions: TokenExplanation['versions'], withoutState: string): string[] {
  return formatTable(
    ['VERSION', 'STATE', 'RELEASED', 'SEEN', 'HIDDEN BY'],
    versions.map(({ version, state, released_at: released, seen, hidden_by: hiddenBy }) => [
      version,
      state ?? withoutState,
      released ?? 'unknown',
      seen ? 'yes' : 'no',
      hiddenBy.join(', '),
    ]),
  );
}
