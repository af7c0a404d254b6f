// Finds what one looks for by name: packages, versions, tokens, people, settings and pages, as far as the visitor may
// know each of them. Where nothing has the words, names that differ by a slip count.

import { parsePackageName } from '../../../../build/contract/name.ts';
import { readUsers } from '../../../auth/user-records.ts';
import type { View } from '../../../core/views/view.ts';
import { readPublishedPackage } from '../../../packages/published-package.ts';
import { rankPackages } from '../../../packages/rank-packages.ts';
import type { Searched } from '../../../packages/search-packages.ts';
import { similarParts } from '../../../packages/similar-names.ts';
import { settingKeys } from '../../../settings/definitions.ts';
import type { IconName } from '../../components/icon.tsx';
import type { SignedInRequest } from '../../frame/definitions.ts';
import { sections, type SectionEntry } from '../../frame/sections.ts';
import type { PackagePageServices } from '../package/package-services.ts';
import { labelOf, settingPage } from '../../../settings/setting-groups.ts';
import { tokensFor, type TokenPageServices } from '../tokens/services.ts';

export type SearchPageServices = Pick<PackagePageServices, 'mirrored'> & TokenPageServices;

export interface Found {
  readonly icon: IconName;
  readonly label: string;
  readonly detail: string;
  /** the page about it */
  readonly to: string;
}

type Entry = Found & Searched;

const mostOfKind = 8;
const mostText = 200;
/** `1.2`, `v2`, `dev-main` */
const versionWord = /^(?:v?\d[\w.-]*|dev-\S+)$/i;

/** In the order of the page: the version that is asked for, packages with versions, pages, tokens, people, settings. */
export async function findAnything(
  services: SearchPageServices,
  request: SignedInRequest,
  text: string,
): Promise<readonly Found[]> {
  const words = text.slice(0, mostText).split(/\s+/);
  const wanted = words.find((word) => versionWord.test(word));
  const ofPackages = words.filter((word) => word !== wanted).join(' ') || words.join(' ');
  const { nowMs, caller } = request;
  const [{ all }, mirrored = new Map(), others] = await Promise.all([
    services.catalogue.read(nowMs, caller.view),
    services.mirrored?.read(nowMs, caller.view),
    readOthers(services, request),
  ]);
  const kinds: readonly (readonly Searched[])[] = [[...all.values()], [...mirrored.values()], ...others];
  const best = await Promise.all(
    kinds.map((some, at) => {
      const asked = at < kinds.length - others.length ? ofPackages : words.join(' ');
      return rankPackages(some, { words: asked, type: undefined, best: mostOfKind }, () => 0);
    }),
  );
  const fitting = best.flatMap((ranked) => ranked.best);
  const shown = fitting.length > 0 ? fitting : await similarParts(kinds.flat(), ofPackages, mostOfKind);
  const rows = shown.map(async (one) => {
    if ('to' in one) return [one as Entry];
    const { name, description } = one;
    const found = { icon: 'package' as const, label: name, detail: description ?? '', to: `/packages/${name}` };
    return wanted === undefined ? [found] : [found, ...(await versionsOf(services, caller.view, name, wanted))];
  });
  const found = (await Promise.all(rows)).flat();
  if (wanted === undefined) return found;
  const versions = found.filter(({ detail }) => detail === 'version');
  const first = versions.find(({ label }) => bare(label.split(' ')[1] ?? '') === bare(wanted)) ?? versions[0];
  return first === undefined ? found : [first, ...found.filter((one) => one !== first)];
}

function bare(version: string): string {
  return version.replace(/^v(?=\d)/i, '').toLowerCase();
}

/** The version `wanted`, and the newest that begin with it. */
async function versionsOf(
  { published }: SearchPageServices,
  view: View | undefined,
  text: string,
  wanted: string,
): Promise<readonly Found[]> {
  const name = parsePackageName(text);
  if (name === undefined) return [];
  return (await readPublishedPackage(published, name, view))
    .map(({ entry: { version } }) => version)
    .filter((version) => bare(version).startsWith(bare(wanted)))
    .toSorted((one, other) => Number(bare(other) === bare(wanted)) - Number(bare(one) === bare(wanted)))
    .slice(0, 3)
    .map((version) => ({
      icon: 'git-commit-horizontal',
      label: `${name} ${version}`,
      detail: 'version',
      to: `/packages/${name}/version?${new URLSearchParams({ version })}`,
    }));
}

/** Pages, tokens, people and settings that this visitor may open. */
async function readOthers(services: SearchPageServices, request: SignedInRequest): Promise<readonly Entry[][]> {
  const { may } = request;
  const pages = sections.filter(({ operation }) => may(operation)) as readonly SectionEntry[];
  const tokens = may('listTokens') ? await tokensFor(services, request).list() : [];
  const people = may('listUsers') ? await readUsers(services.state) : [];
  const settings = may('updateSettings') ? settingKeys : [];
  return [
    [
      ...pages.map(({ icon, label, group = 'page', path }) => entryOf(icon, label, group, path)),
      entryOf('circle-user-round', 'Your account', 'password, passkeys, sessions', '/account'),
    ],
    tokens.map(({ id, description }) => entryOf('key-round', description, 'token', `/tokens/${id}`)),
    people.map(({ id, email, name }) => entryOf('users', email, name ?? '', `/people/${id}`)),
    settings.map((key) => entryOf('settings', labelOf(key), key, settingPage(key))),
  ];
}

function entryOf(icon: IconName, label: string, detail: string, to: string): Entry {
  const name = label.toLowerCase();
  const text = `${name}\n${detail.toLowerCase()}`;
  return { icon, label, detail, to, name, text, type: '', keywords: [], abandoned: false };
}
