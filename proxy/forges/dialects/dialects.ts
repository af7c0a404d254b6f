// The dialect of each forge.

import type { ForgeName } from '../model/forge-name.ts';
import { bitbucket } from './bitbucket.ts';
import type { ForgeDialect } from './dialect.ts';
import { gitea } from './gitea.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';

export const dialects: Readonly<Record<ForgeName, ForgeDialect>> = { github, gitlab, gitea, bitbucket };
