// The field in which a dangerous form asks for the password again.

export const passwordField = 'current_password';
