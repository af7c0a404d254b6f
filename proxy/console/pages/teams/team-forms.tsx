// The forms about teams: a new one, a changed one, its members, and the question before its removal.

import { RegistryError } from '../../../../build/contract/errors.ts';
import { readPackageRule } from '../../../teams/package-rule.ts';
import {
  addTeamMembers,
  createTeam,
  deleteTeam,
  removalOf,
  removeTeamMember,
  updateTeam,
  type TeamDocument,
} from '../../../teams/operations.ts';
import { listTeams } from '../../../teams/team-roster.ts';
import { Notice } from '../../components/notice.tsx';
import { A } from '../../components/place.tsx';
import type { FormPage, PageOutcome } from '../../frame/definitions.ts';
import { operationForm } from '../../frame/operation-form.tsx';
import type { Pages } from '../../frame/pages.ts';
import { fieldFault } from '../../request/form-fields.ts';
import { teamOf, teamPath, teamsTrail, teamTrail, type TeamPageServices } from './services.ts';
import type { Child } from 'hono/jsx';
import { longestName } from '../../../teams/team-fields.ts';
import { TextArea, TextField } from '../../components/form.tsx';

/** The fields of a team in its forms. */
function TeamNameField(): Child {
  return (
    <TextField
      name="name"
      label="Name"
      hint="No other team has it, such as Shop."
      maxlength={longestName}
      autocomplete="off"
      required
    />
  );
}

function PackagesField(): Child {
  return (
    <TextArea
      name="packages"
      label="Packages"
      hint="One name or pattern a line, such as acme/core or acme/*. A line with * alone means all packages."
      rows={4}
      required
    />
  );
}

function MembersField({ required = false }: { readonly required?: boolean }): Child {
  return (
    <TextArea
      name="members"
      label="Members"
      hint="One email address of an account a line, such as ada@example.org."
      rows={4}
      required={required}
    />
  );
}

const section = 'teams';

export function registerTeamForms(pages: Pages, services: TeamPageServices): void {
  for (const form of [newTeam, editedTeam, removedTeam, newMembers, removedMember]) pages.form(form(services));
}

const newTeam = (services: TeamPageServices): FormPage =>
  operationForm(services, createTeam, {
    section,
    lists: ['packages', 'members'],
    view: async () => ({
      title: 'Create team',
      sentence: 'Its members see its packages, and those of their other teams.',
      trail: teamsTrail,
      notice: (await isFirst(services)) ? <FirstTeam /> : null,
      submit: 'Create team',
      fields: (
        <>
          <TeamNameField />
          <PackagesField />
          <MembersField />
        </>
      ),
    }),
    input: (_request, fields) => ({
      name: fields.text('name'),
      packages: fields.lines('packages'),
      members: fields.lines('members'),
    }),
    done: (team) => at(team, team?.changed_people_packages === true ? 'first' : 'made'),
  });

const editedTeam = (services: TeamPageServices): FormPage =>
  operationForm(services, updateTeam, {
    section,
    lists: ['packages'],
    of: teamOf,
    view: (team) => ({
      title: `Edit ${team.name}`,
      sentence: 'The members see the new packages with their next request.',
      trail: teamTrail(team),
      submit: 'Save changes',
      values: { name: team.name, packages: team.packages.join('\n') },
      fields: (
        <>
          <TeamNameField />
          <PackagesField />
        </>
      ),
    }),
    input: (request, fields) => ({
      id: request.param('id'),
      name: fields.text('name'),
      packages: fields.lines('packages'),
    }),
    done: (team) => at(team, 'saved'),
  });

const removedTeam = (services: TeamPageServices): FormPage =>
  operationForm(services, deleteTeam, {
    section,
    of: teamOf,
    view: (team) => ({
      title: `Remove ${team.name}?`,
      sentence: removalOf(team),
      trail: teamTrail(team),
      notice: (
        <p>
          <TokensStay />
        </p>
      ),
      submit: 'Remove the team',
    }),
    done: () => ({ to: '/teams', notice: 'removed' }),
  });

const newMembers = (services: TeamPageServices): FormPage =>
  operationForm(services, addTeamMembers, {
    section,
    lists: ['members'],
    of: teamOf,
    view: (team) => ({
      title: `Add people to ${team.name}`,
      sentence: 'They see the packages of the team with their next request.',
      trail: teamTrail(team),
      submit: 'Add to the team',
      fields: <MembersField required />,
    }),
    input: (request, fields) => {
      const members = fields.lines('members');
      if (members.length === 0) throw fieldFault('members', 'Write at least one email address.');
      return { id: request.param('id'), members };
    },
    done: (team) => at(team, 'added'),
  });

const removedMember = (services: TeamPageServices): FormPage =>
  operationForm(services, removeTeamMember, {
    section,
    of: teamOf,
    view: (team, request) => ({
      title: `Remove ${nameOf(team, request.param('user'))} from ${team.name}?`,
      sentence: 'With the next request they no longer see its packages, unless another of their teams has them.',
      trail: teamTrail(team),
      submit: 'Remove from the team',
    }),
    done: (team) => at(team, 'left'),
  });

const at = (team: TeamDocument | undefined, notice: string): PageOutcome =>
  team === undefined ? { to: '/teams' } : { to: teamPath(team), notice };

async function isFirst({ state }: TeamPageServices): Promise<boolean> {
  const [teams, { rule }] = await Promise.all([listTeams(state), readPackageRule(state)]);
  return teams.length === 0 && rule === 'all';
}

function FirstTeam() {
  return (
    <Notice kind="warn">
      This is the first team. From then on, people without a team see no packages, except admins: the setting
      people.packages becomes teams. <TokensStay />
    </Notice>
  );
}

/** What a change of teams leaves as it is: the tokens that people made for others. */
function TokensStay() {
  return (
    <>
      Tokens that people made for others still see what they saw. Maintainers in a team without * cannot see or revoke
      theirs: look at <A to="/tokens">all tokens</A>.
    </>
  );
}

/** The member, by id or e-mail address. Throws NOT_FOUND. */
function nameOf({ name, members }: TeamDocument, user: string): string {
  const found = members.find(({ id, email }) => id === user || email === user);
  if (found !== undefined) return found.email ?? found.id;
  throw new RegistryError('NOT_FOUND', { message: `Nobody with this id is in the team ${name}.` });
}
