// `libretto user show`: one user, with the ways to sign in, the teams, and the terminals of `libretto login`.

import { personalTokens } from '../../../proxy/auth/personal-tokens.ts';
import { showUser } from '../../../proxy/auth/user.ts';
import { personPackages } from '../../../proxy/teams/person-packages.ts';
import { listTeams } from '../../../proxy/teams/team-roster.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { formatFields, printJson, printLines } from '../../io/output.ts';
import { describeUser, runUserCommand } from './user-command.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  return runUserCommand(context, given, async ({ find, state, json }) => {
    const record = await find();
    const [teams, packages, terminals] = await Promise.all([
      listTeams(state),
      personPackages(state, record),
      personalTokens(state, record.id, context.now().getTime()),
    ]);
    const document = {
      ...showUser(record),
      identities: (record.identities ?? []).map(({ issuer, subject, last_login_at }) => ({
        issuer,
        subject,
        last_login_at,
      })),
      teams: teams.filter(({ members }) => members.includes(record.id)).map(({ id, name }) => ({ id, name })),
      packages,
      tokens: terminals.map(({ id, description, expires_at }) => ({ id, description, expires_at })),
    };
    if (json) printJson(context.stdout, document);
    else
      printLines(context.stdout, [
        ...describeUser(document),
        ...formatFields([
          ...document.identities.map(({ issuer, subject }) => ['signs in at', `${issuer} as ${subject}`] as const),
          ...document.teams.map(({ name }) => ['team', name] as const),
          ['sees', packages === null ? 'all packages' : packages.join(', ') || 'no packages'],
          ...document.tokens.map(({ id, description }) => ['terminal', `${id}, ${description}`] as const),
        ]),
      ]);
  });
}
