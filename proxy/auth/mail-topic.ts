// The notices by mail that a person can turn off. Pure.

/** `syncs`: failed syncs, and their recovery. `tokens`: tokens that end soon. */
export const mailTopics = ['syncs', 'tokens', 'advisories'] as const;
export type MailTopic = (typeof mailTopics)[number];
