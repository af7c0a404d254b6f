// Tests that advice for the command line is in the words of the console, for the texts that the program has now.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { registeredReason } from '../../../../../cli/builds/registered-advice.ts';
import { pageWords, withCapital } from '../../../../../proxy/console/components/page-words.ts';
import type { RepositoryRecord } from '../../../../../proxy/sync/repository.ts';

const refused =
  'Credentials are missing or were not accepted: set up a git credential helper or an ssh key for the user who runs the ' +
  'build; give a registered repository other credentials.';

/** The text of a source, its string literals joined. */
const textOf = (path: string): string =>
  readFileSync(path, 'utf8')
    .replaceAll(/(?<!\\)['`]\s*\+\s*['`]/g, '')
    .replaceAll('\\`', '`');

it('failed credentials of a registered repository lead to the page', () => {
  const record = { id: 'repo_rHy6Zf35IiKLGiF3', credentials: null } as RepositoryRecord;
  expect(pageWords(registeredReason(record, refused))).toBe(
    'Credentials are missing or were not accepted: enter others under “Credentials”.',
  );
  const connected = { ...record, forge: { connection: 'conn_a' } } as RepositoryRecord;
  expect(pageWords(registeredReason(connected, refused))).toContain(
    'enter others under “Credentials” of its connection.',
  );
});

it.each([
  ['proxy/forges/connections.ts', /\. `libretto connection refresh [^`]*` goes on with it.*?plan\./],
  ['build/package/decide-package.ts', /or forget one source, such as `libretto build --forget [^`]*`\./],
  ['build/package/decide-package.ts', /, or use --allow-republish if nobody can have installed the old one\./],
  ['build/package/make-version.ts', /, or use --allow-republish if nobody can have installed the old one\./],
  ['build/artifacts/find-existing.ts', /run `libretto package restore [^`]*` on the host\./],
  ['build/artifacts/find-existing.ts', /or run `libretto rollback --lift` on the host, which ends the rollback\./],
  ['cli/doctor/build-results.ts', /Run `libretto build`: it names the reason\./],
])('the advice of %s has an equal on pages', (path, pattern) => {
  const said = pattern.exec(textOf(path))?.[0] ?? expect.fail(`${path} no longer says so`);
  expect(pageWords(said.replaceAll(/\$\{[^}]*\}+/g, 'x'))).not.toBe(said.replaceAll(/\$\{[^}]*\}+/g, 'x'));
});

it('a sentence begins with a capital, and a name stays as it is', () => {
  expect(withCapital('its content differs')).toBe('Its content differs');
  for (const name of ['acme/tool is missing', 'composer.json has no name', 'dev-main is old'])
    expect(withCapital(name)).toBe(name);
});
