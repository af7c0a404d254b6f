// `libretto state show`: the place and identity of the state, and the result of reading all of it. Exit code 1 if the
// state is unusable.

import { StateError } from '../../../proxy/core/state/state-error.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Config } from '../../config/config.ts';
import { readDataFolder } from '../../data-folder/open-data-folder.ts';
import type { Context } from '../../io/context.ts';
import { openStateIfAny } from '../../state/open-state.ts';
import { formatFields, printJson, printLines } from '../../io/output.ts';
import { readRememberedState } from '../../state/remembered-state.ts';
import { placeOf } from '../../state/state-place.ts';
import { assertRecords } from '../../state/state-records.ts';
import { assertWholeState } from '../../state/verify-state.ts';

interface StateReport {
  readonly place: string;
  /** `none`: there has been no state yet */
  readonly verdict: 'ok' | 'none' | 'unusable';
  readonly identity: string | null;
  /** the state that the data folder belongs to */
  readonly remembered: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

export async function run(context: Context, { flags }: CommandInput): Promise<number> {
  const { stdout } = context;
  const config = await readDataFolder(context, flags, 'state');
  const shown = await look(config);
  if (flags['json'] === true) printJson(stdout, shown);
  else printLines(stdout, describe(shown));
  return shown.verdict === 'unusable' ? 1 : 0;
}

async function look(config: Config): Promise<StateReport> {
  const place = placeOf(config).name;
  try {
    await assertWholeState(config);
    const state = await openStateIfAny(config);
    if (state !== undefined) await assertRecords(state).finally(() => state.close());
    const remembered = await readRememberedState(config.data.value);
    return {
      place,
      verdict: state === undefined ? 'none' : 'ok',
      identity: state?.identity ?? null,
      remembered: remembered?.identity ?? null,
      error: null,
    };
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    const remembered = await readRememberedState(config.data.value).catch(() => undefined);
    return {
      place,
      verdict: 'unusable',
      identity: error.found ?? null,
      remembered: remembered?.identity ?? null,
      error: { code: error.code, message: error.message },
    };
  }
}

const verdicts = { ok: 'all of it can be read', none: 'there is none yet', unusable: 'it cannot be used' } as const;

function describe({ place, verdict, identity, remembered, error }: StateReport): string[] {
  const fields = formatFields([
    ['place', place],
    ['state', verdicts[verdict]],
    ['identity', identity ?? 'none'],
    ['belongs to this data folder', remembered ?? 'none'],
  ]);
  return error === null ? fields : [...fields, '', error.message];
}
