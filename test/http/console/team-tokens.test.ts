// Pages about teams say what they leave as it is: the tokens that people made before.

import { expect, it } from 'vitest';
import { runConsole } from '../../util/running-console.ts';

const stay = 'Tokens that people made for others still see what they saw';

it('the page of the first team and the removal of a team say that tokens stay', async () => {
  await using console = await runConsole();
  const { browser } = await console.signIn('admin');
  expect((await browser.get('/teams/new')).text).toContain(stay);
  const made = await browser.post('/teams/new', { name: 'Shop', packages: 'acme/*', members: '' });
  expect(made.status).toBe(303);
  const page = await browser.get(String(made.headers['location']).replace(/^[./]*/, '/'));
  expect(page.text).toContain('Tokens that people made before see what they saw');
  const id = /team\/|teams\/(tea_\w+)/.exec(page.html)?.[1] ?? 'none';
  expect((await browser.get(`/teams/${id}/remove`)).text).toContain(stay);
  expect((await browser.get('/teams/new')).text).not.toContain(stay);
});
