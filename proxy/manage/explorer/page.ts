// The page of the API explorer. It has no inline code and no file of another host, so that its content policy can be
// strict.

/** Addresses are relative: behind a web server the service may live below a path. */
export const explorerPage = `<!doctype html>
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

/**
 * Scripts, styles and requests to this service only; the images are those in Swagger UI's own style sheet. Other pages
 * must not frame this one, and its forms cannot submit elsewhere.
 */
export const explorerContentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');
