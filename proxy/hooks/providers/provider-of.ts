// Finds the provider that sent a request, by its headers.

import type { IncomingHttpHeaders } from 'node:http';
import { azure } from './azure.ts';
import { bitbucketServer } from './bitbucket-server.ts';
import { bitbucket } from './bitbucket.ts';
import { generic } from './generic.ts';
import { gitea } from './gitea.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import type { Provider } from './provider.ts';

/** A provider stands before those whose headers it sends too. */
const inOrder: readonly Provider[] = [gitea, github, gitlab, bitbucket, bitbucketServer, azure];

export function providerOf(headers: IncomingHttpHeaders): Provider {
  return inOrder.find(({ isSender }) => isSender(headers)) ?? generic;
}
