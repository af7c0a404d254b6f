// Asks before a version that a person withdrew is published again.

import type { Child } from 'hono/jsx';
import { RegistryError } from '../../../../build/contract/errors.ts';
import { actorOf } from '../../../auth/caller.ts';
import { Form as FormView } from '../../components/form.tsx';
import { PageHead } from '../../components/page-head.tsx';
import type { FormPage } from '../../frame/definitions.ts';
import type { FormState } from '../../request/form-fields.ts';
import { explainPackage } from './explain-package.ts';
import { nameIn, packagePath } from './open-package.ts';
import type { PackagePageServices } from './package-services.ts';
import { requireVersion } from './withdraw-page.tsx';

export function restoreForm(services: PackagePageServices): FormPage {
  return {
    path: '/packages/:vendor/:package/restore',
    operation: 'restoreVersion',
    awaitsBuilder: true,
    show: async (request, form) => {
      const name = nameIn(request);
      const version = requireVersion(request, name);
      const known = (await explainPackage(services, name, version))?.versions ?? [];
      if (!known.some(({ state }) => state === 'withheld'))
        throw new RegistryError('NOT_FOUND', { message: `${name} ${version} was not withdrawn by a person.` });
      return {
        title: `Restore ${name} ${version}`,
        section: 'packages',
        content: <Restore {...{ name, version, form }} asksPassword={request.asksPassword} />,
      };
    },
    submit: async (request) => {
      const name = nameIn(request);
      const version = requireVersion(request, name);
      const { problems } = await services.restorationsOf(actorOf(request.caller)).restore(name, version);
      return problems.length === 0
        ? { to: packagePath(name, 'versions'), notice: 'restored' }
        : { to: packagePath(name, 'why', { version }), notice: 'problems' };
    },
  };
}

interface RestoreProps {
  readonly name: string;
  readonly version: string;
  readonly form: FormState;
  readonly asksPassword: boolean;
}

function Restore({ name, version, form, asksPassword }: RestoreProps): Child {
  return (
    <>
      <PageHead
        title={`Restore ${name} ${version}?`}
        sentence="A build reads its source, and publishes the version as the source has it now."
      />
      <FormView
        state={form}
        asksPassword={asksPassword}
        submit={`Restore ${version}`}
        cancel={packagePath(name, 'versions')}
      />
    </>
  );
}
