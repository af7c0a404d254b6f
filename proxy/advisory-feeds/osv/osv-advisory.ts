// One advisory of OSV as the stored list holds it, for one package. Pure.

import { isJsonObject, type JsonObject, type JsonValue } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { shortText } from '../../../build/shared/text/short-text.ts';
import { isMalwareId, malwareList } from '../../policy/judge/facts.ts';
import { aliasesOf, linkOf, type StoredAdvisory, type StoredEntry } from '../model/feed-rows.ts';
import { constraintOf } from './osv-constraint.ts';
import { severityOf } from './osv-severity.ts';

/** undefined: the advisory is not about this package. `id` and `modified` are checked already. */
export function advisoryFor(
  name: PackageName,
  advisory: JsonObject,
  { id, modified }: { readonly id: string; readonly modified: string },
): StoredAdvisory | undefined {
  const affected = affectedOf(advisory, name);
  if (affected.length === 0) return undefined;
  const title = shortText(advisory['summary'], mostTitle) ?? shortText(advisory['details'], mostTitle);
  return {
    id,
    aliases: aliasesOf(Array.isArray(advisory['aliases']) ? (advisory['aliases'] as readonly JsonValue[]) : [], id),
    severity: severityOf(advisory, affected) ?? (isMalwareId(id) ? 'critical' : null),
    constraint: isWithdrawn(advisory) ? '' : constraintText(affected),
    title: title ?? `Security advisory ${id}`,
    link: advisoryLink(advisory) ?? `https://osv.dev/vulnerability/${id}`,
    modified,
  };
}

const mostTitle = 160;

/** Advisories about malicious packages are the list `malware`, too. */
export function malwareEntries(advisories: readonly StoredAdvisory[]): readonly StoredEntry[] {
  return advisories
    .filter(({ id, constraint }) => isMalwareId(id) && constraint !== '')
    .map(({ id, constraint, title }) => ({ list: malwareList, constraint, reason: `${id}: ${title}` }));
}

/** `Packagist:https://…` names another repository than packagist.org, where the package may be one of the same name. */
function affectedOf(advisory: JsonObject, name: PackageName): readonly JsonObject[] {
  const { affected } = advisory;
  if (!Array.isArray(affected)) return [];
  return (affected as readonly JsonValue[]).filter(isJsonObject).filter(({ package: named }) => {
    const { ecosystem, name: text } = isJsonObject(named) ? named : {};
    return typeof ecosystem === 'string' && /^Packagist(?::|$)/.test(ecosystem) && String(text).toLowerCase() === name;
  });
}

function isWithdrawn({ withdrawn }: JsonObject): boolean {
  return typeof withdrawn === 'string' && withdrawn !== '';
}

function constraintText(affected: readonly JsonObject[]): string | null {
  const converted = constraintOf(affected);
  return 'constraint' in converted ? converted.constraint : null;
}

function advisoryLink({ references }: JsonObject): string | null {
  if (!Array.isArray(references)) return null;
  const found = (references as readonly JsonValue[])
    .filter(isJsonObject)
    .find(({ type, url }) => type === 'ADVISORY' && linkOf(url) !== null);
  return linkOf(found?.['url']);
}
