// Parses the flags of `libretto adopt`: the registry, its credentials, and which of its packages are meant.

import { parsePackageName } from '../../../build/contract/name.ts';
import { parseUrl } from '../../../build/contract/parse-url.ts';
import { refuseBadName } from '../../../build/receive/receive.ts';
import { matchAnyName } from '../../../build/shared/patterns/package-pattern.ts';
import { maySendCredential, type UpstreamCredential } from '../../../proxy/mirror/upstream/upstream-credential.ts';
import { addressOf } from '../../../proxy/mirror/upstream/upstream-root.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printNotes } from '../../io/output.ts';
import { secretIn } from '../../io/secret-file.ts';
import { UsageError } from '../../io/usage-error.ts';
import { upstreamCredential } from '../../mirror/composer-repositories.ts';
import { environmentCredential } from '../../mirror/environment-credential.ts';
import { onlyFlag } from '../build/only-flag.ts';
import { credentialsOf } from '../repository/repository-flags.ts';

export interface AdoptionRequest {
  /** of the registry, without packages.json */
  readonly url: string;
  /** of the registry here */
  readonly name: string;
  readonly plan: boolean;
  readonly continues: boolean;
  readonly registersSources: boolean;
  /** patterns; undefined: all packages */
  readonly only: readonly string[] | undefined;
  readonly credentialOf: (url: URL) => UpstreamCredential | undefined;
}

type Flags = CommandInput['flags'];

const longestAuthJson = 1024 ** 2;

/** Notes an auth.json without the registry. Throws UsageError, and BuildRefused for an auth.json that is none. */
export function adoptionRequest(
  { workingDirectory, environment, remarks }: Context,
  flags: Flags,
  place: string,
): AdoptionRequest {
  const home = registryUrl(place);
  const given = credentialsOf(flags, workingDirectory);
  const own = given && upstreamCredential(given);
  const authJson = flags['authJson'];
  const auth =
    authJson === undefined
      ? environment
      : { COMPOSER_AUTH: secretIn(authJson, workingDirectory, 'auth.json', longestAuthJson) };
  const where = authJson === undefined ? undefined : `--auth-json ${String(authJson)}`;
  const credentialOf: AdoptionRequest['credentialOf'] = (url) =>
    own !== undefined && url.origin === home.origin ? own : environmentCredential(url, auth, where);
  if (where !== undefined && credentialOf(home) === undefined)
    printNotes(remarks, [`${where} has no credentials for ${home.host}.`]);
  if (credentialOf(home) !== undefined && !maySendCredential(home))
    throw new UsageError(`Credentials are sent over https only, or to this machine. Use https://${home.host} instead.`);
  const url = addressOf(home.href);
  const standard = url
    .replace(/^https?:\/\//, '')
    .replaceAll(/[^A-Za-z0-9._]+/g, '-')
    .slice(0, 64);
  const name = typeof flags['as'] === 'string' ? flags['as'] : standard;
  refuseBadName(name);
  return {
    url,
    name,
    plan: flags['plan'] === true,
    continues: flags['continue'] === true,
    registersSources: flags['registerSources'] === true,
    only: onlyFlag(flags['only'], 'URL'),
    credentialOf,
  };
}

function registryUrl(text: string): URL {
  const url = parseUrl(text);
  // the text may contain a password anywhere
  if (text.includes('@'))
    throw new UsageError(
      'The address contains credentials, which every user of this machine can see. Use --username with ' +
        '--password-file, --token-file or --auth-json.',
    );
  if (url !== undefined && /^https?:$/.test(url.protocol) && `${url.search}${url.hash}` === '') return url;
  throw new UsageError(
    `${JSON.stringify(text)} is no address of a Composer repository. Write it as https://HOST/PATH.`,
  );
}

/** More packages than any private registry has: that of all PHP packages is mirrored, not adopted. */
const mostNames = 50_000;

/** `listed`: undefined if the registry has no list of its packages. Throws UsageError. */
export function chosenNames(
  listed: readonly string[] | undefined,
  only: readonly string[] | undefined,
  url: string,
): readonly string[] {
  const names = listed?.filter(only === undefined ? () => true : matchAnyName(only));
  const exact = (only ?? []).flatMap((pattern) => parsePackageName(pattern) ?? []);
  if (names === undefined && exact.length === 0)
    throw new UsageError(
      `${url} does not list its packages. Name them with --only, such as --only acme/hello acme/tool.`,
    );
  if (names === undefined) return exact;
  if (names.length === 0 && only !== undefined)
    throw new UsageError(`${url} lists no package of --only ${only.join(' ')}.`);
  if (names.length > mostNames)
    throw new UsageError(
      `${url} lists ${names.length} packages. Name those to adopt with --only, or mirror it: ` +
        '`libretto repository add --type composer URL`.',
    );
  return names;
}
