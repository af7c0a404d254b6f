// Reads the package name of a composer.json that a forge delivered. The text is only a hint for the decision to
// register the repository: the builder reads the commits themselves.

import { isJsonObject } from '../../../build/contract/json.ts';
import { parsePackageName, type PackageName } from '../../../build/contract/name.ts';
import { asciiLowerCase } from '../../../build/contract/php-text.ts';
import type { SkipReason } from './forge-repository.ts';
import { parseJsonText } from './json-text.ts';

/** `text`: undefined if there is no such file. */
export function composerName(text: string | undefined): { readonly name: PackageName } | { readonly skip: SkipReason } {
  if (text === undefined) return { skip: 'no_composer_json' };
  const json = parseJsonText(text);
  if (!isJsonObject(json)) return { skip: 'invalid_composer_json' };
  const { name: written } = json;
  const name = typeof written === 'string' ? parsePackageName(asciiLowerCase(written)) : undefined;
  return name === undefined ? { skip: 'no_name' } : { name };
}
