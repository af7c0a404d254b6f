// The notices by mail that a person can turn off. Pure.

/** `syncs`: failed syncs, and their recovery. `tokens`: tokens that end soon. `reviews`: releases that are held. */
export const mailTopics = ['syncs', 'tokens', 'advisories', 'reviews'] as const;
export type MailTopic = (typeof mailTopics)[number];
