// Autoload rules on which Composer aborts after the installation of the package, when it writes the autoloader
// (AutoloadGenerator.php, validatePackage and parseAutoloadsType; ClassLoader.php, addPsr4 and add). The check does not
// test if the paths exist.

import type { JsonObject, JsonValue } from '../contract/json.ts';
import { QuarantineError } from '../contract/quarantine.ts';
import { entriesOf, isIntegerKey, isSet } from './php-array.ts';

/** The fault of `autoload-dev`, a sentence: Composer reads the field only where the package itself is worked on. */
export function autoloadDevFaults({ 'autoload-dev': rules }: JsonObject): readonly string[] {
  try {
    checkAutoload('autoload-dev', rules);
    return [];
  } catch (error) {
    if (!(error instanceof QuarantineError)) throw error;
    return [`${error.message} It installs the package as a dependency.`];
  }
}

/** Throws QuarantineError INVALID_COMPOSER_JSON. `field` is `autoload` or `autoload-dev`. */
export function checkAutoload(field: string, value: JsonValue | undefined): void {
  if (!isSet(value)) return;
  for (const [kind, rules] of entriesOf(value) ?? []) {
    if (!isSet(rules)) continue;
    if (kind === 'psr-4' && entriesOf(rules) === undefined)
      throw wrong(field, kind, 'must be an object of namespaces and paths, such as {"Acme\\\\": "src/"}');
    if (kind === 'psr-4' || kind === 'psr-0') checkNamespaces(field, kind, rules);
    if (kind === 'classmap' || kind === 'files' || kind === 'exclude-from-classmap') checkPaths(field, kind, rules);
  }
}

function checkNamespaces(field: string, kind: 'psr-4' | 'psr-0', rules: JsonValue): void {
  for (const [namespace, paths] of entriesOf(rules) ?? []) {
    // A JSON list has the key 0. psr-0 accepts this key as "no prefix".
    if (isIntegerKey(namespace) && !(kind === 'psr-0' && namespace === '0'))
      throw wrong(field, kind, `has ${JSON.stringify(namespace)} where a namespace should be`);
    if (kind === 'psr-4' && namespace !== '' && !namespace.endsWith('\\')) {
      throw wrong(
        field,
        kind,
        `has the namespace ${JSON.stringify(namespace)}, which must end with a backslash: ` +
          `${JSON.stringify(`${namespace}\\`)}`,
      );
    }
    if (!isPathOrPaths(paths))
      throw wrong(field, kind, `must give ${JSON.stringify(namespace)} a path or a list of paths`);
  }
}

function checkPaths(field: string, kind: string, rules: JsonValue): void {
  const everyPath = entriesOf(rules)?.every(([, paths]) => isPathOrPaths(paths)) ?? true;
  if (!everyPath) throw wrong(field, kind, 'must be a list of paths');
}

/** null is no path and does no harm. */
function isPathOrPaths(value: JsonValue): boolean {
  if (value === null || typeof value === 'string') return true;
  return entriesOf(value)?.every(([, path]) => typeof path === 'string') ?? false;
}

function wrong(field: string, kind: string, problem: string): QuarantineError {
  return new QuarantineError(
    'INVALID_COMPOSER_JSON',
    `The field "${field}.${kind}" ${problem}; Composer aborts otherwise.`,
  );
}
