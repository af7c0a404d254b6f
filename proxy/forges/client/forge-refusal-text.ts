// A refusal of a forge in words: who refused what, and what to do. Sentences and links of the forge are shown as text, and
// shortened.

import type { Dialect } from '../dialects/dialect.ts';
import { objectOf, textOf } from '../dialects/fields.ts';
import { forgeTitles } from '../model/forge-name.ts';
import { parseJsonText } from '../model/json-text.ts';
import { ForgeRefusal } from './forge-failure.ts';
import type { ForgeAnswer } from './forge-http.ts';

export function refusal({ name }: Pick<Dialect, 'name'>, answer: ForgeAnswer, path: string): ForgeRefusal {
  return new ForgeRefusal(textOfRefusal(forgeTitles[name], answer, path.split('?', 1)[0] ?? ''), {
    status: answer.status,
  });
}

function textOfRefusal(title: string, answer: ForgeAnswer, place: string): string {
  const { status } = answer;
  if (status === 401)
    return `${title} did not accept the credentials. They may be expired or revoked: give the connection new ones.`;
  if (status === 403)
    return (
      `${title} forbids ${place} for these credentials.${sentenceOf(answer)}${singleSignOn(answer)} Give them the ` +
      'permissions in the how-to of the connection.'
    );
  if (status === 404)
    return `${title} has no ${place}, or these credentials do not see it. Check the owner and the permissions.`;
  if (status >= 300 && status < 400)
    return `${title} answered ${place} with a redirect (status ${status}). Use the address to which it moved.`;
  return `${title} answered ${place} with status ${status}. Check that the address is that of ${title}.`;
}

const longest = 300;

/** The forge's own sentence: one line of visible characters. */
function sentenceOf({ text }: ForgeAnswer): string {
  const body = objectOf(parseJsonText(text) ?? null);
  const message = textOf(body?.['message']) ?? textOf(objectOf(body?.['error'])?.['message']);
  const line = message?.replaceAll(/[\p{C}\p{Z}\s]+/gu, ' ').trim() ?? '';
  if (line === '') return '';
  return ` It says: “${line.length > longest ? `${line.slice(0, longest)}…` : line}”`;
}

/** GitHub's `X-GitHub-SSO: required; url=…`: where the token is permitted for an organisation with single sign-on. */
function singleSignOn({ headers }: ForgeAnswer): string {
  const link = /^required; *url=(https:\/\/[\x21-\x7e]{1,500})$/.exec(headers['x-github-sso'] ?? '')?.[1];
  return link === undefined ? '' : ` Permit the token for the single sign-on of the organisation: ${link}`;
}
