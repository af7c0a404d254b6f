// What differs between the kinds of issuers: how their claims are read, and what their tokens can prove. Pure.

import type { IssuerKind } from '../model/issuer.ts';
import type { RefRule } from '../model/publisher.ts';
import { readForgejoJob, readGitHubJob } from './github.ts';
import { readGitLabJob } from './gitlab.ts';
import type { ReadJob } from './job.ts';
import { readBitbucketJob, readBuildkiteJob, readCircleJob, readOtherJob } from './other-issuers.ts';

export interface IssuerDialect {
  readonly read: ReadJob;
  /** false: tokens carry no name of a repository, only its id */
  readonly hasNames: boolean;
  /** true: jobs of forks have the project's id, so the name counts beside the id, and is required */
  readonly forksShareIds: boolean;
  /** false: there are no ids of repositories either: publishers need rules for claims */
  readonly hasIds: boolean;
  readonly hasWorkflows: boolean;
  readonly hasEnvironments: boolean;
  /** the rules for refs that its tokens can prove, beside `any` */
  readonly refs: readonly RefRule[];
  /** GitHub's environments are the same in any case */
  readonly environmentsIgnoreCase: boolean;
  /** false: tokens may come without `jti`. The signed text of the token then stands for it */
  readonly hasTokenIds: boolean;
  /** true: the issuer writes `aud` as a list, also for one audience */
  readonly listsAudience: boolean;
}

const all = ['tags', 'protected', 'tags-or-protected'] as const;
const bare = {
  hasNames: true,
  forksShareIds: false,
  hasIds: true,
  hasWorkflows: false,
  hasEnvironments: false,
  environmentsIgnoreCase: false,
  hasTokenIds: true,
  listsAudience: false,
} as const;
const forge = { ...bare, hasWorkflows: true, hasEnvironments: true, refs: all } as const;

export const dialects: Readonly<Record<IssuerKind, IssuerDialect>> = {
  github: { ...forge, read: readGitHubJob, environmentsIgnoreCase: true },
  gitlab: { ...forge, read: readGitLabJob },
  forgejo: { ...forge, read: readForgejoJob, hasEnvironments: false, hasTokenIds: false },
  bitbucket: {
    ...bare,
    read: readBitbucketJob,
    hasNames: false,
    hasEnvironments: true,
    refs: [],
    hasTokenIds: false,
    listsAudience: true,
  },
  circleci: { ...bare, read: readCircleJob, forksShareIds: true, refs: ['tags'], hasTokenIds: false },
  buildkite: { ...bare, read: readBuildkiteJob, refs: ['tags'] },
  oidc: { ...bare, read: readOtherJob, hasNames: false, hasIds: false, refs: [], listsAudience: true },
};
