// The page on which an invited person chooses a password. Pure.

/** `console`: a page of the console. `explorer`: the page that explores the API, where the API has no console beside it. */
export type InvitationPage = 'console' | 'explorer';

/** Relative to the address of the registry. */
export function invitationLink(page: InvitationPage, code: string): string {
  return page === 'console' ? `/ui/invitation?code=${code}` : `/api/swagger#invitation=${code}`;
}
