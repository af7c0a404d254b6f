// `libretto token explain ID vendor/name [version]`: exit code 0 when the token sees it, 1 when it does not.

import { createLocalPublishedFiles } from '../../proxy/packages/published-files.ts';
import type { ExplainedVersion, Explanation } from '../../proxy/views/explain-view.ts';
import { reasonText } from '../../proxy/views/explanation-text.ts';
import { explainToken } from '../../proxy/views/explain-token.ts';
import type { TokenLimits } from '../../proxy/views/token-limits.ts';
import { loadConfig } from '../config.ts';
import type { Context } from '../context.ts';
import { firstOf, formatTable, printJson, printLines } from '../output.ts';
import type { Given } from '../command.ts';
import { runTokenCommand } from '../token-command.ts';
import { describeLimits } from '../token-limit-text.ts';
import { UsageError } from '../usage-error.ts';

const mostShown = 20;

export async function run(context: Context, given: Given): Promise<number> {
  const [, name = '', version] = given.operands;
  const { environment, workingDirectory, stdout } = context;
  const { data } = await loadConfig({ flags: given.flags, environment, workingDirectory });
  let seen = false;
  await runTokenCommand(context, given, async ({ tokens, id, nowMs, json }) => {
    const record = await tokens.get(id);
    const from = given.flags['from'] as string | undefined;
    const explanation = await explainToken(createLocalPublishedFiles(data.value), record, { name, version, from, nowMs });
    if (explanation === undefined) throw new UsageError(`${JSON.stringify(name)} is no package name; one looks like acme/hello.`);
    seen = explanation.seen;
    if (json) printJson(stdout, { ...explanation, reasons: explanation.reasons.map((code) => ({ code, message: reasonText(code, record) })) });
    else printLines(stdout, describe(explanation, record));
  });
  return seen ? 0 : 1;
}

function describe({ token_id: token, package: name, version, seen, reasons, versions }: Explanation, record: TokenLimits): readonly string[] {
  const limits = describeLimits(record);
  return [
    `${token} ${seen ? 'sees' : 'does not see'} ${name}${version === null ? '' : ` ${version}`}${reasons.length === 0 ? '.' : ':'}`,
    ...reasons.map((reason) => `- ${reasonText(reason, record)}.`),
    ...(versions.length === 0 ? [] : ['', ...firstOf(table(versions), mostShown)]),
    '',
    limits.length === 0 ? 'The token is not limited in what it sees.' : 'The token is limited to:',
    ...limits.map(([label, value]) => `  ${label}: ${value}`),
  ];
}

function table(versions: readonly ExplainedVersion[]): string[] {
  return formatTable(['VERSION', 'STATE', 'RELEASED', 'SEEN', 'HIDDEN BY'], versions.map(({ version, state, released_at: released, seen, hidden_by: hiddenBy }) => [version, state ?? 'none', released ?? 'unknown', seen ? 'yes' : 'no', hiddenBy.join(', ')]));
}
