// Highlight.js, whose own types would bring those of browsers into the program; highlight-library.d.mts has ours.

export { default as highlighter } from 'highlight.js/lib/common';
