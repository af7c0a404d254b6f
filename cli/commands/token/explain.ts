// `libretto token explain ID vendor/name [version]`: exit code 0 when the token sees it, 1 when it does not.

import { createLocalPublishedFiles } from '../../../proxy/core/tree/published-files.ts';
import type { ExplainedVersion } from '../../../proxy/auth/explain-verdict.ts';
import type { Explanation } from '../../../proxy/auth/explain-view.ts';
import { mirroredText, reasonText } from '../../../proxy/auth/explanation-text.ts';
import { explainToken } from '../../../proxy/auth/explain-token.ts';
import type { TokenLimits } from '../../../proxy/core/views/token-limits.ts';
import { composeSettings } from '../../compose/settings.ts';
import type { Context } from '../../io/context.ts';
import { openPrivateNames } from '../../mirror/private-names-reader.ts';
import { mirroredReleases } from '../../mirror/mirrored-releases.ts';
import { firstOf, formatTable, printJson, printLines } from '../../io/output.ts';
import type { CommandInput } from '../../io/command.ts';
import { runTokenCommand } from './token-command.ts';
import { describeLimits } from '../../../proxy/auth/token-limit-text.ts';
import { UsageError } from '../../io/usage-error.ts';
import { notAPackageName } from '../../text/name-and-version.ts';

const mostShown = 20;

export async function run(context: Context, given: CommandInput): Promise<number> {
  const [, name = '', version] = given.operands;
  const { stdout } = context;
  let seen = false;
  await runTokenCommand(
    context,
    given,
    async ({ tokens, config, state, id, nowMs, json }) => {
      const record = await tokens.get(id);
      const from = given.flags['from'] as string | undefined;
      const privateNames = await openPrivateNames(config);
      const mirrored = mirroredReleases(config, context, {
        state,
        settings: composeSettings(config, context, state),
        privateNames: privateNames.read,
      });
      const explanation = await explainToken(
        createLocalPublishedFiles(config.data.value),
        record,
        { name, version, from, nowMs },
        mirrored,
      ).finally(privateNames.close);
      if (explanation === undefined) throw new UsageError(notAPackageName(name));
      seen = explanation.seen;
      if (json)
        printJson(stdout, {
          ...explanation,
          reasons: explanation.reasons.map((code) => ({ code, message: reasonText(code, record) })),
        });
      else printLines(stdout, describe(explanation, record));
    },
    { area: 'all' },
  );
  return seen ? 0 : 1;
}

function describe(
  { token_id: token, package: name, version, seen, mirrored, reasons, versions }: Explanation,
  record: TokenLimits,
): readonly string[] {
  const limits = describeLimits(record);
  return [
    `${token} ${seen ? 'sees' : 'does not see'} ` +
      `${name}${version === null ? '' : ` ${version}`}${reasons.length === 0 ? '.' : ':'}`,
    ...reasons.map((reason) => `- ${reasonText(reason, record)}.`),
    ...(mirrored ? [mirroredText(versions)] : []),
    ...(versions.length === 0 ? [] : ['', ...firstOf(table(versions, mirrored ? 'mirrored' : 'none'), mostShown)]),
    '',
    limits.length === 0 ? 'The token has no limits.' : 'The token is limited to:',
    ...limits.map(([label, value]) => `  ${label}: ${value}`),
  ];
}

function table(versions: readonly ExplainedVersion[], withoutState: string): string[] {
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
