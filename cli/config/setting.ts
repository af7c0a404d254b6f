// One setting, as data: its possible origins, its allowed values, and its default.

import type { JsonObject } from '../../build/contract/json.ts';
import { parseDirectory, parseFlag, parseWholeNumber, pathFault, type BaseFolder } from './setting-values.ts';
import type { ReportFault } from './shape.ts';
import { plainText } from './text-schemas.ts';

export interface Setting<T> {
  /** the key in libretto.json; a dot separates nested objects */
  readonly key: string;
  /** in commander's syntax */
  readonly flag?: string | undefined;
  /** the same flag as one letter, such as -d */
  readonly short?: string;
  /** the environment variable; undefined: there is none */
  readonly variable: string | undefined;
  /** for --help */
  readonly purpose: string;
  /** completes "allowed: …" */
  readonly allowed: string;
  readonly parse: (raw: unknown, base: BaseFolder, refuse: ReportFault) => T | undefined | Promise<T | undefined>;
  /** the reason of a refusal that `allowed` does not explain: follows `which` */
  readonly reason?: (raw: unknown) => string | undefined;
  readonly standard: (base: BaseFolder) => T;
  /** the schema of its value in libretto.json; settings that exist only there have it in their shape */
  readonly schema?: JsonObject;
}

interface WholeNumber extends Pick<Setting<number>, 'key' | 'flag' | 'variable' | 'purpose' | 'standard'> {
  /** default: `a whole number from … to …` */
  readonly allowed?: string;
  readonly least: number;
  readonly most: number;
}

/** A setting that is a whole number within two limits. */
export function wholeNumber({
  least,
  most,
  ...setting
}: WholeNumber): Setting<number> & { readonly schema: JsonObject } {
  return {
    allowed: `a whole number from ${least} to ${most}`,
    parse: (raw) => parseWholeNumber(raw, least, most),
    schema: { type: 'integer', minimum: least, maximum: most },
    ...setting,
  };
}

/** A setting that is the path of a file or a folder; there is none by default. */
export function pathSetting(
  setting: Pick<Setting<string>, 'key' | 'flag' | 'short' | 'variable' | 'purpose' | 'allowed'>,
) {
  const schema: JsonObject = { type: 'string', pattern: plainText };
  return { ...setting, parse: parseDirectory, reason: pathFault, standard: () => undefined, schema };
}

/** A setting that is true or false; false by default. */
export function flagSetting(setting: Pick<Setting<boolean>, 'key' | 'flag' | 'variable' | 'purpose'>) {
  const schema: JsonObject = { type: 'boolean' };
  return { ...setting, allowed: 'true or false', parse: parseFlag, standard: () => false, schema };
}
