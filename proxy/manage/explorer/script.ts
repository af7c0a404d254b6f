// The start script of the API explorer, for browsers. It configures Swagger UI, and accepts invitations.

export const explorerScript = `'use strict';

// The login of this tab. The browser deletes it with the tab, and no other tab reads it.
const login = {
  key: 'libretto.authorized',
  refusal: undefined,
  read() {
    try {
      const stored = JSON.parse(sessionStorage.getItem(login.key));
      return stored !== null && typeof stored === 'object' ? stored : {};
    } catch {
      return {}; // the browser forbids storage, or another program wrote the value
    }
  },
  write(authorized) {
    try {
      if (Object.keys(authorized).length === 0) sessionStorage.removeItem(login.key);
      else sessionStorage.setItem(login.key, JSON.stringify(authorized));
    } catch (error) {
      login.refusal = error; // the browser forbids storage: the login ends with the page
    }
  },
};

const mapValues = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));

// Swagger UI fills a field with its example or default. The description shows both instead, and the field stays empty.
function withEmptyField(parameter) {
  const { example, schema: { example: inSchema, default: fallback, ...schema } = {}, ...others } = parameter;
  const shown = [['Example', example ?? inSchema], ['Default', fallback]]
    .filter(([label, value]) => value !== undefined && (label === 'Default' || value !== fallback))
    .map(([label, value]) => label + ': \`' + (typeof value === 'string' ? value : JSON.stringify(value)) + '\`');
  const description = [others.description, shown.join(', ')].filter(Boolean).join('\\n\\n');
  return { ...others, schema, description };
}

const withEmptyFields = (description) => ({
  ...description,
  paths: mapValues(description.paths ?? {}, (operations) =>
    mapValues(operations, ({ parameters = [], ...operation }) => ({
      ...operation,
      parameters: parameters.map(withEmptyField),
    })),
  ),
});

function statusOf(schemes) {
  if (schemes.length === 0) return 'Not logged in';
  return 'Logged in: ' + schemes.join(', ') + (login.refusal === undefined ? '' : ' (until you leave the page)');
}

// The page from top to bottom: a bar with the login, the introduction, the operations, the schemas.
function Layout({ getComponent, specSelectors, authSelectors, React: { createElement: h } }) {
  const part = (name) => h(getComponent(name, true));
  if (specSelectors.loadingStatus() !== 'success') return part('BaseLayout');
  const schemes = authSelectors.authorized().keySeq().toArray();
  return h('div', { className: 'swagger-ui' },
    h(getComponent('SvgAssets')),
    h('header', { className: 'explorer-bar' },
      h('h1', null, 'Libretto'),
      h('p', { role: 'status' }, statusOf(schemes)),
      part('AuthorizeBtnContainer')),
    part('errors'),
    h('details', { className: 'wrapper explorer-about' },
      h('summary', null, 'About this API'),
      part('InfoContainer')),
    part('FilterContainer'),
    h('main', { className: 'wrapper' }, part('operations'), part('Models')));
}

function explorer({ React }) {
  const remembering = (original, { authSelectors }) => (change) => {
    const result = original(change);
    login.write(authSelectors.authorized().toJS());
    return result;
  };
  return {
    components: { ExplorerLayout: (props) => Layout({ ...props, React }) },
    statePlugins: {
      auth: { wrapActions: { authorize: remembering, logout: remembering } },
      spec: { wrapActions: { updateJsonSpec: (original) => (description) => original(withEmptyFields(description)) } },
    },
  };
}

// A browser that sends no stored credentials does not prompt its user for a password after a 401. The service cannot
// prevent that alone: over plain http no header marks requests of a script.
const withoutPrompt = (request) => (request.loadSpec ? request : Object.assign(request, { credentials: 'omit' }));

// A login with the API is the login of the page, and so is its end.
function followLogin(response) {
  const { pathname } = new URL(response.url);
  const token = response.ok ? response.body?.token : undefined;
  if (/\\/api\\/auth\\/(login|setup)$/.test(pathname) && token !== undefined)
    ui.authActions.authorize({ session: { name: 'session', schema: { type: 'http', scheme: 'bearer' }, value: token } });
  if (response.ok && pathname.endsWith('/api/auth/logout')) ui.authActions.logout(['session']);
  return response;
}

const ui = SwaggerUIBundle({
  url: 'openapi.json',
  requestInterceptor: withoutPrompt,
  responseInterceptor: followLogin,
  dom_id: '#explorer',
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [explorer],
  layout: 'ExplorerLayout',
  onComplete: () => ui.authActions.restoreAuthorization({ authorized: login.read() }),
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  persistAuthorization: false,
  queryConfigEnabled: false,
  tryItOutEnabled: true,
  validatorUrl: null,
});

// an invitation is in the fragment, which browsers send to no server
const invitation = new URLSearchParams(location.hash.slice(1)).get('invitation');
if (invitation !== null) {
  const form = document.getElementById('invitation');
  const status = form.querySelector('[role=status]');
  form.hidden = false;
  history.replaceState(null, '', location.pathname);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const body = JSON.stringify({ token: invitation, password: form.elements.password.value });
    try {
      const answer = await fetch('auth/invitations/accept', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
      const result = await answer.json();
      const issues = result.details?.issues?.map((issue) => issue.path + ' ' + issue.message).join('; ');
      status.textContent = answer.ok ? 'Done. Log in as ' + result.email + ' with POST /api/auth/login.' : issues || result.error;
      if (answer.ok) form.elements.password.value = '';
    } catch (error) {
      status.textContent = 'The service could not be reached: ' + error.message;
    }
  });
}
`;
