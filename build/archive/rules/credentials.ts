// Withholds files whose name suggests a secret, even if another rule includes them. The check sees only the name. So
// the report lists each withheld file, and a name with a word such as "public" passes.
//
// | withheld (in any letter case)                                   | but not                                                        |
// |-----------------------------------------------------------------|----------------------------------------------------------------|
// | `auth.json`                                                     | below a folder of translations (`lang`, `locales`, …)          |
// | `.env`, `.env.*`, `.envrc`                                      | ending in example, sample, dist, template, defaults, …         |
// | `.npmrc` `.netrc` `_netrc` `.pypirc` `.pgpass` `.my.cnf`        |                                                                |
// | `.git-credentials` `.htpasswd` `.dockercfg` `.vault-token`      |                                                                |
// | all below `.ssh` `.gnupg` `.aws`; `.docker/config.json`         |                                                                |
// | `id_rsa` `id_dsa` `id_ecdsa` `id_ed25519`, also `id_rsa_work`   | `*.pub`                                                        |
// | `*.key` `*.pem` `*.p8` `*.jks` `*.keystore`                     | named a certificate or public: `cacert.pem`, `public.key`, …   |
// | `*.p12` `*.pfx` `*.ppk` `*.kdbx`                                |                                                                |

const plainNames: ReadonlySet<string> = new Set([
  '.envrc',
  '.npmrc',
  '.netrc',
  '_netrc',
  '.pypirc',
  '.pgpass',
  '.my.cnf',
  '.git-credentials',
  '.htpasswd',
  '.dockercfg',
  '.vault-token',
]);
const secretFolders = /(?:^|\/)\.(?:ssh|gnupg|aws)\//;
const translationFolders = /(?:^|\/)(?:langs?|languages?|locales?|i18n|l10n|translations?)\//;
const environmentFile = /^\.env(?:\..+)?$/s;
const environmentTemplate = /\.(?:examples?|samples?|dist|template|tpl|stub|defaults?)$/;
const sshKey = /^id_(?:rsa|dsa|ecdsa|ed25519)(?:[._-].*)?$/s;
const keyFile = /\.(?:key|pem|p8|jks|keystore)$/;
const keyStore = /\.(?:p12|pfx|ppk|kdbx)$/;

/** Words in the names of public files: certificates, chains, authorities, public keys, parameters. */
const publicWords = /cert|crt|chain|bundle|root|trust|public|csr|crl|dhparam|(?:^|[^a-z])(?:ca|pub)(?:[^a-z]|s$|$)/;
const privateWords = /priv|secret|key/;

/** True for a name that suggests a secret, unless the name marks a template or a public half. */
export function isCredential(path: string): boolean {
  const lower = path.toLowerCase();
  const name = lower.slice(lower.lastIndexOf('/') + 1);
  if (name === 'auth.json') return !translationFolders.test(lower);
  if (environmentFile.test(name)) return !environmentTemplate.test(name);
  if (plainNames.has(name) || secretFolders.test(lower) || keyStore.test(name)) return true;
  if (/(?:^|\/)\.docker\/config\.json$/.test(lower)) return true;
  if (sshKey.test(name)) return !name.endsWith('.pub');
  return keyFile.test(name) && !isPublicHalf(name.replace(keyFile, ''));
}

/** `cacert`, `ca-bundle`, `public-key`; neither `server`, `ca-key` nor `private-cert`. */
function isPublicHalf(stem: string): boolean {
  if (/public|(?:^|[^a-z])pub(?:[^a-z]|$)/.test(stem)) return !/priv/.test(stem);
  return publicWords.test(stem) && !privateWords.test(stem);
}
