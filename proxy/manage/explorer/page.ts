// The page of the API explorer and its start script. The page has no inline code and no file of another host, so that
// its content policy can be strict.

/** Addresses are relative: behind a web server the service may live below a path. */
export const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Libretto</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="swagger/swagger-ui.css">
<link rel="stylesheet" href="swagger/explorer.css">
</head>
<body>
<form id="invitation" hidden>
<h1>You are invited</h1>
<p>Choose a password, then log in with it.</p>
<label>Password <input name="password" type="password" autocomplete="new-password" required></label>
<button>Accept</button>
<p role="status"></p>
</form>
<div id="explorer"></div>
<noscript>This page needs JavaScript. What it shows is in openapi.json.</noscript>
<script src="swagger/swagger-ui-bundle.js"></script>
<script src="swagger/explorer.js"></script>
</body>
</html>
`;

/** Credentials stay in the page's memory. The page shows only its own description, with any query in its address. */
export const script = `'use strict';

// A browser that sends no stored credentials does not prompt its user for a password after a 401. The service cannot
// prevent that alone: over plain http no header marks requests of a script.
const withoutPrompt = (request) => (request.loadSpec ? request : Object.assign(request, { credentials: 'omit' }));

SwaggerUIBundle({
  url: 'openapi.json',
  requestInterceptor: withoutPrompt,
  dom_id: '#explorer',
  presets: [SwaggerUIBundle.presets.apis],
  layout: 'BaseLayout',
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

export const style = `body { margin: 0; }
#invitation { max-width: 1460px; margin: 0 auto; padding: 1.5rem 20px; font-family: sans-serif; box-sizing: border-box; }
`;

/**
 * Scripts, styles and requests to this service only; the images are those in Swagger UI's own style sheet. Other pages
 * must not frame this one, and its forms cannot submit elsewhere.
 */
export const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');
