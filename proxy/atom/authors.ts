// The authors of a version, as an Atom feed can name them: each has a name, and its address and email if they are
// valid. Pure.

import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import { parseUrl } from '../../build/contract/parse-url.ts';
import { textOf, webAddressOf } from '../packages/package-summary.ts';

export interface Author {
  readonly name: string;
  /** null: none, or not a web address with the characters that RFC 3987 permits */
  readonly address: string | null;
  /** null: none, or not of the form that RFC 4287 requires */
  readonly email: string | null;
}

const mostAuthors = 20;
const longestAddress = 500;

/** `record`: a version in its p2 document. */
export function authorsOf(record: JsonObject): readonly Author[] {
  const { authors } = record;
  const rows: readonly JsonValue[] = Array.isArray(authors) ? authors : [];
  return rows
    .slice(0, mostAuthors)
    .filter(isJsonObject)
    .flatMap((row) => {
      const email = emailOf(row['email']);
      const name = textOf(row['name']) ?? email;
      return name === null ? [] : [{ name, address: addressOf(row['homepage']), email }];
    });
}

function addressOf(value: JsonValue | undefined): string | null {
  const text = webAddressOf(value);
  if (text === null || text.length > longestAddress || !/^[^\s<>"{}|\\^`]+$/.test(text)) return null;
  return parseUrl(text) === undefined ? null : text;
}

function emailOf(value: JsonValue | undefined): string | null {
  const text = textOf(value);
  return text !== null && text.length <= longestAddress && /^[^\s@]+@[^\s@]+$/.test(text) ? text : null;
}
