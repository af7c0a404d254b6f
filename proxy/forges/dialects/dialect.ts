// What differs between the APIs of the forges: paths, headers, pages, fields. A dialect holds no state and does no
// requests; client/forge-client.ts asks its questions.

import type { JsonObject, JsonValue } from '../../../build/contract/json.ts';
import type { ForgeName, OwnerKind, OwnerName } from '../model/forge-name.ts';
import type { ForgeRepository } from '../model/forge-repository.ts';

/** Asks for a path of the API. Statuses other than 200 and 404 are thrown by the client. */
export type AskPath = (path: string) => Promise<{ readonly status: 200 | 404; readonly body: JsonValue }>;

/** A token as the forge's API takes it; `user` is an e-mail address or a user name that some tokens need. */
export interface ForgeToken {
  readonly token: string;
  readonly user?: string | undefined;
}

/** A webhook of an owner or of a repository, as the forge lists it. */
export interface ListedHook {
  /** its place in a path */
  readonly id: string;
  readonly url: string;
}

export interface HookDialect {
  /** the path of the hooks of an owner; undefined: such owners have none */
  readonly ofOwner: (owner: OwnerName, kind: OwnerKind) => string | undefined;
  readonly ofRepository: (repository: ForgeRepository) => string;
  /** the query of the first page of hooks, as large as the forge permits */
  readonly firstPage: string;
  /** `numbered`: a page names no next one, and the last one is followed by an empty one */
  readonly pages: 'named' | 'numbered';
  readonly read: (item: JsonObject) => ListedHook | undefined;
  /** the body that makes or changes a hook for pushes of branches and tags */
  readonly body: (url: string, secret: string) => JsonObject;
  /** what only the body of a new hook has */
  readonly kind: JsonObject;
  /** the body of one more change, where the answer shows that the forge did not take the secret of the first one */
  readonly otherBody?: (answer: JsonObject, url: string, secret: string) => JsonObject | undefined;
  /** `replacement`: a change keeps the old secret, so that the hook is removed and made anew */
  readonly changeBy: 'PATCH' | 'PUT' | 'replacement';
  /** the pause between two changes that the forge asks for */
  readonly pauseMs: number;
}

export interface ForgeDialect {
  readonly name: ForgeName;
  /** of every request */
  readonly headers: Readonly<Record<string, string>>;
  readonly authorization: (token: ForgeToken) => Readonly<Record<string, string>>;
  /** the user name that git sends with the token as the password */
  readonly gitUser: (token: ForgeToken) => string;
  /** undefined: there is no such owner, or the token does not see it */
  readonly findOwner: (owner: OwnerName, ask: AskPath) => Promise<OwnerKind | undefined>;
  /** the first page of the repositories, oldest first where the API can: new ones then appear on the last page */
  readonly listPath: (owner: OwnerName, kind: OwnerKind) => string;
  /** the items of a page; undefined: the answer has another form */
  readonly itemsOf: (body: JsonValue) => readonly JsonValue[] | undefined;
  /** where a page names the next one: the header Link, or the field `next` */
  readonly nextIn: 'link' | 'body';
  /** undefined: no repository of this owner that git can read */
  readonly readRepository: (item: JsonObject, owner: OwnerName) => ForgeRepository | undefined;
  /** the path of one repository by itself, to see that it still exists */
  readonly repositoryPath: (repository: Pick<ForgeRepository, 'id' | 'path'>, owner: OwnerName) => string;
  /** the text of a file in the default branch. `file`: `packages/tool/composer.json` */
  readonly readFile: (
    repository: ForgeRepository,
    file: string,
    ask: AskPath,
  ) => Promise<{ readonly path: string; readonly accept: string } | undefined>;
  /** the first page of a folder in the default branch. `folder`: '' for the root, or `packages/` */
  readonly folderPath: (repository: ForgeRepository, folder: string, ask: AskPath) => Promise<string | undefined>;
  readonly hooks: HookDialect;
}
