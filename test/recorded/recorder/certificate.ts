// A certificate that is valid at the fixed clock of a workspace, in 2024, and today.

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { toolPath } from '../../util/tool.ts';
import type { Workspace } from './workspace.ts';

const settings = `[ca]
default_ca = own
[own]
database = issued.txt
serial = serial.txt
new_certs_dir = .
default_md = sha256
policy = names
x509_extensions = extensions
[names]
commonName = supplied
[extensions]
subjectAltName = DNS:localhost, IP:127.0.0.1
`;

/** Makes `tls.pem` and `tls.key` in the working folder of the workspace. */
export function writeCertificate(workspace: Workspace): void {
  const files = { 'openssl.cnf': settings, 'issued.txt': '', 'serial.txt': '01\n' };
  for (const [name, text] of Object.entries(files)) writeFileSync(workspace.at(name), text);
  const openssl = (args: string): void =>
    void execFileSync(toolPath('openssl'), args.split(' '), { cwd: workspace.at(), stdio: 'pipe' });
  openssl(
    'req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout tls.key -out tls.csr -subj /CN=localhost',
  );
  openssl(
    'ca -batch -config openssl.cnf -selfsign -keyfile tls.key -in tls.csr -notext -out tls.pem ' +
      '-startdate 20200101000000Z -enddate 20991231000000Z',
  );
}
