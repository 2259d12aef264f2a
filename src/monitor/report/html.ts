/** Escaping for everything that is put into the page and was not written here. */

/** Text between tags. */
export function text(value: string): string {
  return clean(value).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

/** Text between double quotes. */
export function attribute(value: string): string {
  return text(value).replace(/"/g, '&quot;').replace(/'/g, '&#39;');
}

/** JSON inside a script element: no `<` is left that could end it. */
export function embeddedJson(value: unknown): string {
  return JSON.stringify(value)
    .replace(/</g, '\\u003c')
    .replace(/\u2028/g, '\\u2028')
    .replace(/\u2029/g, '\\u2029');
}

// Control characters may not stand in XML or HTML, not even escaped.
function clean(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
  return value.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g, '�');
}
