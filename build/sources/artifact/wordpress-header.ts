// The version that a plugin or theme of WordPress states in its own files. They are read as WordPress reads them
// (get_file_data in wp-includes/functions.php): the first 8 KiB, and the first line of a name.

import { readZipDirectory } from '../../archive/zip-directory.ts';
import { quoteName } from '../../archive/safe-paths.ts';
import { defaultZipLimits } from '../../archive/zip-admission/zip-limits.ts';
import { QuarantineError } from '../../contract/quarantine.ts';

export interface StatedVersion {
  /** in the ZIP */
  readonly path: string;
  readonly version: string;
}

interface HeaderRule {
  /** of files in the package's own folder */
  readonly file: RegExp;
  readonly title: RegExp;
  /** for messages */
  readonly needs: string;
}

/** Type of Composer's installers → the file that WordPress needs to see the package. */
const rules: Readonly<Record<string, HeaderRule>> = {
  'wordpress-plugin': {
    file: /^[^/]+\.php$/,
    title: /^(?:[ \t]*<\?php)?[ \t/*#@]*Plugin Name:(.*)$/im,
    needs: 'no PHP file with the header "Plugin Name:"',
  },
  'wordpress-theme': {
    file: /^style\.css$/,
    title: /^[ \t/*#@]*Theme Name:(.*)$/im,
    needs: 'no style.css with the header "Theme Name:"',
  },
};

const versionLine = /^(?:[ \t]*<\?php)?[ \t/*#@]*Version:(.*)$/im;
const headerBytes = 8 * 1024;

/**
 * undefined for packages of other types, and where no or several versions are stated. `root`: the folder of the
 * package, with its slash. Throws QuarantineError for a package that WordPress would not see.
 */
export function statedVersion(type: unknown, zip: Buffer, root: string): StatedVersion | undefined {
  const rule = typeof type === 'string' && Object.hasOwn(rules, type) ? rules[type] : undefined;
  if (rule === undefined) return undefined;
  const titled = [...readZipDirectory(zip)]
    .filter(([path]) => path.startsWith(root) && rule.file.test(path.slice(root.length)))
    .map(([path, file]) => ({ path, head: headOf(file.read(defaultZipLimits.contentBytes)) }))
    .filter(({ head }) => headerOf(head, rule.title) !== '');
  if (titled.length === 0)
    throw new QuarantineError(
      'INVALID_COMPOSER_JSON',
      `WordPress would not find this ${String(type)}: ${rule.needs} is ${root === '' ? 'at the top' : `in ${quoteName(root)}`}. ` +
        'Is the real ZIP inside this one? Give that one, or write another type.',
    );
  const stated = titled.map(({ path, head }) => ({ path, version: headerOf(head, versionLine) }));
  const [first, ...others] = stated.filter(({ version }) => version !== '');
  return others.some(({ version }) => version !== first?.version) ? undefined : first;
}

function headOf(bytes: Buffer): string {
  return bytes.toString('latin1', 0, headerBytes).replaceAll('\r', '\n');
}

/** `''` without the header. A comment that ends on the line is cut off. */
function headerOf(head: string, line: RegExp): string {
  return (line.exec(head)?.[1] ?? '').split(/\*\/|\?>/, 1)[0]?.trim() ?? '';
}
