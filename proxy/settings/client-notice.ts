// Notices of the registry to users, which Composer shows: a text for all clients whose Composer version fits a
// constraint. A notice is in `warnings` or `infos` of packages.json (Composer 2.2 and later; HttpDownloader.php,
// outputWarnings). A constraint that Composer cannot parse would end every run of every client.

import { parseConstraint } from '../../build/contract/constraint.ts';
import { isJsonObject, type JsonValue } from '../../build/contract/json.ts';

export type ClientNotice = {
  /** a constraint for the version of Composer, `<2.5` */
  readonly versions: string;
  readonly message: string;
};

export const mostNotices = 20;
export const longestNotice = 500;
export const noticesAllowed =
  `a list of at most ${mostNotices} objects with versions, a constraint such as "<2.5", and message, a text of ` +
  `at most ${longestNotice} characters`;

export function isNoticeVersions(value: unknown): value is string {
  return (
    typeof value === 'string' && value.trim() !== '' && value.length <= 200 && !('refusal' in parseConstraint(value))
  );
}

/** One line, because control characters would reach terminals. */
export function isNoticeMessage(value: unknown): value is string {
  // eslint-disable-next-line no-control-regex -- control characters are exactly what is refused
  return (
    typeof value === 'string' &&
    value.trim() !== '' &&
    value.length <= longestNotice &&
    !/[\u0000-\u001f\u007f-\u009f]/.test(value)
  );
}

export function areNotices(value: JsonValue): value is ClientNotice[] {
  return (
    Array.isArray(value) &&
    value.length <= mostNotices &&
    (value as readonly JsonValue[]).every(
      (one) =>
        isJsonObject(one) &&
        Object.keys(one).length === 2 &&
        isNoticeVersions(one['versions']) &&
        isNoticeMessage(one['message']),
    )
  );
}
