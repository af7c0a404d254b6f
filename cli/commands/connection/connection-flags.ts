// Parses the flags of `libretto connection add` and `libretto connection update`.

import type { ConnectionPatch, GivenConnection, GivenCredentials } from '../../../proxy/forges/connection-schema.ts';
import { forgeNames, forgeTitles, type ForgeName } from '../../../proxy/forges/model/forge-name.ts';
import type { CommandInput } from '../../io/command.ts';
import { intervalOf } from '../../io/interval-flag.ts';
import { firstLine, secretIn } from '../../io/secret-file.ts';
import { UsageError } from '../../io/usage-error.ts';

type Flags = CommandInput['flags'];

/** `isLink`: a form of the console asks for the credentials. Throws UsageError. */
export function connectionDraft(
  { operands, flags }: CommandInput,
  workingDirectory: string,
  isLink: boolean,
): GivenConnection {
  const forge = forgeOf(operands[0]);
  // once: standard input can be read one time
  const { credentials = isLink ? { token: '' } : undefined, ...fields } = connectionFields(flags, workingDirectory);
  if (credentials === undefined)
    throw new UsageError(
      `${forgeTitles[forge]} asks for credentials: give a token with --token-stdin or --token-file FILE` +
        `${forge === 'github' ? ', or a GitHub App with --app ID and --key-file FILE' : ''}.`,
    );
  const url = flags['forgeUrl'];
  // what former versions took for the address of the forge
  if (forge === 'gitea' && url === undefined && flags['url'] !== undefined)
    throw new UsageError('Gitea has no public address: name yours with --forge-url. --url names a registry.');
  return {
    forge,
    owner: String(flags['owner']),
    ...(url === undefined ? {} : { url: String(url) }),
    ...fields,
    credentials,
  };
}

function forgeOf(text: string | undefined): ForgeName {
  const forge = forgeNames.find((name) => name === text);
  if (forge !== undefined) return forge;
  throw new UsageError(`There is no forge ${JSON.stringify(text ?? '')}. Use one of: ${forgeNames.join(', ')}.`);
}

/** Throws UsageError. */
export function connectionFields(flags: Flags, workingDirectory: string): ConnectionPatch {
  const { only, except, forks, hooks, subdirectory: folders } = flags;
  return {
    only: only as readonly string[] | undefined,
    except: except as readonly string[] | undefined,
    forks: forks as boolean | undefined,
    hooks: hooks as boolean | undefined,
    // false: --no-subdirectory
    subdirectories: folders === false ? null : (folders as readonly string[] | undefined),
    interval: intervalOf('--interval', flags['interval']),
    sync_interval: intervalOf('--sync-interval', flags['syncInterval']),
    credentials: credentialsOf(flags, workingDirectory),
  };
}

function credentialsOf(
  { tokenStdin, tokenFile, user, app, keyFile }: Flags,
  workingDirectory: string,
): GivenCredentials | undefined {
  if ([tokenStdin, tokenFile, app].filter((flag) => flag !== undefined).length > 1)
    throw new UsageError('Use only one of --token-stdin, --token-file and --app.');
  if ((app === undefined) !== (keyFile === undefined))
    throw new UsageError('--app and --key-file belong together: the id of the App, and its private key.');
  if (app !== undefined) return { app_id: String(app), private_key: secretIn(keyFile, workingDirectory) };
  const file = tokenStdin === true ? '-' : tokenFile;
  if (file === undefined && user !== undefined) throw new UsageError('--user needs --token-stdin or --token-file.');
  if (file === undefined) return undefined;
  const token = firstLine(secretIn(file, workingDirectory));
  return { token, ...(user === undefined ? {} : { user: String(user) }) };
}
