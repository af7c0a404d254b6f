// The frame of each command about teams: opens state and service, and explains refusals.

import { RegistryError } from '../../../build/contract/errors.ts';
import { readUsers } from '../../../proxy/auth/user-records.ts';
import { createAuditedStore } from '../../../proxy/state/audit.ts';
import type { TeamRecord } from '../../../proxy/teams/team.ts';
import { createTeams, type Teams } from '../../../proxy/teams/teams.ts';
import { openCommandState, type Opening } from '../../compose/command-state.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printLines } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';
import { describeTeam, type TeamDocument } from '../../text/team-text.ts';

export interface TeamCommand {
  readonly context: Context;
  /** on behalf of the user of this command line */
  readonly teams: Teams;
  /** the operands; the first one names the team */
  readonly operands: readonly string[];
  readonly json: boolean;
  /** with the addresses of the members */
  readonly show: (records: readonly TeamRecord[]) => Promise<readonly TeamDocument[]>;
}

/** Runs `work` and resolves with exit code 0; refusals are thrown as UsageError. `opening`: as of openCommandState. */
export async function runTeamCommand(
  context: Context,
  { flags, operands }: CommandInput,
  work: (command: TeamCommand) => Promise<void>,
  opening: Opening = {},
): Promise<number> {
  const { state } = await openCommandState(context, flags, opening);
  const { randomBytes, actor } = context;
  const now = (): number => context.now().getTime();
  const store = createAuditedStore({ store: state, now });
  try {
    await work({
      context,
      teams: createTeams({ store, now, randomBytes, actor }),
      operands,
      json: flags['json'] === true,
      show: async (records) => {
        const emails = new Map((await readUsers(state)).map(({ id, email }) => [id, email] as const));
        return records.map((record) => ({
          ...record,
          members: record.members.map((id) => ({ id, email: emails.get(id) ?? null })),
        }));
      },
    });
  } catch (error) {
    throw error instanceof RegistryError && error.status < 500 ? asTeamRefusal(error) : error;
  } finally {
    await state.close();
  }
  return 0;
}

/** Prints a team that was made or changed. */
export async function printTeam({ context, json, show }: TeamCommand, record: TeamRecord): Promise<void> {
  for (const document of await show([record])) {
    if (json) printJson(context.stdout, { ...document });
    else printLines(context.summary, describeTeam(document));
  }
}

/** The refusal, with one line for each flag. */
function asTeamRefusal(error: RegistryError): UsageError {
  const issues = Array.isArray(error.details['issues']) ? error.details['issues'] : [];
  const lines = (issues as readonly { readonly path?: unknown; readonly message?: unknown }[]).map(
    ({ path, message }) => `  ${flagOf(String(path))}${String(message)}`,
  );
  const advice = error.code === 'NOT_FOUND' ? ' `libretto team list` shows all of them.' : '';
  const text = lines.length === 0 ? `${error.message}${advice}` : ['The change is refused:', ...lines].join('\n');
  return new UsageError(text, { cause: error });
}

/** `packages.0` → `--package: ` */
function flagOf(path: string): string {
  const [field = ''] = path.split('.');
  if (field === 'packages') return '--package: ';
  return field === 'name' ? 'the name ' : '';
}
