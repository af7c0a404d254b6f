// The way of a new registry to its first install, with a mark at each step that is done.

import type { Child } from 'hono/jsx';
import type { Permission } from '../../../auth/permissions.ts';
import type { StatusCounts } from '../../../status/status.ts';
import { Badge } from '../../components/badge.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { Icon, type IconName } from '../../components/icon.tsx';
import type { PageRequest } from '../../frame/definitions.ts';

interface Step {
  readonly icon: IconName;
  readonly title: string;
  readonly detail: string;
  readonly button: string;
  readonly to: string;
  readonly operation: Permission;
  readonly isDone: (counts: StatusCounts) => boolean;
}

const steps: readonly Step[] = [
  {
    icon: 'folder-git-2',
    title: 'Add a repository',
    detail: 'The server reads its tags and branches, and publishes each as a version.',
    button: 'Add repository',
    to: '/repositories/new',
    operation: 'createRepository',
    isDone: ({ repositories }) => repositories > 0,
  },
  {
    icon: 'upload',
    title: 'Or upload a ZIP',
    detail: 'A ZIP with a composer.json becomes one version.',
    button: 'Upload a ZIP',
    to: '/uploads',
    operation: 'createArtifact',
    isDone: ({ artifacts }) => artifacts > 0,
  },
  {
    icon: 'key-round',
    title: 'Create a token',
    detail: 'Composer installs packages with it.',
    button: 'Create token',
    to: '/tokens/new',
    operation: 'createToken',
    isDone: ({ tokens }) => tokens.read + tokens.write > 0,
  },
  {
    icon: 'user-plus',
    title: 'Invite people',
    detail: 'Each gets a link, and chooses a password.',
    button: 'Invite',
    to: '/people/invite',
    operation: 'createUser',
    isDone: ({ users }) => users > 1,
  },
];

interface FirstStepsProps {
  readonly counts: StatusCounts;
  readonly may: PageRequest['may'];
}

export function FirstSteps({ counts, may }: FirstStepsProps): Child {
  const own = steps.filter(({ operation }) => may(operation));
  if (own.length === 0)
    return <p class="soft">Nothing is published yet. A maintainer adds the first repository or uploads a ZIP.</p>;
  return (
    <section class="stack">
      <h2>First steps</h2>
      <ol class="plain stack">
        {own.map((step) => (
          <li class="panel row">
            <div>
              <h3>
                <Icon name={step.icon} /> {step.title}
              </h3>
              <p class="soft small">{step.detail}</p>
            </div>
            <div class="row-end">
              {step.isDone(counts) ? (
                <Badge kind="good" icon="circle-check" label="done" />
              ) : (
                <ButtonLink to={step.to} label={step.button} />
              )}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}
