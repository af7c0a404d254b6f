// `libretto token import`: tokens of Repman and package.broker stay valid, users of a htpasswd file get new secrets.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { importTokens, type ForeignToken, type ImportedToken } from '../../../proxy/auth/import-tokens.ts';
import { createAuditedStore } from '../../../proxy/state/audit.ts';
import { openExistingState } from '../../compose/tokens.ts';
import { makeOrReadDataFolder } from '../../data-folder/open-data-folder.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { formatTable, printJson, printLines, revealSecret } from '../../io/output.ts';
import { describeReadFault } from '../../io/read-fault.ts';
import { UsageError } from '../../io/usage-error.ts';
import { openStateToChange } from '../../state/state-to-change.ts';
import { parseTokenFile } from './parse-token-file.ts';
import { parseLimitFlags } from './token-limit-flags.ts';

export async function run(context: Context, { flags, operands }: CommandInput): Promise<number> {
  const { workingDirectory, stdout, remarks, now, randomBytes, actor } = context;
  const file = resolve(workingDirectory, operands[0] ?? '');
  const tokens = readTokens(file);
  const limits = parseLimitFlags(flags);
  const dryRun = flags['dryRun'] === true;
  const { config, announceNew } = await makeOrReadDataFolder(context, flags, 'state');
  const state = await (dryRun ? openExistingState(config) : openStateToChange(config));
  const nowMs = (): number => now().getTime();
  const store = createAuditedStore({ store: state, now: nowMs });
  const imported = await importTokens({ store, now: nowMs, randomBytes, actor, limits, dryRun }, tokens)
    .finally(() => state.close())
    .finally(announceNew);
  const shown = imported.map(({ secret, ...one }) => ({
    ...one,
    token: secret === undefined ? null : revealSecret(secret),
  }));
  if (flags['json'] === true) printJson(stdout, { dry_run: dryRun, tokens: shown });
  else {
    const rows = shown.map(({ description, change, id, token }) => [description, words[change], id ?? '', token ?? '']);
    printLines(stdout, formatTable(['DESCRIPTION', 'CHANGE', 'ID', 'TOKEN (SHOWN ONCE)'], rows));
  }
  if (!dryRun && imported.some(({ change }) => change === 'import'))
    printLines(remarks, [
      'Imported secrets keep working. They have no prefix that secret scanners know: replace each with `libretto token ' +
        'rotate ID`. `libretto doctor` names those that are left.',
    ]);
  await stdout.delivered(shown.some(({ token }) => token !== null) ? undelivered : undefined);
  return 0;
}

const undelivered =
  'Tokens were created, but their secrets could not be printed. Give them new ones with `libretto token rotate ID`.';

function readTokens(file: string): readonly ForeignToken[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${describeReadFault(error)}.`, { cause: error });
  }
  return parseTokenFile(text.replace(/^\ufeff/, ''), file);
}

const words: Readonly<Record<ImportedToken['change'], string>> = {
  import: 'keeps its secret',
  create: 'gets a new secret',
  none: 'is here already',
  expired: 'has expired, and is left out',
};
